/** Serves MCP on one connection, such as stdio, for one agent. */
import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
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
  const watch = createWatch(session, pulse);
  const servers = new Set<ReturnType<typeof createMcpServer>>();
  const uris = new Set<string>();
  let stop: (() => void) | undefined;
  const listen = async (more: readonly string[]): Promise<void> => {
    await watch.prepare(more);
    // The SDK sends only the updates that its client listens to, and drops the rest.
    stop ??= watch.listen((uri) => {
      for (const server of servers) {
        if (hears(server, uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
      }
    });
  };
  const legacy = new WeakSet<object>();
  const hears = (server: object, uri: string): boolean => !legacy.has(server) || uris.has(uri);
  const { close } = serveStdio(
    ({ era }) => {
      const server = createMcpServer(session, {
        async add(uri) {
          await listen([uri]);
          uris.add(uri);
        },
        remove: (uri) => void uris.delete(uri),
      });
      if (era === 'legacy') legacy.add(server);
      servers.add(server);
      return server;
    },
    { transport: observeSubscriptions(transport, listen), onerror },
  );
  return async () => {
    stop?.();
    await close();
  };
}

/**
 * Wraps a transport to learn, before the SDK does, which resources a client of 2026 is about to listen to: the SDK
 * doesn't tell.
 */
function observeSubscriptions(inner: Transport, prepare: (uris: readonly string[]) => Promise<void>): Transport {
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
    if (uris === undefined) pass();
    else void prepare(uris).then(pass);
  };
  return outer;
}
