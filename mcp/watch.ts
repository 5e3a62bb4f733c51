/** Reports changes of resources while a client wants to know of them. */
import { readResource, uriOfAction, watchedUris } from './resources.ts';
import type { AgentSession } from './session.ts';

/** Calls `beat` when something may have changed, until it is stopped. */
export type Pulse = (beat: () => void) => () => void;

export interface Watch {
  /**
   * Reads the current state, also of these resources, so that every later change is noticed. Call it before `listen`.
   */
  prepare(uris: readonly string[]): Promise<void>;
  /** Calls `tell` with the address of each resource that changes. @returns a function that ends this */
  listen(tell: (uri: string) => void): () => void;
}

const maxAdded = 50;

/** Reads nothing while no client listens. */
export function createWatch(session: AgentSession, pulse: Pulse): Watch {
  const listeners = new Set<(uri: string) => void>();
  const added = new Set<string>();
  const seen = new Map<string, string>();
  let stop: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;

  const look = async (): Promise<void> => {
    const waiting = [...session.memory.waiting].map(uriOfAction);
    for (const uri of new Set([...watchedUris, ...waiting, ...added])) {
      // A resource that can't be read now may be readable later.
      const text = await readResource(uri, session).then(
        (found) => found.text,
        () => undefined,
      );
      if (text === undefined) continue;
      const before = seen.get(uri);
      seen.set(uri, text);
      if (before !== undefined && before !== text) for (const tell of [...listeners]) tell(uri);
    }
  };
  const lookUntilQuiet = async (): Promise<void> => {
    while (isAskedAgain) {
      isAskedAgain = false;
      await look();
    }
    looking = undefined;
  };
  /** If something happens while `look` runs, it runs once more. */
  const beat = (): Promise<void> => {
    isAskedAgain = true;
    looking ??= lookUntilQuiet();
    return looking;
  };
  return {
    async prepare(uris) {
      for (const uri of uris) if (added.size < maxAdded) added.add(uri);
      if (listeners.size === 0) seen.clear();
      await beat();
    },
    listen(tell) {
      listeners.add(tell);
      stop ??= pulse(() => void beat());
      return () => {
        listeners.delete(tell);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

/** The resources in a `subscriptions/listen` message. @returns undefined for any other message */
export function listenedTo(message: unknown): readonly string[] | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } };
  };
  if (method !== 'subscriptions/listen') return undefined;
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.slice(0, 20).filter((uri) => typeof uri === 'string' && uri.length <= 500) : [];
}
