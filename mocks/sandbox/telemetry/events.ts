/**
 * What happens on a platform, told to the listeners of that moment. Nothing is kept for later, and nothing is prepared for a
 * platform that nobody listens to.
 */
import type { JournalEntry } from './journalEntry.ts';

/** Something that has just happened, as it is told. Exchanges are made into text only when somebody reads them. */
export type Happening =
  | { readonly type: 'EXCHANGE'; readonly entry: () => JournalEntry; readonly bytes: number }
  | { readonly type: 'CODE'; readonly accountId: string }
  | { readonly type: 'DUE'; readonly kind: string; readonly subjectId: string; readonly dueAt: number }
  | { readonly type: 'CONTROL'; readonly operationId: string }
  | { readonly type: 'MISSED'; readonly count: number };

/** The happenings of one platform, from the moment of the first `next` on. */
export interface Listener {
  /** Waits for what happens next; undefined once it has ended. */
  next(): Promise<Happening | undefined>;
  /** Ends it, and lets a `next` that waits end too. */
  end(): void;
}

export interface Events {
  /** Whether anybody listens to the platform. What is told to nobody need not be made. */
  isHeard(platformId: string): boolean;
  tell(platformId: string, happening: Happening): void;
  /** Whether one more may listen. */
  hasRoom(): boolean;
  listen(platformId: string): Listener;
  /** Ends all listeners: a server that stops does not wait for them. */
  endAll(): void;
}

/** How many may listen at once, and how much waits for one that reads slowly before it only learns how much it missed. */
export const eventBounds = { listeners: 64, waiting: 500, bytes: 4 * 1024 * 1024 } as const;

export function createEvents(
  bounds: typeof eventBounds | Record<keyof typeof eventBounds, number> = eventBounds,
): Events {
  const platforms = new Map<string, Set<(happening: Happening) => void>>();
  const open = new Set<Listener>();

  const listen = (platformId: string): Listener => {
    let waiting: Happening[] = [];
    let bytes = 0;
    let missed = 0;
    let isOpen = true;
    let wake: ((happening: Happening | undefined) => void) | undefined;
    const hear = (happening: Happening): void => {
      if (wake !== undefined) {
        const resolve = wake;
        wake = undefined;
        resolve(happening);
        return;
      }
      bytes += happening.type === 'EXCHANGE' ? happening.bytes : 0;
      if (missed === 0 && waiting.length < bounds.waiting && bytes <= bounds.bytes) {
        waiting.push(happening);
        return;
      }
      // A listener that is this far behind reads everything again, so what waits is of no use.
      missed += waiting.length + 1;
      waiting = [];
    };
    const take = (): Happening | undefined => {
      if (missed > 0) {
        const count = missed;
        missed = 0;
        bytes = 0;
        return { type: 'MISSED', count };
      }
      const happening = waiting.shift();
      bytes -= happening?.type === 'EXCHANGE' ? happening.bytes : 0;
      return happening;
    };
    const listener: Listener = {
      next() {
        const happening = take();
        if (happening !== undefined || !isOpen) return Promise.resolve(happening);
        return new Promise((resolve) => {
          wake = resolve;
        });
      },
      end() {
        if (!isOpen) return;
        isOpen = false;
        open.delete(listener);
        const heard = platforms.get(platformId);
        heard?.delete(hear);
        if (heard?.size === 0) platforms.delete(platformId);
        waiting = [];
        missed = 0;
        wake?.(undefined);
      },
    };
    open.add(listener);
    const heard = platforms.get(platformId) ?? new Set();
    platforms.set(platformId, heard.add(hear));
    return listener;
  };

  return {
    isHeard: (platformId) => platforms.has(platformId),
    tell(platformId, happening) {
      for (const hear of platforms.get(platformId) ?? []) hear(happening);
    },
    hasRoom: () => open.size < bounds.listeners,
    listen,
    endAll() {
      for (const listener of [...open]) listener.end();
    },
  };
}
