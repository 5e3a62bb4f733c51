/** Opens sandboxes for all suites: new, in process, in memory, with a clock that only a test moves. */
import { onTestFinished } from 'vitest';
import { loadContract } from '../../../contract/file.ts';
import { basePath } from '../../../contract/match.ts';
import { createServiceClient, type ServiceClient } from '../../../generated/client.ts';
import type { ApiError } from '../../../generated/types.ts';
import { type ExchangeHandler, noAnswer, urlOf } from '../../../mocks/exchange/exchange.ts';
import { toFetch } from '../../../mocks/exchange/web.ts';
import { createSandbox, type SandboxParts } from '../../../mocks/sandbox/app.ts';
import { seededChance } from '../../../mocks/sandbox/tools/chance.ts';
import type { WebApp } from '../../../mocks/sandbox/transport/front.ts';
import { openInPage, type PartsForPage, StoreInPage } from '../browser/inPage.ts';
import { toAnswered } from '../ledger/answered.ts';
import { checkControlReply } from '../ledger/controlReplies.ts';
import { noteAnswer, watchForLedger } from '../ledger/coverage.ts';
import { openStore } from './database.ts';
import type { PlantedChance } from './plantedChance.ts';

// Compiling validators is most of the cost of a new sandbox. They hold no state, so a file's sandboxes share them.
const contract = loadContract();

/** The time of the machine's clock in tests. */
export const startOfTime = Date.UTC(2025, 9, 13, 9);
export const origin = 'http://localhost:4010';
export const baseUrl = origin + basePath;

export interface LogLine {
  readonly line: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface TestSandbox {
  /** The generated client with the default platform's token. */
  readonly client: ServiceClient;
  /** The generated client with other credentials. */
  as(clientId: string, clientSecret: string): ServiceClient;
  /**
   * Sends a raw request; `path` is relative to the base address. Credentials are sent unless `authorization` is given.
   */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Sends one to the control surface; `path` is relative to `/__sandbox`. */
  control(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Sends a request unchanged, for tests of the transport: whole address, nothing added. */
  fetch(request: Request): Promise<Response>;
  /** Moves the platform's clock forward. */
  advance(seconds: number): Promise<void>;
  /** The platform's time. */
  now(): Promise<string>;
  /** The sandbox's log so far. */
  readonly log: LogLine[];
  /** What a server asks the app for, if a test puts the sandbox on a port. */
  readonly onPort: Partial<WebApp>;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Sent unchanged, instead of `body` as JSON. */
  readonly text?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null` sends none. */
  readonly authorization?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
  readonly body: any;
}

/** A new sandbox, closed when the test ends. `parts` replaces parts of it with a test's own. */
export async function openSandbox(parts: Partial<SandboxParts> = {}): Promise<TestSandbox> {
  const log: LogLine[] = [];
  const store = parts.store ?? (await openStore());
  if (store instanceof StoreInPage) {
    if (parts.store === undefined) onTestFinished(() => store.close());
    return sandboxOver(await openInPage(store, startOfTime, partsForPage(parts), log), log);
  }
  // Answers of a test's own handler or contract prove nothing about ours, except that a breach becomes a 500.
  const isPlanted = parts.handlers !== undefined || parts.contract !== undefined;
  const watched = isPlanted ? undefined : watchForLedger();
  const app = await createSandbox({
    store,
    clock: { now: () => startOfTime },
    chance: seededChance(1),
    contract,
    log: { info: (line) => log.push({ line }), error: (line, facts) => log.push({ line, facts }) },
    ...(watched === undefined ? {} : { handlers: watched.handlers }),
    ...parts,
  });
  if (parts.store === undefined) onTestFinished(() => store.close());

  const answer: ExchangeHandler = async (request) => {
    const reply = await app.answer(request);
    if (request.method !== 'GET') watched?.changed();
    // Only a file is a stream, and a stream proves nothing about a contract.
    const isWritten = reply.content === undefined || typeof reply.content === 'string';
    if (isWritten && reply.status !== noAnswer.status) {
      const [asked, answered] = [{ method: request.method, url: urlOf(request) }, toAnswered(reply, request.method)];
      if (!isPlanted) await checkControlReply(asked, answered);
      if (!isPlanted || reply.status === 500) await noteAnswer(asked, answered);
    }
    return reply;
  };
  const fetch = toFetch(answer);
  return sandboxOver(fetch, log, { ...app, answer, fetch });
}

/** @throws Error for a part that JSON can't express, such as a handler: such a test can't run in a page. */
function partsForPage({ store: _, chance, ...parts }: Partial<SandboxParts>): PartsForPage {
  const strange = Object.keys(parts).find((name) => !['proofs', 'world', 'frozenAt', 'controlToken'].includes(name));
  if (strange !== undefined) throw new Error(`A sandbox in a page can't be given this test's ${strange}.`);
  if (chance === undefined) return parts as PartsForPage;
  if (!('draws' in chance)) throw new Error("A sandbox in a page can't be given this test's chance.");
  return { ...(parts as PartsForPage), draws: (chance as PlantedChance).draws };
}

/** A sandbox behind a `fetch`, which gets requests to {@link origin}. */
export function sandboxOver(
  fetch: (request: Request) => Promise<Response>,
  log: LogLine[] = [],
  onPort: TestSandbox['onPort'] = {},
): TestSandbox {
  const as = (clientId: string, clientSecret: string): ServiceClient =>
    createServiceClient({ baseUrl, credentials: { clientId, clientSecret }, fetch });
  const request = (method: string, url: string, options: SendOptions = {}): Request => {
    const text = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const authorization = options.authorization === undefined ? basic('sandbox', 'sandbox') : options.authorization;
    const headers = new Headers({
      ...(authorization === null ? {} : { authorization }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    });
    return new Request(url, { method, headers, ...(text === undefined ? {} : { body: text }) });
  };
  const send = async (method: string, path: string, options?: SendOptions): Promise<Answer> =>
    read(await fetch(request(method, baseUrl + path, options)));
  const control = async (method: string, path: string, options?: SendOptions): Promise<Answer> =>
    read(await fetch(request(method, `${origin}/__sandbox${path}`, options)));

  return {
    client: as('sandbox', 'sandbox'),
    as,
    send,
    control,
    fetch,
    log,
    onPort,
    async advance(seconds) {
      const { status } = await control('POST', '/clock', { body: { advanceSeconds: seconds } });
      if (status !== 200) throw new Error(`The clock did not move: ${status}`);
    },
    async now() {
      return (await control('GET', '/clock')).body.now;
    },
  };
}

/** The value of an Authorization header with Basic credentials in UTF-8. */
export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

/**
 * Expects this status, or any success, from an answer that the test doesn't inspect but depends on. `answers.test.ts`
 * checks that no answer is ignored without it.
 */
export function must(answer: Pick<Answer, 'status'> & { readonly body?: unknown }, status?: number): void {
  const isExpected = status === undefined ? answer.status < 300 : answer.status === status;
  if (isExpected) return;
  throw new Error(`Expected ${status ?? 'success'}, got ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** The data of a client call, which must have succeeded. */
export function data<T>(result: { data?: T; error?: unknown; response: Response }): NonNullable<T> {
  if (result.data === undefined || result.data === null) {
    throw new Error(`Expected success, got ${result.response.status} ${JSON.stringify(result.error)}`);
  }
  return result.data;
}

/** The error of a client call, which must have been refused with the contract's error shape. */
export function refusal(result: { error?: unknown; response: Response }): ApiError {
  if (result.error === undefined) throw new Error(`Expected a refusal, got ${result.response.status}`);
  return result.error as ApiError;
}

/** The first part of an endless reply. The rest isn't read. */
async function readFirst({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

async function read(response: Response): Promise<Answer> {
  const isEndless = response.headers.get('content-type') === 'text/event-stream';
  const text = isEndless ? await readFirst(response) : await response.text();
  const isText = response.headers.get('content-type')?.startsWith('text/') ?? false;
  const body = isText ? text : text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}
