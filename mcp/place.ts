/** What one agent has open at an endpoint: its sessions, its streams, and what they watch. */
import { createMcpHandler, InMemoryServerEventBus, type McpHttpHandler } from '@modelcontextprotocol/server';
import { openSession, type Session } from './legacySession.ts';
import { readWatched } from './resources.ts';
import { createMcpServer } from './server.ts';
import type { AgentSession, AskAbove } from './session.ts';
import { createWatch, type Pulse, type Watch } from './watch.ts';

/** An agent with all that its sessions share. */
export type SharedSession = Omit<AgentSession, 'askAbove'>;

export interface PlaceParts {
  readonly agent: SharedSession;
  readonly pulse: Pulse;
  readonly now: () => number;
  /** How many sessions of a client of 2025 it may have. */
  readonly sessions: number;
  /** Called when the service no longer knows the agent. */
  readonly onGone: () => void;
}

/** After this time without a request or an open stream, nothing is read for a session any more. */
export const idleMs = 5 * 60_000;

export class Place {
  readonly watch: Watch;
  /** The sessions of clients with a protocol of 2025, by id. The last one is the most recently used. */
  readonly sessions = new Map<string, Session>();
  readonly #parts: PlaceParts;
  readonly #modern: McpHttpHandler;
  readonly #askAbove = new WeakMap<Request, AskAbove>();
  /** Ends what is open. */
  readonly #open = new Set<() => void>();
  #usedAt: number;

  constructor(parts: PlaceParts) {
    const { agent, pulse, now, onGone } = parts;
    this.#parts = parts;
    this.#usedAt = now();
    const bus = new InMemoryServerEventBus();
    this.watch = createWatch({
      async read(uri) {
        const answered = await readWatched(uri, agent.service);
        if (answered?.status === 401) onGone();
        return answered?.status === 200 ? JSON.stringify(answered.body) : undefined;
      },
      pulse: (beat) =>
        pulse(() => {
          for (const session of this.sessions.values()) session.expire(idleMs);
          beat();
        }),
      tell: (uri) => {
        bus.publish({ kind: 'resource_updated', uri });
        for (const session of this.sessions.values()) session.tell(uri);
      },
    });
    this.#modern = createMcpHandler(
      ({ requestInfo }) => {
        const askAbove = (requestInfo && this.#askAbove.get(requestInfo)) ?? 'policy';
        return createMcpServer({ ...agent, askAbove });
      },
      { legacy: 'reject', bus },
    );
  }

  use(): void {
    this.#usedAt = this.#parts.now();
  }

  /** Whether a call or a stream is open. */
  isBusy(): boolean {
    return this.#open.size > 0;
  }

  isIdle(): boolean {
    return !this.isBusy() && this.#parts.now() - this.#usedAt >= idleMs;
  }

  /** Notes something that is open. @returns a function that notes its end */
  begin(end: () => void): () => void {
    this.#open.add(end);
    return () => {
      this.#open.delete(end);
      this.use();
    };
  }

  /** Answers a request of a client of 2026. */
  answer(request: Request, askAbove: AskAbove, parsed: unknown): Promise<Response> {
    this.#askAbove.set(request, askAbove);
    return this.#modern.fetch(request, { parsedBody: parsed });
  }

  /** Opens a session. If the agent has too many, one that nobody listens to ends, the least recently used first. */
  async open(askAbove: AskAbove): Promise<Session> {
    const { agent, now, sessions: most } = this.#parts;
    const session = await openSession({
      session: { ...agent, askAbove },
      watch: this.watch,
      now,
      onOpen: (id) => {
        this.sessions.set(id, session);
        if (this.sessions.size <= most) return;
        const others = [...this.sessions].filter(([, one]) => one !== session);
        const [oldest, one] = (others.find(([, { isOpen }]) => !isOpen()) ?? others[0]) as [string, Session];
        this.sessions.delete(oldest);
        one.close();
      },
      onClose: (id) => void this.sessions.delete(id),
    });
    return session;
  }

  /** The session with that id, which is now the most recently used. */
  find(id: string): Session | undefined {
    const found = this.sessions.get(id);
    if (found === undefined) return undefined;
    this.sessions.delete(id);
    this.sessions.set(id, found);
    return found;
  }

  close(): void {
    void this.#modern.close();
    for (const session of this.sessions.values()) session.close();
    this.sessions.clear();
    for (const end of [...this.#open]) end();
  }
}
