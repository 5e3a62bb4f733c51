import { parseTimestamp } from '../../../contract/timestamps.ts';
import type { Clock as ClockShown, ClockUpdate } from '../../../generated/controlTypes.ts';
import { isAnyDue } from '../domains/effect.ts';
import { somethingIsDue } from '../steps/settleDue.ts';
import type { Unit } from '../store/units/unit.ts';
import { type ClockState, freezeClock, lastInstant, moveClock, readClock, toTimestamp } from '../tools/clock.ts';
import { invalidField } from '../tools/problem.ts';
import type { ControlHandlers } from './route.ts';

/** Reads and changes a platform's own time. */
export const clockHandlers = {
  getClock: {
    handle: ({ requester, parts }) => parts.units.run(requester.platformId, async (unit) => show(unit)),
  },
  updateClock: {
    async handle({ body, requester: { platformId }, parts }) {
      await parts.units.run(platformId, async (unit) => {
        const clock = changeClock(unit, parts.clock.now(), body);
        unit.setState({ ...unit.state, clock });
      });
      // The clock has moved, so a refusal must be the exception: a client that repeats the request moves the clock once more.
      return parts.settling.run(platformId, async (unit) => ((await isAnyDue(unit)) ? somethingIsDue : show(unit)), {
        ms: clockPatienceMs,
        lateMessage: hasMoved,
      });
    },
  },
} satisfies Pick<ControlHandlers, 'getClock' | 'updateClock'>;

/**
 * How long the clock waits until everything has happened that is due. The server closes a connection that is quiet for
 * two minutes.
 */
const clockPatienceMs = 100_000;
const hasMoved =
  "The clock has moved, but so much became due that it is still being carried out. Don't move the clock again; read GET /__sandbox/due until it answers.";

function show({ dueBy, state }: Unit): { readonly status: 200; readonly body: ClockShown } {
  return { status: 200, body: { now: toTimestamp(dueBy), frozen: state.clock.frozenAt !== null } };
}

/** @throws Problem 400 if the change would go back in time, or beyond the last timestamp */
function changeClock({ dueBy, state: { clock: state } }: Unit, machineNow: number, change: ClockUpdate): ClockState {
  // If the machine's clock went back, the platform's time stands still. A change lets it go on from there.
  const now = Math.max(dueBy, readClock(state, machineNow));
  if (change.freeze !== undefined) return freezeClock(state, machineNow, now, change.freeze);
  const [pointer, wanted] =
    change.set === undefined
      ? ['/advanceSeconds', now + Math.round((change.advanceSeconds ?? 0) * 1000)]
      : ['/set', parseTimestamp(change.set) ?? now];
  if (wanted < now) {
    throw invalidField(pointer, `is before the platform's time ${toTimestamp(now)}; a clock can't go back`);
  }
  if (wanted > lastInstant) {
    throw invalidField(pointer, `is after ${toTimestamp(lastInstant)}, the last possible instant`);
  }
  return moveClock(state, machineNow, wanted);
}
