import { parseTimestamp } from '../../../contract/timestamps.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import {
  type Clock,
  type ClockState,
  freezeClock,
  lastInstant,
  moveClock,
  readClock,
  toTimestamp,
} from '../tools/clock.ts';
import { invalidField } from '../tools/problem.ts';
import { bodyReader, type ControlRoute } from './route.ts';

interface ClockChange {
  readonly advanceSeconds?: number;
  readonly set?: string;
  readonly freeze?: boolean;
}

const readChange = bodyReader<ClockChange>({
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    advanceSeconds: { type: 'number', minimum: 0, maximum: 3_153_600_000 },
    set: { type: 'string', format: 'date-time' },
    freeze: { type: 'boolean' },
  },
});

/** `GET|POST /clock`: a platform's own time. */
export const clockRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/clock',
    needs: 'manager',
    handle: ({ requester, parts }) =>
      parts.units.run(requester.platformId, async (unit) => show(unit.state.clock, parts.clock)),
  },
  {
    method: 'POST',
    path: '/clock',
    needs: 'manager',
    async handle({ request, requester, parts }) {
      const change = await readChange(request);
      return parts.units.run(requester.platformId, async (unit) => {
        const clock = changeClock(unit.state.clock, parts.clock.now(), change);
        unit.setState({ ...unit.state, clock });
        return show(clock, parts.clock);
      });
    },
  },
];

function show(state: ClockState, clock: Clock): OutgoingReply {
  const now = toTimestamp(readClock(state, clock.now()));
  return { status: 200, body: { now, frozen: state.frozenAt !== null } };
}

/** @throws Problem 400 when the change would take time back, or beyond what a timestamp can say. */
function changeClock(state: ClockState, machineNow: number, change: ClockChange): ClockState {
  if (change.freeze !== undefined) return freezeClock(state, machineNow, change.freeze);
  const now = readClock(state, machineNow);
  const [pointer, wanted] =
    change.set === undefined
      ? ['/advanceSeconds', now + Math.round((change.advanceSeconds ?? 0) * 1000)]
      : ['/set', parseTimestamp(change.set) ?? now];
  if (wanted < now) {
    throw invalidField(pointer, `lies before the platform's time ${toTimestamp(now)}; a clock never goes back`);
  }
  if (wanted > lastInstant) {
    throw invalidField(pointer, `lies after ${toTimestamp(lastInstant)}, the last instant there is`);
  }
  return moveClock(state, machineNow, wanted);
}
