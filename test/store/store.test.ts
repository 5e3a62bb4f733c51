/** Promise: a unit of work is all or nothing, runs alone in its platform, and behaves the same on every engine. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWasmStore } from '../../mocks/sandbox/browser/store.ts';
import { createProofs } from '../../mocks/sandbox/proofs/factory.ts';
import { recordTable } from '../../mocks/sandbox/store/records/table.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { freshPlatform } from '../../mocks/sandbox/store/units/platformState.ts';
import type { Unit, Units } from '../../mocks/sandbox/store/units/unit.ts';
import { createUnits } from '../../mocks/sandbox/store/units/units.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createCursors } from '../../mocks/sandbox/tools/cursor.ts';
import { createDerive } from '../../mocks/sandbox/tools/derive.ts';
import { runs } from '../support/run/length.ts';
import { engine, makePlace, openStore } from '../support/sandbox/database.ts';
import { startOfTime } from '../support/sandbox/harness.ts';

// SQLite in memory, in a file, and in the build for a page; or, in another project of vitest.config.ts, PostgreSQL.
const engines: readonly [name: string, open: () => Promise<Store>][] = [
  [`${engine()}, to be gone`, openStore],
  [`${engine()}, to stay`, async () => (await makePlace())()],
  ...(engine() === 'SQLite' ? [['WebAssembly, to be gone', () => openWasmStore()] as [string, typeof openStore]] : []),
];

interface Thing {
  readonly id: string;
  readonly owner: string;
  readonly note?: string;
}

// Any record table would work. This one has two filter columns that the test can count by.
const things = recordTable<Thing, 'customer_id' | 'type'>({
  name: 'internal_accounts',
  columns: (thing) => ({ customer_id: thing.owner, type: 'T', currency: 'USD' }),
  counted: ['*', 'customer_id'],
});

describe.each(engines)('%s', (_name, open) => {
  async function setUp(): Promise<{ store: Store; units: Units }> {
    const store = await open();
    onTestFinished(() => store.close());
    const cursors = createCursors('key');
    const derive = createDerive('00');
    const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), cursors };
    const units = createUnits({ ...parts, derive, proofs: createProofs(derive) });
    for (const platform of ['p1', 'p2']) await units.create(platform, { state: freshPlatform }, async () => {});
    return { store, units };
  }
  const add = (unit: Unit, id: string, owner = 'o1') => things.insert(unit, { id, owner });
  const ids = (units: Units, platform = 'p1') =>
    units.run(platform, async (unit) => {
      const page = await things.page(unit, { limit: 100, before: null, filters: {} });
      expect(page.totalCount).toBe(page.records.length);
      return page.records.map(({ id }) => id);
    });

  it('keeps a unit that ends and nothing of one that throws, also when both share a commit', async () => {
    const { units } = await setUp();
    const outcomes = await Promise.allSettled([
      units.run('p1', (unit) => add(unit, 'kept-1')),
      units.run('p1', async (unit) => {
        await add(unit, 'lost');
        throw new Error('refused');
      }),
      units.run('p1', (unit) => add(unit, 'kept-2')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ids(units)).toEqual(['kept-2', 'kept-1']);
  });

  it('hands the thrown error through, and a constraint violation as the fault of ours that it is', async () => {
    const { units } = await setUp();
    await units.run('p1', (unit) => add(unit, 'same'));
    await expect(units.run('p1', () => Promise.reject(new RangeError('mine')))).rejects.toThrow(RangeError);
    await expect(units.run('p1', (unit) => add(unit, 'same'))).rejects.toThrow(/constraint/i);
    expect(await ids(units)).toEqual(['same']);
  });

  it('refuses a statement that was not awaited and runs after its unit', async () => {
    const { units } = await setUp();
    let stray: Unit | undefined;
    await units.run('p1', async (unit) => {
      stray = unit;
    });
    await expect(add(stray as Unit, 'stray')).rejects.toThrow(/an await is missing/);
    expect(await ids(units)).toEqual([]);
  });

  it('keeps platforms apart: the same id on both, each with its own list, count and sequence', async () => {
    const { units } = await setUp();
    const [one, two] = await Promise.all([
      units.run('p1', (u) => add(u, 'same')),
      units.run('p2', (u) => add(u, 'same')),
    ]);
    expect([one.sequence, two.sequence]).toEqual([1, 1]);
    await units.run('p2', async (unit) => {
      await things.remove(unit, two);
    });
    expect(await ids(units, 'p1')).toEqual(['same']);
    expect(await ids(units, 'p2')).toEqual([]);
  });

  it('empties one platform on reset and leaves the other', async () => {
    const { units } = await setUp();
    await units.run('p1', (unit) => add(unit, 'old'));
    await units.run('p2', (unit) => add(unit, 'other'));
    await units.reset('p1', async (unit) => {
      await add(unit, 'new');
    });
    expect(await ids(units, 'p1')).toEqual(['new']);
    expect(await ids(units, 'p2')).toEqual(['other']);
  });

  it('refuses to replace a record that was replaced since it was read', async () => {
    const { units } = await setUp();
    const work = units.run('p1', async (unit) => {
      const first = await add(unit, 'a');
      await things.replace(unit, first, { ...first, note: 'one' });
      await things.replace(unit, first, { ...first, note: 'two' });
    });
    await expect(work).rejects.toThrow(/replaced by somebody else/);
  });

  it('shows to a read only what was committed', async () => {
    const { store, units } = await setUp();
    await units.run('p1', (unit) => add(unit, 'a'));
    let during: unknown;
    const writing = units.run('p1', (unit) => add(unit, 'b'));
    await store.read(async (reader) => {
      during = await things.peek(reader, 'p1', 'a');
    });
    await writing;
    expect(during).toMatchObject({ id: 'a', owner: 'o1' });
    expect(await store.read((reader) => things.peek(reader, 'p2', 'a'))).toBeUndefined();
  });

  it('counts by list and by owner exactly, whatever is inserted, replaced and removed', async () => {
    const { units } = await setUp();
    const step = fc.record({
      kind: fc.constantFrom('add', 'move', 'remove'),
      slot: fc.nat(5),
      owner: fc.constantFrom('o1', 'o2'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        await units.reset('p1', async () => {});
        const model = new Map<string, string>();
        for (const { kind, slot, owner } of steps) {
          await units.run('p1', async (unit) => {
            const id = `t${slot}`;
            const found = await things.find(unit, id);
            if (kind === 'add' && found === undefined) model.set((await add(unit, id, owner)).id, owner);
            if (kind === 'move' && found !== undefined) {
              await things.replace(unit, found, { ...found, owner });
              model.set(id, owner);
            }
            if (kind === 'remove' && found !== undefined) {
              await things.remove(unit, found);
              model.delete(id);
            }
          });
        }
        await units.run('p1', async (unit) => {
          for (const owner of ['o1', 'o2']) {
            const expected = [...model.values()].filter((one) => one === owner).length;
            const byOwner = await things.page(unit, { limit: 1, before: null, filters: { customer_id: owner } });
            const counted = await things.page(unit, {
              limit: 1,
              before: null,
              filters: { customer_id: owner, type: 'T' },
            });
            expect([byOwner.totalCount, counted.totalCount]).toEqual([expected, expected]);
          }
          expect((await things.page(unit, { limit: 1, before: null, filters: {} })).totalCount).toBe(model.size);
        });
      }),
      { numRuns: runs(25) },
    );
  });
});
