import type { Happening, Listener, Told } from './happening.ts';

export interface EventStreamParts {
  /** Undefined if there is no room any more. The stream then ends at once. */
  readonly listen: () => Listener | undefined;
  /** What a reader gets for an event, as a value for JSON. Called once for all readers of the event. */
  readonly show: (happening: Happening) => unknown;
  /** Whether the credentials are still valid. Called each time `quiet` has passed. */
  readonly mayStay: () => Promise<boolean>;
  /** Waits until the connection must send a sign of life. */
  readonly quiet: () => Promise<void>;
}

/**
 * Writes server-sent events (HTML Living Standard, 9.2). It opens nothing before the first read, and closes everything
 * when the reader has gone. It isn't a generator, because a waiting generator can't be ended.
 */
export function writeEventStream({ listen, show, mayStay, quiet }: EventStreamParts): AsyncIterable<Uint8Array> {
  const write = (happening: Happening): Uint8Array => utf8.encode(`data: ${JSON.stringify(show(happening))}\n\n`);
  return {
    [Symbol.asyncIterator]() {
      let listener: Listener | undefined;
      let pending: Promise<Told | undefined> | undefined;
      // One timer for the whole stream, not one for each event.
      let waiting: Promise<typeof isQuiet> | undefined;
      const end = (): typeof done => {
        listener?.end();
        return done;
      };
      return {
        async next() {
          if (listener === undefined) {
            listener = listen();
            if (listener === undefined) return done;
            return { done: false, value: utf8.encode('retry: 2000\n\n') };
          }
          // The pending wait continues while the connection sends its sign of life.
          pending ??= listener.next();
          waiting ??= quiet().then(() => isQuiet);
          const heard = await Promise.race([pending, waiting]);
          if (heard === isQuiet) {
            waiting = undefined;
            return (await mayStay()) ? { done: false, value: utf8.encode(':\n\n') } : end();
          }
          pending = undefined;
          if (heard === undefined) return end();
          return { done: false, value: heard.text(write) };
        },
        return: async () => end(),
      };
    },
  };
}

const isQuiet = Symbol('quiet');
const done = { done: true, value: undefined } as const;
const utf8 = new TextEncoder();
