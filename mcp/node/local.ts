/** Serves MCP on one connection, such as stdio, for one agent. */
import type { JSONRPCMessage, MessageExtraInfo, RequestId, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { cancelledBy, idsOf } from '../legacySession.ts';
import { readWatched } from '../resources.ts';
import { createMcpServer } from '../server.ts';
import type { AgentSession } from '../session.ts';
import { createWatch, listenedTo, type Pulse } from '../watch.ts';

export interface LocalParts {
  readonly transport: Transport;
  /** Signals when something of the agent may have changed. */
  readonly pulse: Pulse;
  /** Receives errors that aren't part of an answer. */
  readonly onerror: (error: Error) => void;
}

/** Serves the agent until the connection ends. @returns a function that ends it */
export function serveAgent(session: AgentSession, { transport, pulse, onerror }: LocalParts): () => Promise<void> {
  const servers = new Set<ReturnType<typeof createMcpServer>>();
  /** What ends the watching: for a client of 2025 by resource, for one of 2026 by the id of its request. */
  const held = new Map<unknown, () => void>();
  const legacy = new WeakSet<object>();
  const watch = createWatch({
    async read(uri) {
      const answered = await readWatched(uri, session.service);
      return answered?.status === 200 ? JSON.stringify(answered.body) : undefined;
    },
    pulse,
    tell(uri) {
      for (const server of servers) {
        // The SDK sends a client of 2026 only what it listens to.
        if (!legacy.has(server) || held.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
      }
    },
  });
  const release = (key: unknown): void => {
    held.get(key)?.();
    held.delete(key);
  };
  const hold = async (key: unknown, uris: readonly string[]): Promise<void> => {
    const end = await watch.hold(uris);
    release(key);
    held.set(key, end);
  };
  const { close } = serveStdio(
    ({ era }) => {
      const server = createMcpServer(session, { add: (uri) => hold(uri, [uri]), remove: release });
      if (era === 'legacy') legacy.add(server);
      servers.add(server);
      return server;
    },
    { transport: observeSubscriptions(transport, { hold, release }), onerror },
  );
  return async () => {
    for (const key of [...held.keys()]) release(key);
    await close();
  };
}

/**
 * Wraps a transport to learn, before the SDK does, which resources a client of 2026 is about to listen to: the SDK
 * doesn't tell.
 */
function observeSubscriptions(inner: Transport, { hold, release }: Holding): Transport {
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  };
  inner.onclose = () => outer.onclose?.();
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    const uris = listenedTo(message);
    const pass = (): void => outer.onmessage?.(message, extra);
    for (const id of cancelledBy(message)) release(requestKey(id));
    if (uris === undefined) pass();
    // What can't be watched is not watched, and the SDK answers the request.
    else void hold(requestKey(idsOf(message)[0]), uris).then(pass, pass);
  };
  return outer;
}

interface Holding {
  readonly hold: (key: string, uris: readonly string[]) => Promise<void>;
  readonly release: (key: string) => void;
}

/** Differs from every address of a resource. */
function requestKey(id: RequestId | undefined): string {
  return JSON.stringify([id]);
}
