/** Calls the interface, and for a tester the control surface, at whatever address they are. */
import type { McpTool } from '../generated/mcpTools.ts';

/** What is sent for a tool, or to read a resource. */
export interface Asked {
  readonly surface: McpTool['surface'];
  readonly method: string;
  /** Below the base address, encoded, with its query. */
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Ends the wait of a read. A payment is never broken off: it may have been made anyway. */
  readonly signal?: AbortSignal | undefined;
}

export interface Answered {
  readonly status: number;
  /** Parsed; undefined for no content. */
  readonly body: unknown;
  /** Whether this is the answer of an earlier request with the same key. */
  readonly isReplay: boolean;
}

/** No answer has come, or none that can be read: nobody knows what has happened. */
export class NoAnswer extends Error {}

export interface Service {
  /** @throws NoAnswer */
  ask(asked: Asked): Promise<Answered>;
  /** Waits for what was sent and has no answer yet. */
  settled(): Promise<void>;
}

export interface ServiceParts {
  /** The base address of the interface. */
  readonly base: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly accessToken: string;
  /** The base address of the control surface, and `Basic …` of a token of the platform; for a tester. */
  readonly platform?: { readonly control: string; readonly authorization: string } | undefined;
}

/** How long an answer is waited for, in milliseconds. */
const patienceMs = 60_000;
const maxReplyBytes = 8 * 1024 * 1024;

/** Requests of the agent go out with its token; those of the platform with the platform's own. */
export function createService({ base, fetch, accessToken, platform }: ServiceParts): Service {
  const open = new Set<Promise<unknown>>();
  const send = async ({ surface, method, address, headers, body, signal }: Asked): Promise<Answered> => {
    const isAgents = surface === 'interface' && address.startsWith('/agents/me');
    const authorization = isAgents ? `Bearer ${accessToken}` : platform?.authorization;
    const patience = AbortSignal.timeout(patienceMs);
    const request = new Request(`${surface === 'control' ? platform?.control : base}${address}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The token goes nowhere else.
      redirect: 'error',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
    });
    const response = await fetch(request);
    const text = await response.text();
    if (text.length > maxReplyBytes) throw new Error('The reply is too large');
    const isReplay = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), isReplay };
  };
  return {
    async ask(asked) {
      const answer = send(asked).catch(() => {
        // What a runtime says of it may name the address with what is in it.
        throw new NoAnswer('No answer that can be read has come.');
      });
      open.add(answer);
      try {
        return await answer;
      } finally {
        open.delete(answer);
      }
    },
    async settled() {
      await Promise.allSettled(open);
    },
  };
}
