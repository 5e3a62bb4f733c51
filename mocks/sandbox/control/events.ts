import type { ControlEvent } from '../../../generated/controlTypes.ts';
import { isAnyDue, listDue } from '../domains/effect.ts';
import { pause } from '../node/machine/timers.ts';
import { somethingIsDue } from '../steps/settleDue.ts';
import { writeEventStream } from '../telemetry/eventStream.ts';
import { eventBounds } from '../telemetry/events.ts';
import type { Happening } from '../telemetry/happening.ts';
import { toTimestamp } from '../tools/clock.ts';
import { Problem } from '../tools/problem.ts';
import { showEntry } from './journal.ts';
import type { ControlHandlers } from './route.ts';

/** Reports a platform's events as they happen, and what is due next. */
export const eventHandlers = {
  getEvents: {
    async handle({ request, requester, parts }) {
      const { platformId, actorId } = requester;
      const full = parts.events.full(platformId, actorId);
      if (full !== undefined) {
        const limit = eventBounds.listeners[full];
        throw new Problem(
          'RATE_LIMITED',
          `This ${full} already has ${limit} listeners, which is its limit. Close a console, or try later.`,
          { headers: { 'Retry-After': '5' } },
        );
      }
      const mayStay = (): Promise<boolean> =>
        parts.authenticateToken(request.headers).then(
          () => true,
          () => false,
        );
      const listen = () => parts.events.listen(platformId, actorId);
      const quiet = () => pause(quietMs, { ref: false });
      const stream = writeEventStream({ listen, show, mayStay, quiet });
      return { status: 200, stream, headers: { 'Content-Type': 'text/event-stream', Connection: 'close' } };
    },
  },
  getDueEffects: {
    handle: ({ requester, parts }) =>
      parts.settling.run(requester.platformId, async (unit) => {
        if (await isAnyDue(unit)) return somethingIsDue;
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

/** The maximum number of effects that are shown, the soonest first. */
const dueLimit = 50;

/** How often a quiet connection sends a sign of life. A server drops a connection that is quiet for longer. */
const quietMs = 30_000;

function show(happening: Happening): ControlEvent {
  if (happening.type === 'EXCHANGE') return { type: 'EXCHANGE', exchange: showEntry(happening.entry()) };
  if (happening.type === 'DUE') {
    const { type, kind, subjectId, dueAt } = happening;
    return { type, effect: { kind: kind as 'EXPIRE_QUOTE', subjectId, dueAt: toTimestamp(dueAt) } };
  }
  return happening;
}
