/** Tells when a resource has changed, while somebody wants to know. */
import { readResource, uriOfAction, watchedUris } from './resources.ts';
import type { AgentSession } from './session.ts';

/** Says that something may have changed, until it is stopped. */
export type Pulse = (beat: () => void) => () => void;

export interface Watch {
  /** Looks how things are now, these resources included, so that every later change is one. Comes before `listen`. */
  prepare(uris: readonly string[]): Promise<void>;
  /** From now on `tell` is called with the address of each resource that changes. @returns what ends that */
  listen(tell: (uri: string) => void): () => void;
}

const maxAdded = 50;

/** Nothing is read while nobody listens. */
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
      // One that can't be read now may be later.
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
  /** What happens while somebody looks is looked at once more. */
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

/** The resources that a `subscriptions/listen` names; undefined for any other message. */
export function listenedTo(message: unknown): readonly string[] | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } };
  };
  if (method !== 'subscriptions/listen') return undefined;
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.slice(0, 20).filter((uri) => typeof uri === 'string' && uri.length <= 500) : [];
}
