/** Calls the interface, and for a tester the control surface, at their addresses. */
import type { McpTool } from '../generated/mcpTools.ts';

/** A request for a tool, or to read a resource. */
export interface Asked {
  readonly surface: McpTool['surface'];
  readonly method: string;
  /** Relative to the base address, encoded, with its query. */
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Ends the wait of a read. A payment is never aborted, because it may have been made anyway. */
  readonly signal?: AbortSignal | undefined;
}

export interface Answered {
  readonly status: number;
  /** Parsed; undefined if there is no content. */
  readonly body: unknown;
  /** Whether this is the stored answer of an earlier request with the same key. */
  readonly isReplay: boolean;
}

/** No answer came, or none that can be read. The outcome is unknown. */
export class NoAnswer extends Error {}

export interface Service {
  /** @throws NoAnswer */
  ask(asked: Asked): Promise<Answered>;
  /**
   * Reads for a watcher and not for the model. At a sandbox it leaves no trace: no entry in the journal, no use of a
   * planted fault.
   * @param address relative to the base address, like that of a request
   * @throws NoAnswer
   */
  watch(address: string): Promise<Answered>;
  /** Waits for all requests that have no answer yet. */
  settled(): Promise<void>;
}

export interface ServiceParts {
  /** The base address of the interface. */
  readonly base: string;
  /**
   * The base address of a sandbox's door for watchers. `unsure` asks first whether there is one, because another
   * service has none, and an older sandbox neither. If absent, watchers read at `base`.
   */
  readonly door?: { readonly base: string; readonly isSure: boolean };
  readonly fetch: (request: Request) => Promise<Response>;
  readonly accessToken: string;
  /** The base address of the control surface, and `Basic …` with a token of the platform. For a tester only. */
  readonly platform?: { readonly control: string; readonly authorization: string } | undefined;
}

/** How long to wait for an answer, in milliseconds. */
const patienceMs = 60_000;
const maxReplyBytes = 8 * 1024 * 1024;

/** Sends the agent's requests with its token, and the platform's with the platform's own token. */
export function createService({ base, door, fetch, accessToken, platform }: ServiceParts): Service {
  const open = new Set<Promise<unknown>>();
  const send = async (
    { surface, method, address, headers, body, signal }: Asked,
    interfaceBase = base,
  ): Promise<Answered> => {
    const isAgents = surface === 'interface' && address.startsWith('/agents/me');
    const authorization = isAgents ? `Bearer ${accessToken}` : platform?.authorization;
    const patience = AbortSignal.timeout(patienceMs);
    const request = new Request(`${surface === 'control' ? platform?.control : interfaceBase}${address}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would send the token somewhere else.
      redirect: 'error',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
    });
    const response = await fetch(request);
    const text = await response.text();
    if (text.length > maxReplyBytes) throw new Error('The reply is too large');
    const isReplay = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), isReplay };
  };
  const ask = async (asked: Asked, interfaceBase?: string): Promise<Answered> => {
    const answer = send(asked, interfaceBase).catch(() => {
      // The runtime's own message may contain the address and its query.
      throw new NoAnswer('No answer that can be read has come.');
    });
    open.add(answer);
    try {
      return await answer;
    } finally {
      open.delete(answer);
    }
  };
  let watchBase = door === undefined ? base : door.isSure ? door.base : undefined;
  return {
    ask: (asked) => ask(asked),
    async watch(address) {
      if (watchBase === undefined && door !== undefined) {
        const isThere = await hasDoor(door.base, fetch, (path) => ask(read(path), door.base));
        // Without an answer it asks again the next time.
        if (isThere !== undefined) watchBase = isThere ? door.base : base;
      }
      return ask(read(address), watchBase);
    },
    async settled() {
      await Promise.allSettled(open);
    },
  };
}

function read(address: string): Asked {
  return { surface: 'interface', method: 'GET', address };
}

/**
 * Whether there is a door at an address. First it asks without the token, so that the token isn't sent where nothing
 * says that it belongs.
 * @returns undefined if no answer tells
 */
async function hasDoor(
  base: string,
  fetch: ServiceParts['fetch'],
  ask: (address: string) => Promise<Answered>,
): Promise<boolean | undefined> {
  const address = '/agents/me';
  try {
    const request = new Request(base + address, { method: 'OPTIONS', redirect: 'error' });
    const { status, headers } = await fetch(request);
    if (status >= 500) return undefined;
    if (status !== 204 || !/\bGET\b/.test(headers.get('allow') ?? '')) return false;
    const answered = await ask(address);
    if (answered.status === 401 || answered.status >= 500) return undefined;
    return answered.status === 200;
  } catch {
    return undefined;
  }
}
