/**
 * Sends a platform's events to its current listeners. Nothing is stored for later, and nothing is prepared for a
 * platform without listeners.
 */
import { createShares, type Full, type ShareBounds } from '../tools/shares.ts';
import { type Happening, type Listener, Told } from './happening.ts';
import { ListenerQueue } from './listenerQueue.ts';

export interface Events {
  /** Whether the platform has a listener. If not, the event needn't be made. */
  isHeard(platformId: string): boolean;
  tell(platformId: string, happening: Happening): void;
  /** Whose share of listeners is used up; undefined if another one is allowed. */
  full(platformId: string, token: string): Full | undefined;
  /** Undefined if there is no room. @param token whose share it is */
  listen(platformId: string, token: string): Listener | undefined;
  /** Calls `hear` at once with each event of the platform, for a part of this process. It isn't a listener of a share. */
  attend(platformId: string, hear: (happening: Happening) => void): () => void;
  /** The number of listeners, of one platform or of all. */
  count(platformId?: string): number;
  /** Ends the listeners of a platform that was deleted. */
  endPlatform(platformId: string): void;
  /** Ends all listeners, because a server that stops doesn't wait for them. */
  endAll(): void;
}

export interface EventBounds {
  readonly listeners: ShareBounds;
  /** The number of events that wait for a slow listener. */
  readonly waiting: number;
  /** The memory of the events that wait for one listener, and for all of the process. */
  readonly bytes: number;
  readonly allBytes: number;
}

/**
 * The limits on listeners, and on events that wait for a slow listener. Beyond these it only learns how many it missed.
 */
export const eventBounds: EventBounds = {
  listeners: { process: 512, platform: 64, token: 32 },
  waiting: 500,
  bytes: 4 * 1024 * 1024,
  allBytes: 64 * 1024 * 1024,
};

export function createEvents(bounds: EventBounds = eventBounds): Events {
  const shares = createShares(bounds.listeners);
  const platforms = new Map<string, Set<(told: Told) => void>>();
  const queues = new Map<ListenerQueue, string>();
  let waitingBytes = 0;

  /** Takes the memory of the listener that holds most, so that no other misses anything. */
  const makeRoom = (): void => {
    while (waitingBytes > bounds.allBytes) {
      const [first, ...others] = queues.keys();
      if (first === undefined) return;
      others.reduce((most, queue) => (queue.bytes > most.bytes ? queue : most), first).miss();
    }
  };
  const hearBy = (platformId: string, hear: (told: Told) => void): (() => void) => {
    platforms.set(platformId, (platforms.get(platformId) ?? new Set()).add(hear));
    return () => {
      const heard = platforms.get(platformId);
      heard?.delete(hear);
      if (heard?.size === 0) platforms.delete(platformId);
    };
  };
  const endSome = (isMeant: (platformId: string) => boolean): void => {
    for (const [queue, platformId] of [...queues]) if (isMeant(platformId)) queue.end();
  };

  return {
    isHeard: (platformId) => platforms.has(platformId),
    tell(platformId, happening) {
      const heard = platforms.get(platformId);
      if (heard === undefined) return;
      const told = new Told(happening);
      for (const hear of [...heard]) hear(told);
      makeRoom();
    },
    full: shares.full,
    listen(platformId, token) {
      if (shares.full(platformId, token) !== undefined) return undefined;
      const giveBack = shares.take(platformId, token);
      const queue: ListenerQueue = new ListenerQueue(bounds, {
        onBytes: (change) => {
          waitingBytes += change;
        },
        onEnd() {
          leave();
          giveBack();
          queues.delete(queue);
        },
      });
      const leave = hearBy(platformId, (told) => queue.hear(told));
      queues.set(queue, platformId);
      return queue;
    },
    attend: (platformId, hear) => hearBy(platformId, ({ happening }) => hear(happening)),
    count: shares.count,
    endPlatform: (platformId) => endSome((one) => one === platformId),
    endAll: () => endSome(() => true),
  };
}
