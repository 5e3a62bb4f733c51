/**
 * Steers a sandbox, in this program or elsewhere. The control client is derived from the contract of the control
 * surface.
 */
import {
  type BasicCredentials,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../generated/client.ts';
import { type CallOptions, type ControlCallFacts, type ControlCalls, controlCalls } from '../generated/controlCalls.ts';
import { createControlClient } from '../generated/controlClient.ts';
import type { ApiError, HarFile, Journal, PlatformCreateRequest } from '../generated/controlTypes.ts';
import { version } from '../generated/operations.ts';
import { readCode } from './codes.ts';
import { openEvents } from './events.ts';
import type { ClientOptions, Control, ControlOptions, Platform } from './steeringTypes.ts';

/** A call of the control surface failed. */
export class ControlError extends Error {
  /** The status of the reply; 0 if there was no reply. */
  readonly status: number;
  /** The error's code, such as `INVALID_INPUT`, or the code of a `ClientFailure`, such as `NO_RESPONSE`. */
  readonly code: string;
  /** Further details from the sandbox. */
  readonly details: unknown;

  constructor(message: string, { status, code, details }: Pick<ApiError, 'status' | 'code'> & { details?: unknown }) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Where a sandbox is, and whose credentials steer it. */
export interface Place {
  /** Its address without a path. It is read at each use, because a port may come later. */
  readonly origin: () => string;
  readonly fetch: ServiceClientOptions['fetch'];
  readonly credentials: BasicCredentials;
  readonly controlToken: string | undefined;
}

const firstToken: BasicCredentials = { clientId: 'sandbox', clientSecret: 'sandbox' };

/**
 * Steers a platform of a sandbox over HTTP. `createSandbox()` of `countersign/sandbox` and `countersign/browser`
 * returns the same as `control`.
 * @throws TypeError if the url isn't absolute, or if the clientId contains a colon (RFC 7617).
 */
export function createControl({ url, credentials = firstToken, controlToken, fetch }: ControlOptions): Control {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(`url is the address of a sandbox, such as http://localhost:4010, not "${url}".`);
  }
  const root = rootOf(url);
  if (credentials.clientId.includes(':')) throw new TypeError('A clientId cannot contain a colon (RFC 7617)');
  return steer({ origin: () => root, fetch, credentials, controlToken });
}

/** The root of a sandbox's address, without any path behind it. */
function rootOf(url: string): string {
  return url.replace(/[/]+$/, '').replace(/[/](?:\d{4}-\d{2}-\d{2}|__sandbox)$/, '');
}

/** The base address of the interface, for any address of a sandbox. */
export function baseUrlOf(url: string): string {
  return `${rootOf(url)}/${version}`;
}

/** The control client for a place. */
export function steer(place: Place): Control {
  const groups: Record<string, Record<string, (...given: unknown[]) => unknown>> = {};
  for (const facts of controlCalls) {
    groups[facts.group] ??= {};
    groups[facts.group]![facts.name] = (...given) => {
      const { init, options } = readArguments(facts, given);
      if (facts.reply === 'events') {
        return openEvents(send(place, facts, { ...init, parseAs: 'stream' }, options), options.signal);
      }
      return send(place, facts, facts.reply === 'text' ? { ...init, parseAs: 'text' } : init, options);
    };
  }
  return withSteps(groups as unknown as ControlCalls, place);
}

/** Adds the methods that aren't one operation. */
function withSteps(calls: ControlCalls, place: Place): Control {
  const { clock, journal, outbox } = calls;
  return {
    ...calls,
    clock: {
      ...clock,
      advance: (seconds, options) => clock.update({ advanceSeconds: seconds }, options),
      freeze: (isFrozen = true, options) => clock.update({ freeze: isFrozen }, options),
      set: (instant, options) => clock.update({ set: new Date(instant).toISOString() }, options),
    },
    journal: {
      ...journal,
      get: (query, options) => journal.get(query, options) as Promise<Journal>,
      har: (query, options) => journal.get({ ...query, format: 'har' }, options) as Promise<HarFile>,
    },
    outbox: {
      ...outbox,
      code: (wanted, options) => readCode({ ...calls, listen: (more) => listen(place, more) }, wanted, options),
    },
    client: (options) => clientOf(place, options),
    platform: async (request) => openPlatform(place, calls, request),
  };
}

/** A client of the interface for a place. */
export function clientOf(place: Place, { credentials = place.credentials }: ClientOptions = {}): ServiceClient {
  const { fetch } = place;
  return createServiceClient({ baseUrl: baseOf(place), fetch, ...(credentials === null ? {} : { credentials }) });
}

function baseOf({ origin }: Place): string {
  return baseUrlOf(origin());
}

async function openPlatform(
  parent: Place,
  { platforms }: ControlCalls,
  request: PlatformCreateRequest = {},
): Promise<Platform> {
  const { platformId, proofs, clientId, clientSecret } = await platforms.create(request);
  const credentials = { clientId, clientSecret };
  const place = { ...parent, credentials };
  const control = steer(place);
  let ended: Promise<void> | undefined;
  return {
    platformId,
    proofs,
    credentials,
    control,
    get url() {
      return baseOf(place);
    },
    client: (options) => clientOf(place, options),
    close: () => (ended ??= control.platforms.delete()),
  };
}

function readArguments({ inPath, hasBody, hasQuery }: ControlCallFacts, given: readonly unknown[]) {
  const left = [...given];
  const path = Object.fromEntries(inPath.map((name) => [name, left.shift()]));
  const body = hasBody ? left.shift() : undefined;
  const query = hasQuery ? left.shift() : undefined;
  const options = (left.shift() ?? {}) as CallOptions;
  return { init: { params: { path, query }, ...(body === undefined ? {} : { body }) }, options };
}

/** Listens to the events of a platform. @returns when the sandbox is ready to send them */
async function listen(place: Place, options: CallOptions) {
  const facts = controlCalls.find(({ reply }) => reply === 'events') as ControlCallFacts;
  const stream = await send(place, facts, { parseAs: 'stream' }, options);
  return openEvents(Promise.resolve(stream), options.signal);
}

/** Any operation of a client. The types are checked where the call is declared. */
type AnyRequest = (
  method: string,
  path: string,
  init: object,
) => Promise<{ readonly data?: unknown; readonly error?: ApiError; readonly response: Response }>;

async function send(place: Place, facts: ControlCallFacts, init: object, { signal }: CallOptions) {
  const { fetch, controlToken } = place;
  const operator = controlToken === undefined ? undefined : { controlToken };
  const credentials = { manager: place.credentials, operator, anyone: undefined }[facts.caller];
  const client = createControlClient({
    baseUrl: place.origin(),
    ...(credentials ? { credentials } : {}),
    ...(fetch && { fetch }),
  });
  const request = client.request as unknown as AnyRequest;
  const { data, error } = await request(facts.method.toLowerCase(), facts.path, { ...init, ...(signal && { signal }) });
  if (error === undefined) return data;
  if (error.code === ('ABORTED' as string)) signal?.throwIfAborted();
  throw new ControlError(`${facts.group}.${facts.name}(): ${error.message}${remedyFor(error, facts, place)}`, error);
}

/** Says what to do about an error that the sandbox itself can't explain. */
function remedyFor({ status, code }: ApiError, { caller }: ControlCallFacts, { origin, fetch }: Place): string {
  if (status === 401 && caller === 'operator') {
    return ' Give the controlToken that the sandbox was started with (--control-token).';
  }
  if (status === 401) return " Give the credentials of one of the platform's tokens, which must have MANAGE.";
  const failure: string = code;
  if (failure === 'NO_RESPONSE' && fetch === undefined) {
    return `. Start a sandbox there (npx countersign start), or give the url of one that runs.`;
  }
  if (failure === 'UNREADABLE_RESPONSE') return `. Is a sandbox at ${origin()}? Give the url of one.`;
  return '';
}
