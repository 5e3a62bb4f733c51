import type { Happening, Listener } from './events.ts';

export interface EventStreamParts {
  readonly listen: () => Listener;
  /** What a reader gets of a happening, as a value for JSON. */
  readonly show: (happening: Happening) => unknown;
  /** Whether the credentials still hold; asked whenever `quiet` has passed. */
  readonly mayStay: () => Promise<boolean>;
  /** Waits until the connection must show that it is alive. */
  readonly quiet: () => Promise<void>;
}

/**
 * Server-sent events (HTML Living Standard, 9.2). Nothing is opened before the first read, and everything is closed when the
 * reader has gone. It isn't a generator, because one that waits can't be told to end.
 */
export function writeEventStream({ listen, show, mayStay, quiet }: EventStreamParts): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      let listener: Listener | undefined;
      let pending: Promise<Happening | undefined> | undefined;
      // One wait for the whole stream: not one for each event.
      let waiting: Promise<typeof isQuiet> | undefined;
      const end = (): typeof done => {
        listener?.end();
        return done;
      };
      return {
        async next() {
          if (listener === undefined) {
            listener = listen();
            return { done: false, value: utf8.encode('retry: 2000\n\n') };
          }
          // What waits while the connection is shown to be alive goes on waiting.
          pending ??= listener.next();
          waiting ??= quiet().then(() => isQuiet);
          const heard = await Promise.race([pending, waiting]);
          if (heard === isQuiet) {
            waiting = undefined;
            return (await mayStay()) ? { done: false, value: utf8.encode(':\n\n') } : end();
          }
          pending = undefined;
          if (heard === undefined) return end();
          return { done: false, value: utf8.encode(`data: ${JSON.stringify(show(heard))}\n\n`) };
        },
        return: async () => end(),
      };
    },
  };
}

const isQuiet = Symbol('quiet');
const done = { done: true, value: undefined } as const;
const utf8 = new TextEncoder();
