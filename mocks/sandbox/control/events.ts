import type { ControlEvent } from '../../../generated/controlTypes.ts';
import { listDue } from '../domains/effect.ts';
import { pause } from '../node/machine/timers.ts';
import type { Happening, Listener } from '../telemetry/events.ts';
import { toTimestamp } from '../tools/clock.ts';
import { Problem } from '../tools/problem.ts';
import { showEntry } from './journal.ts';
import type { ControlHandlers } from './route.ts';

/** What happens on a platform as it happens, and what will happen next. */
export const eventHandlers = {
  getEvents: {
    async handle({ request, requester, parts }) {
      const { platformId } = requester;
      if (!parts.events.hasRoom()) {
        throw new Problem(
          'RATE_LIMITED',
          'As many listen as this process has room for. Close a console, or try later.',
          {
            headers: { 'Retry-After': '5' },
          },
        );
      }
      const mayStay = (): Promise<boolean> =>
        parts.authenticateToken(request.headers).then(
          () => true,
          () => false,
        );
      const stream = writeEvents(() => parts.events.listen(platformId), mayStay);
      return { status: 200, stream, headers: { 'Content-Type': 'text/event-stream', Connection: 'close' } };
    },
  },
  getDueEffects: {
    handle: ({ requester, parts }) =>
      parts.units.run(requester.platformId, async (unit) => {
        const data = await listDue(unit, dueLimit);
        return {
          status: 200,
          body: {
            data: data.map(({ kind, subjectId, dueAt }) => ({ kind, subjectId, dueAt: toTimestamp(dueAt) })),
          },
        };
      }),
  },
} satisfies Pick<ControlHandlers, 'getEvents' | 'getDueEffects'>;

/** So many are shown, the soonest. */
const dueLimit = 50;

/** How often a connection on which nothing happens shows that it is alive; a server drops one that is quiet for longer. */
const quietMs = 30_000;

/**
 * Server-sent events (HTML Living Standard, 9.2). Nothing is opened before the first read, and everything is closed when the
 * reader has gone. It is no generator, because one that waits can't be told to end.
 * @param mayStay whether the credentials still hold; asked now and then.
 */
function writeEvents(listen: () => Listener, mayStay: () => Promise<boolean>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      let listener: Listener | undefined;
      let pending: Promise<Happening | undefined> | undefined;
      // One wait for the whole stream: not one for each event.
      let quiet: Promise<typeof isQuiet> | undefined;
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
          quiet ??= pause(quietMs, { ref: false }).then(() => isQuiet);
          const heard = await Promise.race([pending, quiet]);
          if (heard === isQuiet) {
            quiet = undefined;
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

function show(happening: Happening): ControlEvent {
  if (happening.type === 'EXCHANGE') return { type: 'EXCHANGE', exchange: showEntry(happening.entry()) };
  if (happening.type === 'DUE') {
    const { type, kind, subjectId, dueAt } = happening;
    return { type, effect: { kind: kind as 'EXPIRE_QUOTE', subjectId, dueAt: toTimestamp(dueAt) } };
  }
  return happening;
}
