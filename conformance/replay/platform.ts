/**
 * Where a recording is replayed: on a new platform if the address has a control surface, otherwise at the address
 * itself.
 */
import { basePath } from '../../contract/match.ts';

/** Sends a request. */
export type Fetch = (request: Request) => Promise<Response>;

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the platform must be like. */
export interface Wanted {
  readonly fetch: Fetch;
  /** The base address with its version. */
  readonly base: string;
  readonly proofs: 'magic' | 'real';
  /** The initial data: a name, or the content of a file. */
  readonly world: unknown;
  /** The control token of an address beyond this machine. */
  readonly controlToken?: string | undefined;
  /** Used if the address has no control surface. */
  readonly credentials: Credentials;
  /** When the recording started. The clock is set to it, unless it is already later. */
  readonly start: number;
}

/** Where a recording is replayed. */
export interface Platform {
  readonly base: string;
  readonly fetch: Fetch;
  readonly credentials: Credentials;
  readonly proofs: 'magic' | 'real';
  /** What only a platform with a control surface can do. */
  readonly steering: Steering | undefined;
}

export interface Steering {
  /** When the replay started, by the platform's clock, which stands still. */
  readonly startedAt: number;
  advance(seconds: number): Promise<void>;
  /** The newest one-time code for a wallet. */
  code(accountId: string): Promise<string | undefined>;
  /** A token of the platform's own issuer. */
  idToken(claims: object): Promise<string>;
  /** Deletes the platform. */
  close(): Promise<void>;
}

/** No platform can be created. The message says what to do. */
export class NoPlatform extends Error {}

/** Creates a platform for the recording, if the address can. @throws NoPlatform */
export async function openPlatform(wanted: Wanted): Promise<Platform> {
  const { base, fetch, proofs, world, controlToken, credentials } = wanted;
  const control = `${base.slice(0, -basePath.length)}/__sandbox`;
  const bearer = controlToken === undefined ? {} : { Authorization: `Bearer ${controlToken}` };
  const made = await call(fetch, 'POST', `${control}/platforms`, { proofs, world }, bearer);
  if (made.status === 401 && isOurs(made.body)) {
    throw new NoPlatform(`${base} asks for its control token. Give it with --control-token.`);
  }
  if (made.status === 400 && isOurs(made.body)) throw new NoPlatform(`--world: ${(made.body as ApiError).message}`);
  if (made.status !== 201) return { base, fetch, credentials, proofs, steering: undefined };
  const own = made.body as Credentials;
  const steering = await steer(fetch, control, own, wanted.start);
  return { base, fetch, credentials: own, proofs, steering };
}

interface ApiError {
  readonly code: string;
  readonly message: string;
}

function isOurs(body: unknown): boolean {
  const { code, message } = (body ?? {}) as Partial<ApiError>;
  return typeof code === 'string' && typeof message === 'string';
}

async function steer(fetch: Fetch, control: string, own: Credentials, start: number): Promise<Steering> {
  const headers = { Authorization: basic(own) };
  const must = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await call(fetch, method, control + path, body, headers);
    if (reply.status < 300) return reply.body;
    const said = isOurs(reply.body) ? `: ${(reply.body as ApiError).message}` : '';
    throw new NoPlatform(`${method} ${control}${path} was answered with ${reply.status}${said}`);
  };
  const readClock = (clock: unknown): number => Date.parse((clock as { now: string }).now);
  const now = readClock(await must('POST', '/clock', { freeze: true }));
  const set = { set: new Date(start).toISOString() };
  const startedAt = start > now ? readClock(await must('POST', '/clock', set)) : now;
  return {
    startedAt,
    advance: async (seconds) => void (await must('POST', '/clock', { advanceSeconds: seconds })),
    async code(accountId) {
      const { data } = (await must('GET', '/outbox')) as { data: { accountId: string; code: string }[] };
      return data.find((message) => message.accountId === accountId)?.code;
    },
    idToken: async (claims) => ((await must('POST', '/oidc/token', claims)) as { idToken: string }).idToken,
    close: async () => void (await must('DELETE', '/platform').catch(() => undefined)),
  };
}

/** The `Authorization` header for credentials. */
export function basic({ clientId, clientSecret }: Credentials): string {
  const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

async function call(
  fetch: Fetch,
  method: string,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const sent =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(new Request(url, { method, ...sent })).catch((error: unknown) => {
    throw new NoPlatform(`${url} can't be reached: ${reasonOf(error)}`);
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

/** Why a request failed, as the system says it. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? inner ?? message;
}
