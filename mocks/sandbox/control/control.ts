import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Hono } from 'hono';
import type { Requester } from '../domains/operation.ts';
import {
  type Clock,
  type ClockState,
  freezeClock,
  lastInstant,
  moveClock,
  parseTimestamp,
  readClock,
  toTimestamp,
} from '../kernel/clock.ts';
import { type Fault, invalid, invalidField } from '../kernel/problem.ts';
import { toFaults } from '../shell/faults.ts';
import { addContractFormats } from '../shell/formats.ts';
import { type OutgoingReply, send } from '../shell/reply.ts';
import { refuseOtherMethods } from '../shell/shell.ts';
import { authenticate } from '../steps/authenticate.ts';
import { authorize } from '../steps/authorize.ts';
import { readBody } from '../steps/readBody.ts';
import type { Store } from '../store/store.ts';
import type { PlatformState, Unit, Units } from '../store/unit.ts';

export interface ControlParts {
  readonly store: Store;
  readonly units: Units;
  readonly clock: Clock;
  /** What a platform is at its first moment: its state, and its world. */
  readonly firstState: PlatformState;
  readonly fill: (unit: Unit) => Promise<void>;
}

const ajv = new Ajv2020({ allErrors: true });
addContractFormats(ajv);
const checkClock = ajv.compile({
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

interface ClockChange {
  readonly advanceSeconds?: number;
  readonly set?: string;
  readonly freeze?: boolean;
}

/** Adds `/__sandbox/*`: what a test or a developer steers a platform with, outside the contract (D43). */
export function mountControl(app: Hono, parts: ControlParts): void {
  const { store, units, clock } = parts;
  const manager = async (request: Request): Promise<Requester> => {
    const requester = await authenticate(request.headers, store);
    authorize(requester, 'MANAGE');
    return requester;
  };
  const showClock = (state: ClockState): OutgoingReply => ({
    status: 200,
    body: { now: toTimestamp(readClock(state, clock.now())), frozen: state.frozenAt !== null },
  });

  app.get('/__sandbox/health', () => send({ status: 200, body: { status: 'ready' } }));
  app.get('/__sandbox/clock', async ({ req }) => {
    const { platformId } = await manager(req.raw);
    return send(await units.run(platformId, async (unit) => showClock(unit.state.clock)));
  });
  app.post('/__sandbox/clock', async ({ req }) => {
    const { platformId } = await manager(req.raw);
    const change = await readClockChange(req.raw);
    const reply = await units.run(platformId, async (unit) => {
      const changed = changeClock(unit.state.clock, clock.now(), change);
      unit.setState({ ...unit.state, clock: changed });
      return showClock(changed);
    });
    return send(reply);
  });
  app.post('/__sandbox/reset', async ({ req }) => {
    const { platformId } = await manager(req.raw);
    await units.reset(platformId, parts.firstState, parts.fill);
    return send({ status: 204 });
  });
  refuseOtherMethods(app, '/__sandbox/health', ['GET']);
  refuseOtherMethods(app, '/__sandbox/clock', ['GET', 'POST']);
  refuseOtherMethods(app, '/__sandbox/reset', ['POST']);
}

async function readClockChange(request: Request): Promise<ClockChange> {
  const body = await readBody(request);
  const faults: Fault[] = checkClock(body) ? [] : toFaults('body', checkClock.errors ?? []);
  if (faults.length > 0) throw invalid(faults);
  return body as ClockChange;
}

/** @throws Problem 400 when the change would take time back, or beyond what a timestamp can say. */
function changeClock(state: ClockState, machineNow: number, change: ClockChange): ClockState {
  if (change.freeze !== undefined) return freezeClock(state, machineNow, change.freeze);
  const now = readClock(state, machineNow);
  const [pointer, wanted] =
    change.set === undefined
      ? ['/advanceSeconds', now + Math.round((change.advanceSeconds ?? 0) * 1000)]
      : ['/set', parseTimestamp(change.set) ?? now];
  if (wanted < now)
    throw invalidField(pointer, `lies before the platform's time ${toTimestamp(now)}; a clock never goes back`);
  if (wanted > lastInstant)
    throw invalidField(pointer, `lies after ${toTimestamp(lastInstant)}, the last moment a clock can be set to`);
  return moveClock(state, machineNow, wanted);
}
