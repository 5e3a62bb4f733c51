/** Reports changes of resources while a client wants to know of them. */

/** Calls `beat` when something may have changed, until it is stopped. */
export type Pulse = (beat: () => void) => () => void;

export interface WatchParts {
  /** The current text of a resource; undefined if it can't be read now. */
  readonly read: (uri: string) => Promise<string | undefined>;
  readonly pulse: Pulse;
  /** Called once for each resource that has changed, however many wait for it. */
  readonly tell: (uri: string) => void;
}

export interface Watch {
  /**
   * Watches resources. Those that nobody watches yet are read first, so that every later change is noticed.
   * @returns a function that ends it
   * @throws TooManyWatched
   */
  hold(uris: readonly string[]): Promise<() => void>;
}

/** The maximum number of resources that one agent's clients watch together. Each is read once per change. */
export const maxWatched = 200;

export class TooManyWatched extends Error {
  constructor() {
    super(`The clients of this agent watch ${maxWatched} resources already. Unsubscribe from some first.`);
  }
}

interface Held {
  holders: number;
  /** The digest of the text when it was last read. */
  digest: string | undefined;
}

/** Reads what is held, and nothing else. */
export function createWatch({ read, pulse, tell }: WatchParts): Watch {
  const held = new Map<string, Held>();
  let stop: (() => void) | undefined;
  // Reads follow each other, so that an older text never replaces a newer one.
  let last: Promise<void> = Promise.resolve();
  let isLookWaiting = false;

  const look = async (uris: Iterable<string>): Promise<void> => {
    for (const uri of uris) {
      const text = held.has(uri) ? await read(uri) : undefined;
      // A resource that can't be read now may be readable later.
      if (text === undefined) continue;
      const digest = await digestOf(text);
      const one = held.get(uri);
      if (one === undefined) continue;
      const before = one.digest;
      one.digest = digest;
      if (before !== undefined && before !== digest) tell(uri);
    }
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work);
    return last;
  };
  /** However much happens while it waits for its turn, one look is enough. */
  const beat = (): void => {
    if (isLookWaiting) return;
    isLookWaiting = true;
    void inTurn(() => {
      isLookWaiting = false;
      return look([...held.keys()]);
    });
  };
  const release = (uri: string): void => {
    const one = held.get(uri);
    if (one === undefined) return;
    one.holders -= 1;
    if (one.holders === 0) held.delete(uri);
  };
  return {
    async hold(given) {
      const uris = [...new Set(given)];
      const fresh = uris.filter((uri) => !held.has(uri));
      if (held.size + fresh.length > maxWatched) throw new TooManyWatched();
      for (const uri of fresh) held.set(uri, { holders: 0, digest: undefined });
      for (const uri of uris) (held.get(uri) as Held).holders += 1;
      if (uris.length > 0) stop ??= pulse(beat);
      let isHeld = true;
      await inTurn(() => look(fresh));
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const uri of uris) release(uri);
        if (held.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

/** Kept instead of the text, which may be large. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return String.fromCharCode(...bytes);
}

/** The resources in a `subscriptions/listen` message. @returns undefined for any other message */
export function listenedTo(message: unknown): readonly string[] | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } };
  };
  if (method !== 'subscriptions/listen') return undefined;
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string' && uri.length <= 500) : [];
}
