/** A session of a client with a protocol of 2025: its subscriptions, its calls, and the stream for notifications. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer } from './server.ts';
import type { AgentSession } from './session.ts';
import { TooManyWatched, type Watch } from './watch.ts';

export interface SessionParts {
  readonly session: AgentSession;
  readonly watch: Watch;
  readonly now: () => number;
  readonly onOpen: (id: string) => void;
  readonly onClose: (id: string) => void;
}

/** The maximum number of resources that one session subscribes to. */
const maxSubscribed = 50;

export interface Session {
  handle(request: Request, parsed: unknown): Promise<Response>;
  /** Notes that its client listens to notifications from now on. @returns a function that notes the end */
  listening(): () => void;
  /** Whether its client listens to notifications. */
  isOpen(): boolean;
  /**
   * Notes calls. @returns a function that notes their end, or the id that another open call has already
   */
  begin(ids: readonly RequestId[]): { readonly end: () => void } | { readonly taken: RequestId };
  /** Ends a call that its client has cancelled, or that takes too long. */
  refuse(id: RequestId, why: string): void;
  /** Tells its client of a change, if it has subscribed to the resource. */
  tell(uri: string): void;
  /** Stops reading what nobody hears of: if the client doesn't listen and has asked nothing for that time. */
  expire(idleMs: number): void;
  close(): void;
}

interface Call {
  /** Whether the transport knows it, so that it can be refused. */
  isKnown: boolean;
  refusal: string | undefined;
}

export async function openSession({ session, watch, now, onOpen, onClose }: SessionParts): Promise<Session> {
  /** The resources that it subscribes to, each with what ends the reading; undefined while nobody hears of it. */
  const uris = new Map<string, (() => void) | undefined>();
  const calls = new Map<string, Call>();
  let isListening = false;
  let usedAt = now();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: onOpen,
    onsessionclosed(id) {
      onClose(id);
      close();
    },
  });
  const hold = async (uri: string): Promise<void> => {
    const release = await watch.hold([uri]);
    // It may have been given back meanwhile.
    if (uris.has(uri) && uris.get(uri) === undefined) uris.set(uri, release);
    else release();
  };
  const release = (uri: string): void => {
    uris.get(uri)?.();
    uris.set(uri, undefined);
  };
  const releaseAll = (): void => {
    for (const uri of uris.keys()) release(uri);
  };
  const server = createMcpServer(session, {
    async add(uri) {
      if (!uris.has(uri) && uris.size >= maxSubscribed) {
        throw invalid(`A session subscribes to ${maxSubscribed} resources at most. Unsubscribe from one first.`);
      }
      if (uris.get(uri) !== undefined) return;
      uris.set(uri, undefined);
      try {
        await hold(uri);
      } catch (error) {
        uris.delete(uri);
        throw error instanceof TooManyWatched ? invalid(error.message) : error;
      }
    },
    remove(uri) {
      release(uri);
      uris.delete(uri);
    },
  });
  const tell = (uri: string): void => {
    if (uris.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
  };
  const refuse = (id: RequestId, why: string): void => {
    const call = calls.get(keyOf(id));
    if (call === undefined) return;
    call.refusal ??= why;
    if (!call.isKnown) return;
    const error = { code: ProtocolErrorCode.InternalError, message: call.refusal };
    void transport.send({ jsonrpc: '2.0', id, error }).catch(() => {});
  };
  const close = (): void => {
    releaseAll();
    uris.clear();
    void server.close().catch(() => {});
  };
  await server.connect(transport);
  return {
    async handle(request, parsed) {
      usedAt = now();
      const response = await transport.handleRequest(request, parsed === undefined ? {} : { parsedBody: parsed });
      for (const id of idsOf(parsed)) {
        const call = calls.get(keyOf(id));
        if (call === undefined) continue;
        call.isKnown = true;
        if (call.refusal !== undefined) refuse(id, call.refusal);
      }
      return response;
    },
    listening() {
      isListening = true;
      // It may have missed changes since its last stream ended.
      for (const [uri, held] of uris)
        if (held === undefined)
          void hold(uri).then(
            () => tell(uri),
            () => {},
          );
      return () => {
        isListening = false;
        usedAt = now();
        releaseAll();
      };
    },
    isOpen: () => isListening,
    begin(ids) {
      const keys = ids.map(keyOf);
      const taken = ids.find((id, index) => calls.has(keyOf(id)) || keys.indexOf(keyOf(id)) !== index);
      if (taken !== undefined) return { taken };
      for (const key of keys) calls.set(key, { isKnown: false, refusal: undefined });
      return {
        end() {
          for (const key of keys) calls.delete(key);
        },
      };
    },
    refuse,
    tell,
    expire(idleMs) {
      if (!isListening && now() - usedAt >= idleMs) releaseAll();
    },
    close,
  };
}

/** The ids of the requests in a message, or in a list of messages. */
export function idsOf(parsed: unknown): RequestId[] {
  return [parsed].flat().flatMap((message) => {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
    return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
  });
}

/** The ids of the calls that a message cancels. */
export function cancelledBy(parsed: unknown): RequestId[] {
  return [parsed].flat().flatMap((message) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
    const id = params?.requestId;
    return method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
  });
}

function keyOf(id: RequestId): string {
  return JSON.stringify(id);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
