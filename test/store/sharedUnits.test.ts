/**
 * Promise: units that share a transaction, and cached rows, behave like units that run alone. Each sees what the units
 * before it have written, and nothing of those that failed, however many of a group fail halfway so that the group runs
 * again.
 */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listDue, nextDue, schedule } from '../../mocks/sandbox/domains/effect.ts';
import { createProofs } from '../../mocks/sandbox/proofs/factory.ts';
import { settleSlice } from '../../mocks/sandbox/steps/settleDue.ts';
import { recordTable } from '../../mocks/sandbox/store/records/table.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { freshPlatform } from '../../mocks/sandbox/store/units/platformState.ts';
import type { Unit, Units } from '../../mocks/sandbox/store/units/unit.ts';
import { createUnits } from '../../mocks/sandbox/store/units/units.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createCursors } from '../../mocks/sandbox/tools/cursor.ts';
import { createDerive } from '../../mocks/sandbox/tools/derive.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { runs } from '../support/run/length.ts';
import { makePlace, openStore } from '../support/sandbox/database.ts';
import { startOfTime } from '../support/sandbox/harness.ts';

interface Thing {
  readonly id: string;
  readonly value: number;
}

// Any record table would work. This one has a filter column.
const things = recordTable<Thing, 'customer_id'>({
  name: 'internal_accounts',
  columns: (thing) => ({ customer_id: `${thing.value % 2}`, type: 'T', currency: 'USD' }),
  counted: ['*', 'customer_id'],
});

/** A record that expires, in lists that stay known. Its number is both its list and its expiry. */
const visits = recordTable<Thing, 'account_id' | 'credential_id' | 'expires_at'>({
  name: 'sessions',
  columns: (visit) => ({ account_id: `${visit.value % 2}`, credential_id: 'C', expires_at: visit.value }),
  remembered: ['account_id'],
  expiry: 'expires_at',
});

/** What a unit may do. Each action records what it saw. */
type Action =
  | { readonly does: 'put' | 'drop' | 'find'; readonly id: string; readonly value: number }
  | { readonly does: 'visit' | 'leave'; readonly id: string; readonly value: number }
  | { readonly does: 'visitors' | 'expire'; readonly value: number }
  | { readonly does: 'list' | 'settle' | 'next' }
  | { readonly does: 'fault'; readonly value: number }
  | { readonly does: 'schedule'; readonly inMs: number }
  | { readonly does: 'attempt'; readonly actions: readonly Action[]; readonly isRefused: boolean };

interface Program {
  readonly platformId: string;
  readonly actions: readonly Action[];
  readonly ends: 'kept' | 'refused' | 'broken';
}

/** A platform's data in the simplest form: the model. */
interface World {
  things: Record<string, number>;
  visits: Record<string, number>;
  due: number[];
  failAt: number | undefined;
}

/** Carries out an action on the model. */
function act(world: World, action: Action, seen: unknown[]): void {
  if (action.does === 'put') world.things[action.id] = action.value;
  if (action.does === 'drop') delete world.things[action.id];
  if (action.does === 'find') seen.push(world.things[action.id]);
  if (action.does === 'visit') world.visits[action.id] = action.value;
  if (action.does === 'leave') delete world.visits[action.id];
  if (action.does === 'visitors') seen.push(sorted(pick(world.visits, (value) => value % 2 === action.value % 2)));
  if (action.does === 'expire') world.visits = pick(world.visits, (value) => value > action.value);
  if (action.does === 'list') seen.push(sorted(world.things));
  if (action.does === 'schedule') world.due = [...world.due, startOfTime + action.inMs].sort((one, two) => one - two);
  if (action.does === 'next') seen.push(world.due[0] ?? Number.POSITIVE_INFINITY);
  if (action.does === 'settle') {
    seen.push(world.due.filter((at) => at <= startOfTime));
    world.due = world.due.filter((at) => at > startOfTime);
  }
  if (action.does === 'fault') {
    seen.push(world.failAt);
    world.failAt = action.value;
  }
  if (action.does === 'attempt') {
    const before = structuredClone(world);
    for (const each of action.actions) act(world, each, seen);
    if (action.isRefused) Object.assign(world, before);
  }
}

const anySubject = { readAhead: async () => {}, isAwaited: async () => true };
const standing = () => 0;

/** Carries out an action in a unit. */
async function carryOut(unit: Unit, action: Action, seen: unknown[]): Promise<void> {
  if (action.does === 'put') {
    const { id, value } = action;
    const before = await things.find(unit, id);
    await (before === undefined ? things.insert(unit, { id, value }) : things.replace(unit, before, { id, value }));
  }
  if (action.does === 'visit') {
    const { id, value } = action;
    const before = await visits.find(unit, id);
    await (before === undefined ? visits.insert(unit, { id, value }) : visits.replace(unit, before, { id, value }));
  }
  if (action.does === 'leave') {
    const before = await visits.find(unit, action.id);
    if (before !== undefined) await visits.remove(unit, before);
  }
  if (action.does === 'visitors') {
    const account_id = `${action.value % 2}`;
    const found = await visits.where(unit, 'account_id', account_id);
    seen.push(sorted(Object.fromEntries(found.map(({ id, value }) => [id, value]))));
    const page = await visits.page(unit, { limit: 100, before: null, filters: { account_id } });
    expect(page).toEqual({ records: found.toReversed(), hasMore: false, totalCount: found.length });
  }
  if (action.does === 'expire') await visits.removeExpired(unit, action.value);
  if (action.does === 'drop') {
    const before = await things.find(unit, action.id);
    if (before !== undefined) await things.remove(unit, before);
  }
  if (action.does === 'find') seen.push((await things.find(unit, action.id))?.value);
  if (action.does === 'list') seen.push(await listAll(unit));
  if (action.does === 'schedule') {
    await schedule(unit, 'EXPIRE_QUOTE', unit.newId('Quote'), startOfTime + action.inMs);
  }
  if (action.does === 'next') seen.push(await nextDue(unit));
  if (action.does === 'settle') {
    const taken: number[] = [];
    const note = { ...anySubject, carryOut: async (at: Unit) => void taken.push(at.now()) };
    await settleSlice(unit, { EXPIRE_QUOTE: note, SETTLE_TRANSACTION: note }, standing);
    seen.push(taken);
  }
  if (action.does === 'fault') {
    seen.push(unit.state.faults.emailOtpSync?.failAt);
    unit.setState({ ...unit.state, faults: { emailOtpSync: { failAt: action.value } } });
  }
  if (action.does === 'attempt') {
    await unit.attempt(async () => {
      for (const each of action.actions) await carryOut(unit, each, seen);
      if (action.isRefused) throw new Problem('INVALID_INPUT', 'refused');
    });
  }
}

async function listAll(unit: Unit): Promise<[string, number][]> {
  const { records, totalCount } = await things.page(unit, { limit: 100, before: null, filters: {} });
  expect(totalCount).toBe(records.length);
  return sorted(Object.fromEntries(records.map(({ id, value }) => [id, value])));
}

function sorted(all: Record<string, number>): [string, number][] {
  return Object.entries(all).sort(([one], [two]) => one.localeCompare(two));
}

function pick(all: Record<string, number>, isPicked: (value: number) => boolean): Record<string, number> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => isPicked(value)));
}

const id = fc.constantFrom('a', 'b', 'c', 'd');
const value = fc.integer({ min: 0, max: 9 });
const ofThings: fc.Arbitrary<Action>[] = [
  fc.record({ does: fc.constantFrom('put' as const, 'put' as const, 'drop' as const, 'find' as const), id, value }),
  fc.record({ does: fc.constantFrom('list' as const, 'settle' as const, 'next' as const) }),
  fc.record({ does: fc.constant('fault' as const), value }),
  fc.record({ does: fc.constant('schedule' as const), inMs: fc.constantFrom(-2, -1, 0, 1, 1000) }),
];
// Few of each, so that a list is asked for before and after one of its records changes.
const visitor = fc.constantFrom('a', 'b');
const stay = fc.integer({ min: 0, max: 3 });
const ofVisits: fc.Arbitrary<Action>[] = [
  fc.record({ does: fc.constantFrom('visit' as const, 'visit' as const, 'leave' as const), id: visitor, value: stay }),
  fc.record({ does: fc.constantFrom('visitors' as const, 'visitors' as const, 'expire' as const), value: stay }),
];

/** Groups of units that do such actions, also as attempts that may be undone. */
function groupsOf(plain: readonly fc.Arbitrary<Action>[]): fc.Arbitrary<Program[][]> {
  const attempt = fc.record({
    does: fc.constant('attempt' as const),
    actions: fc.array(fc.oneof(...plain), { maxLength: 3 }),
    isRefused: fc.boolean(),
  });
  const program: fc.Arbitrary<Program> = fc.record({
    platformId: fc.constantFrom('p1', 'p2'),
    actions: fc.array(fc.oneof(...plain, attempt), { minLength: 1, maxLength: 4 }),
    ends: fc.constantFrom('kept', 'kept', 'kept', 'kept', 'kept', 'refused', 'broken'),
  });
  return fc.array(fc.array(program, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
}

const places: readonly [name: string, open: () => Promise<Store>][] = [
  ['a store that will be gone', openStore],
  ['a store that stays', async () => (await makePlace())()],
];

describe.each(places)('in %s', (_, open) => {
  async function setUp(): Promise<Units> {
    const store = await open();
    onTestFinished(() => store.close());
    const derive = createDerive('00');
    const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), cursors: createCursors('key') };
    return createUnits({ ...parts, derive, proofs: createProofs(derive) });
  }

  test.each([
    ['records and effects', groupsOf(ofThings)],
    ['lists that stay known, and expiries', groupsOf(ofVisits)],
  ])('simultaneous units see and store the same as units that run alone: %s', async (_, groups) => {
    const units = await setUp();
    const platforms = ['p1', 'p2'];
    await fc.assert(
      fc.asyncProperty(groups, async (chosen) => {
        for (const platform of platforms) {
          await units.create(platform, { state: freshPlatform }, async () => {});
        }
        const worlds: Record<string, World> = {};
        for (const platform of platforms) worlds[platform] = { things: {}, visits: {}, due: [], failAt: undefined };
        try {
          for (const group of chosen) {
            const outcomes = await Promise.all(group.map((one) => run(units, one)));
            expect(outcomes).toEqual(group.map((one) => expected(worlds[one.platformId] as World, one)));
          }
          for (const platform of platforms) {
            const { things: kept, due } = worlds[platform] as World;
            const found = await units.run(platform, async (unit) => {
              const listed = await listAll(unit);
              const effects = (await listDue(unit, 100)).map(({ dueAt }) => dueAt);
              return { listed, effects };
            });
            expect(found).toEqual({ listed: sorted(kept), effects: due });
          }
        } finally {
          for (const platform of platforms) await units.end(platform);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  const visit = (id: string, value: number): Action => ({ does: 'visit', id, value });
  const visitors = (value: number): Action => ({ does: 'visitors', value });
  const expire = (value: number): Action => ({ does: 'expire', value });
  test.each<[string, readonly Action[]]>([
    ['a new record joins the list', [visit('a', 0), visitors(0), visit('b', 2), visitors(0)]],
    [
      'a changed record leaves its list for another',
      [visit('a', 0), visitors(0), visitors(1), visit('a', 1), visitors(0), visitors(1)],
    ],
    [
      'a removed record leaves the list',
      [visit('a', 0), visitors(0), { does: 'leave', id: 'a', value: 0 }, visitors(0)],
    ],
    ['an expired record leaves the list', [visit('a', 1), visit('b', 3), visitors(1), expire(1), visitors(1)]],
    ['a new record expires before all others', [visit('a', 3), expire(0), visit('b', 1), expire(2), visitors(1)]],
    ['a changed record expires sooner', [visit('a', 3), expire(0), visit('a', 1), expire(2), visitors(1)]],
  ])('%s, in the next unit too', async (_, actions) => {
    const units = await setUp();
    await units.create('p1', { state: freshPlatform }, async () => {});
    const world: World = { things: {}, visits: {}, due: [], failAt: undefined };
    for (const action of actions) {
      const one = { platformId: 'p1', ends: 'kept', actions: [action] } as const;
      expect(await run(units, one)).toEqual(expected(world, one));
    }
  });

  test('an effect that schedules a sooner one is followed by it, and then by those that were due before', async () => {
    const units = await setUp();
    await units.create('p1', { state: freshPlatform }, async () => {});
    await units.run('p1', async (unit) => {
      for (const inMs of [-9, -5, -1]) await schedule(unit, 'EXPIRE_QUOTE', `Quote:${inMs}`, startOfTime + inMs);
    });
    const carriedOut: string[] = [];
    const settle = (): Promise<boolean> =>
      units.run('p1', (unit) =>
        settleSlice(
          unit,
          {
            EXPIRE_QUOTE: {
              ...anySubject,
              carryOut: async (at) => {
                carriedOut.push(`quote ${at.now() - startOfTime}`);
                if (carriedOut.length === 1) {
                  for (const inMs of [-7, -5]) {
                    await schedule(at, 'SETTLE_TRANSACTION', `Transaction:${inMs}`, startOfTime + inMs);
                  }
                }
              },
            },
            SETTLE_TRANSACTION: {
              ...anySubject,
              carryOut: async (at) => void carriedOut.push(`transaction ${at.now() - startOfTime}`),
            },
          },
          standing,
        ),
      );
    expect([await settle(), await settle(), await settle()]).toEqual([true, false, false]);
    expect(carriedOut).toEqual(['quote -9', 'transaction -7', 'quote -5', 'transaction -5', 'quote -1']);
  });

  test('a unit that fails half-way takes nothing from the others of its group, and they happen once', async () => {
    const units = await setUp();
    await units.create('p1', { state: freshPlatform }, async () => {});
    const put = (id: string, value: number): Action => ({ does: 'put', id, value });
    await run(units, { platformId: 'p1', ends: 'kept', actions: [put('a', 1), { does: 'schedule', inMs: -1 }] });
    const tellings: unknown[] = [];
    const outcomes = await Promise.all([
      run(units, { platformId: 'p1', ends: 'kept', actions: [{ does: 'settle' }, put('a', 2)] }),
      run(units, {
        platformId: 'p1',
        ends: 'broken',
        actions: [put('a', 3), put('b', 1), { does: 'schedule', inMs: -5 }],
      }),
      run(units, {
        platformId: 'p1',
        ends: 'kept',
        actions: [{ does: 'find', id: 'a', value: 0 }, { does: 'settle' }],
      }),
      units.run('p1', async (unit) => {
        tellings.push(await listAll(unit));
        return 'listed';
      }),
    ]);
    expect(outcomes).toEqual([['kept', [[startOfTime - 1]]], ['broken'], ['kept', [2, []]], 'listed']);
    expect(tellings.at(-1)).toEqual([['a', 2]]);
  });
});

/** How a unit ended, with what it saw if it was committed. */
async function run(units: Units, { platformId, actions, ends }: Program): Promise<readonly unknown[]> {
  try {
    const seen = await units.run(platformId, async (unit) => {
      const all: unknown[] = [];
      for (const action of actions) await carryOut(unit, action, all);
      if (ends === 'refused') throw new Problem('INVALID_INPUT', 'refused');
      if (ends === 'broken') throw new Error('broken');
      return all;
    });
    return ['kept', seen];
  } catch (error) {
    if (error instanceof Problem) return ['refused'];
    if (error instanceof Error && error.message === 'broken') return ['broken'];
    throw error;
  }
}

function expected(world: World, { actions, ends }: Program): readonly unknown[] {
  const before = structuredClone(world);
  const seen: unknown[] = [];
  for (const action of actions) act(world, action, seen);
  if (ends === 'kept') return ['kept', seen];
  Object.assign(world, before);
  return [ends];
}
