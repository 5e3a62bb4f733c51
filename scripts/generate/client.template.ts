import createOpenapiClient, { type Client, type Middleware } from 'openapi-fetch';
import { findUnkeptNumber } from '../../contract/numbers.ts';
import type { paths } from '../../generated/types.ts';

/** The service's address and the caller's credentials. */
export interface ServiceClientOptions {
  /** The base address with its version, for example `http://localhost:4010/2025-10-13`. A trailing slash is fine. */
  readonly baseUrl: string;
  /**
   * An API token's two halves (HTTP Basic), or an agent's access token (HTTP Bearer). A page behind a relay needs none,
   * because the relay holds the token and adds it.
   */
  readonly credentials?: BasicCredentials | BearerCredentials | undefined;
  /** Used instead of the global `fetch`, for example to call a sandbox in the same process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface BasicCredentials {
  /** May not contain a colon (RFC 7617). */
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface BearerCredentials {
  readonly accessToken: string;
}

/**
 * What `error` holds if there was no answer that fits the contract: something between client and service answered,
 * nothing answered, or the caller aborted. Its `code` distinguishes it from the contract's errors.
 */
export type ClientFailure = UnreadableResponse | NoResponse | Aborted;

/**
 * An answer came, but its body is empty or doesn't fit the contract. A body with a number that JavaScript would round
 * is unreadable too, because an amount must never change. The request may still have done its work.
 */
export interface UnreadableResponse {
  readonly code: 'UNREADABLE_RESPONSE';
  /** The status that was received. */
  readonly status: number;
  /** For a log or a developer; programs must not parse it. */
  readonly message: string;
  /** The start of the unreadable body, at most 1,000 characters. */
  readonly body?: string;
}

/** The connection failed before the whole answer arrived. */
export interface NoResponse {
  readonly code: 'NO_RESPONSE';
  readonly status: 0;
  /** For a log or a developer; programs must not parse it. */
  readonly message: string;
}

/** The request's own signal aborted it. */
export interface Aborted {
  readonly code: 'ABORTED';
  readonly status: 0;
  /** For a log or a developer; programs must not parse it. */
  readonly message: string;
}

/** The contract's paths. Each operation may also end in a `ClientFailure`. */
export type ServicePaths = {
  [Path in keyof paths]: {
    [Method in keyof paths[Path]]: WithClientFailure<paths[Path][Method]>;
  };
};

/** A typed client for every operation of the contract: paths, parameters, bodies and replies. */
export type ServiceClient = Client<ServicePaths>;

type WithClientFailure<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Key in keyof Operation]: Key extends 'responses'
        ? Responses & { '5XX': { headers: Record<string, unknown>; content: { 'application/json': ClientFailure } } }
        : Operation[Key];
    }
  : Operation;

// If there is no usable answer, openapi-fetch still needs a response that isn't a success. No server sends this status.
const standInStatus = 599;

const bodyExcerptLength = 1000;

/**
 * Makes a client for the service. Each call resolves to `{ data, response }` or to `{ error, response }`. It never
 * throws because of a network failure or an unexpected answer. On failure `error` is an `ApiError` of the contract or a
 * `ClientFailure`, and never empty. The only exception is HEAD: its answers have no body, so check `response.ok`. If
 * there is no usable answer, `response.status` is 599 and `error.status` is the status that was received.
 *
 * A path parameter must be a string that can be one segment of the path. A call with any other value (empty, `.`, `..`,
 * missing) sends nothing and rejects with a TypeError, because it would reach the address of another operation.
 *
 * Works in browsers and in Node.
 *
 * @throws TypeError if the `clientId` contains a colon, which HTTP Basic can't carry (RFC 7617, section 2).
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const client = createOpenapiClient<ServicePaths>({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    ...(options.credentials && { headers: { Authorization: authorization(options.credentials) } }),
    // Looked up at each call, because a test often replaces `fetch` (Mock Service Worker) after it makes the client.
    fetch: options.fetch ?? ((request) => fetch(request)),
  });
  client.use(failures);
  return client;
}

function authorization(credentials: BasicCredentials | BearerCredentials): string {
  if ('accessToken' in credentials) return `Bearer ${credentials.accessToken}`;
  if (credentials.clientId.includes(':')) throw new TypeError('A clientId cannot contain a colon (RFC 7617)');
  // btoa takes one character per byte, so text beyond Latin-1 must become UTF-8 bytes first.
  const bytes = new TextEncoder().encode(`${credentials.clientId}:${credentials.clientSecret}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

const failures: Middleware = {
  onRequest({ request, schemaPath, params }) {
    for (const [, name = ''] of schemaPath.matchAll(/\{([^}]+)\}/g)) {
      const value: unknown = params.path?.[name];
      if (isSegment(value)) continue;
      const found = value === undefined ? 'missing' : JSON.stringify(value);
      throw new TypeError(
        `${request.method} ${schemaPath}: ${name} is ${found}, which can't be a segment of a path; nothing was sent`,
      );
    }
  },
  async onResponse({ request, response, options }) {
    if (request.method === 'HEAD' || response.status === 204) return undefined;
    // A caller that asks for a stream or a blob reads a success itself.
    if (response.ok && options.parseAs !== 'json') return undefined;
    let text: string;
    try {
      text = await response.clone().text();
    } catch (error) {
      return failedRequest(request, error);
    }
    const value = parseObject(text);
    const rounded = response.ok && value !== undefined ? findUnkeptNumber(text) : undefined;
    if (rounded === undefined && (response.ok ? value !== undefined : isApiError(value))) return undefined;
    const says =
      rounded === undefined ? describe(response, text) : `the number ${rounded}, which can't be kept exactly`;
    return standIn(
      {
        status: response.status,
        code: 'UNREADABLE_RESPONSE',
        message: `${request.method} ${request.url} was answered with ${response.status} and ${says}`,
        ...(text !== '' && { body: text.slice(0, bodyExcerptLength) }),
      },
      response,
    );
  },
  onError({ request, error }) {
    return failedRequest(request, error);
  },
};

function failedRequest(request: Request, error: unknown): Response {
  if (request.signal.aborted) {
    const message = `${request.method} ${request.url} was aborted: ${reasonText(request.signal.reason)}`;
    return standIn({ status: 0, code: 'ABORTED', message });
  }
  const message = `${request.method} ${request.url} got no answer: ${reasonText(error)}`;
  return standIn({ status: 0, code: 'NO_RESPONSE', message });
}

function standIn(failure: ClientFailure, received?: Response): Response {
  const headers = new Headers(received?.headers);
  // These headers describe the received body, not the one that replaces it.
  for (const name of ['Content-Encoding', 'Content-Length', 'Transfer-Encoding']) headers.delete(name);
  headers.set('Content-Type', 'application/json');
  const status = received !== undefined && received.status >= 400 ? received.status : standInStatus;
  return new Response(JSON.stringify(failure), { status, headers });
}

/** Whether a value can be one path segment. URL parsers resolve dot segments, even if the dots are escaped. */
function isSegment(value: unknown): boolean {
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isText && !['', '.', '..'].includes(String(value));
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

// A replaced error passes too: it has been through `onError` and must not be replaced again.
function isApiError(value: object | undefined): boolean {
  const { status, code, message } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof status === 'number' && typeof code === 'string' && typeof message === 'string';
}

function describe(response: Response, text: string): string {
  if (text.trim() === '') return 'an empty body';
  return `a body that doesn't fit the contract (${response.headers.get('Content-Type') ?? 'no content type'})`;
}

function reasonText(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.cause instanceof Error ? `${reason.message} (${reason.cause.message})` : reason.message;
}
