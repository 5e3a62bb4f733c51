/**
 * Sends a platform's events to its current listeners. Nothing is stored for later, and nothing is prepared for a
 * platform without listeners.
 */
import type { JournalEntry } from './journalEntry.ts';

/** An event that has just happened. Exchanges are made into text only when a listener reads them. */
export type Happening =
  | { readonly type: 'EXCHANGE'; readonly entry: () => JournalEntry; readonly bytes: number }
  | { readonly type: 'CODE'; readonly accountId: string }
  | { readonly type: 'DUE'; readonly kind: string; readonly subjectId: string; readonly dueAt: number }
  | { readonly type: 'CONTROL'; readonly operationId: string }
  | { readonly type: 'MISSED'; readonly count: number };

/** The events of one platform, from the first call of `next` on. */
export interface Listener {
  /** Waits for the next event; undefined once the listener has ended. */
  next(): Promise<Happening | undefined>;
  /** Ends the listener, and a waiting `next` too. */
  end(): void;
}

export interface Events {
  /** Whether the platform has a listener. If not, the event needn't be made. */
  isHeard(platformId: string): boolean;
  tell(platformId: string, happening: Happening): void;
  /** Whether another listener is allowed. */
  hasRoom(): boolean;
  listen(platformId: string): Listener;
  /** Ends all listeners, because a server that stops doesn't wait for them. */
  endAll(): void;
}

/**
 * The limits on listeners, and on events that wait for a slow listener. Beyond these it only learns how many it missed.
 */
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
      // A listener that is this far behind reads everything again, so the waiting events are useless.
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
