/**
 * MCP over HTTP (Streamable HTTP), for any number of agents. Only the token gives access to what belongs to an agent,
 * so a session id alone gives none.
 */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer } from './server.ts';
import type { AgentSession, AskAbove } from './session.ts';
import { createWatch, listenedTo, type Pulse, type Watch } from './watch.ts';

/** Who sent a request, and when its user is asked. */
export interface Caller {
  readonly accessToken: string;
  readonly askAbove: AskAbove;
}

export interface EndpointParts<C extends Caller> {
  /** Creates the session of an agent whose token was accepted. */
  readonly open: (caller: C) => AgentSession;
  /** Signals when something of the agent may have changed. */
  readonly pulse: (caller: C) => Pulse;
  /** Set only by tests. */
  readonly bounds?: typeof endpointBounds;
}

export interface Endpoint<C extends Caller> {
  /**
   * Handles an agent's request. The caller has checked the token.
   * @param parsed its JSON body, undefined if it has none or one that isn't JSON
   */
  answer(request: Request, caller: C, parsed: unknown): Promise<Response>;
  /** Ends all sessions and streams. */
  close(): void;
}

/** How many agents are kept, and how many sessions of each. The least recently used is dropped first. */
export const endpointBounds = { agents: 100, sessions: 20 };

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  close(): void;
}

/** The state of one agent. */
interface Place {
  readonly session: AgentSession;
  readonly modern: McpHttpHandler;
  readonly watch: Watch;
  /** The sessions of clients with a protocol of 2025, by id. */
  readonly sessions: Map<string, Session>;
}

export function createEndpoint<C extends Caller>({
  open,
  pulse,
  bounds = endpointBounds,
}: EndpointParts<C>): Endpoint<C> {
  const places = new Map<string, Place>();
  const placeOf = (caller: C): Place => {
    const key = `${caller.askAbove} ${caller.accessToken}`;
    const found = places.get(key) ?? openPlace(open(caller), pulse(caller));
    // A map keeps the order of its entries, so the last entry is the most recently used.
    places.delete(key);
    places.set(key, found);
    const [oldest] = places;
    if (places.size > bounds.agents && oldest !== undefined) {
      places.delete(oldest[0]);
      closePlace(oldest[1]);
    }
    return found;
  };
  return {
    async answer(request, caller, parsed) {
      const place = placeOf(caller);
      const isLegacy = request.method !== 'POST' || (await isLegacyRequest(request, parsed));
      if (!isLegacy) {
        const uris = listenedTo(parsed);
        if (uris !== undefined) await place.watch.prepare(uris);
        return place.modern.fetch(request, { parsedBody: parsed });
      }
      return answerLegacy(place, request, parsed, bounds.sessions);
    },
    close() {
      for (const place of places.values()) closePlace(place);
      places.clear();
    },
  };
}

function openPlace(session: AgentSession, pulse: Pulse): Place {
  const watch = createWatch(session, pulse);
  const modern = createMcpHandler(() => createMcpServer(session), { legacy: 'reject', bus: watchedBus(watch) });
  return { session, modern, watch, sessions: new Map() };
}

function closePlace({ modern, sessions }: Place): void {
  void modern.close();
  for (const { close } of sessions.values()) close();
  sessions.clear();
}

/** A bus that publishes changes while a client is subscribed. */
function watchedBus(watch: Watch): ServerEventBus {
  const bus = new InMemoryServerEventBus();
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const leave = bus.subscribe(listener);
      const stop = watch.listen((uri) => listener({ kind: 'resource_updated', uri }));
      return () => {
        stop();
        leave();
      };
    },
  };
}

async function answerLegacy(place: Place, request: Request, parsed: unknown, most: number): Promise<Response> {
  const id = request.headers.get('mcp-session-id');
  if (id !== null) {
    const found = place.sessions.get(id);
    if (found === undefined) return refuse(404, -32001, 'This token has no such session. Initialize again.');
    place.sessions.delete(id);
    place.sessions.set(id, found);
    return found.transport.handleRequest(request, { parsedBody: parsed });
  }
  const isFirst = [parsed].flat().some((message) => isInitializeRequest(message));
  if (!isFirst && parsed !== undefined)
    return refuse(400, -32000, 'Initialize first, and send the Mcp-Session-Id that you get.');
  const { transport, connect } = openSession(place, most);
  await connect();
  return transport.handleRequest(request, parsed === undefined ? {} : { parsedBody: parsed });
}

function openSession(place: Place, most: number) {
  const { session, sessions, watch } = place;
  const uris = new Set<string>();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized(id) {
      sessions.set(id, { transport, close });
      const [oldest] = sessions;
      if (sessions.size > most && oldest !== undefined) {
        sessions.delete(oldest[0]);
        oldest[1].close();
      }
    },
    onsessionclosed(id) {
      sessions.delete(id);
      close();
    },
  });
  let stop: (() => void) | undefined;
  const server = createMcpServer(session, {
    async add(uri) {
      await watch.prepare([uri]);
      uris.add(uri);
      stop ??= watch.listen((changed) => {
        if (uris.has(changed)) void server.sendResourceUpdated({ uri: changed }).catch(() => {});
      });
    },
    remove(uri) {
      uris.delete(uri);
      if (uris.size > 0) return;
      stop?.();
      stop = undefined;
    },
  });
  const close = (): void => {
    stop?.();
    stop = undefined;
    void server.close().catch(() => {});
  };
  return { transport, connect: () => server.connect(transport) };
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
