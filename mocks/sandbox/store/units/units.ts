import { sql } from 'kysely';
import type { ProofsFactory } from '../../proofs/factory.ts';
import type { ChanceSource } from '../../tools/chance.ts';
import { type Clock, readClock, type Stopwatch, systemStopwatch } from '../../tools/clock.ts';
import type { Cursors } from '../../tools/cursor.ts';
import type { Derive } from '../../tools/derive.ts';
import { Problem } from '../../tools/problem.ts';
import { firstRow, query } from '../query.ts';
import { type Reader, type Row, recordTables, type Store } from '../store.ts';
import { readStored } from '../storedJson.ts';
import { keyOf, nameOfPlatform, UnitMemory } from './memory.ts';
import { type LoadedPlatform, OpenUnit } from './openUnit.ts';
import { freshPlatform, type PlatformState } from './platformState.ts';
import type { Fill, InitialPlatform, UnitEvent, Units } from './unit.ts';

const load = query<{ id: string }>((db, p) =>
  db.selectFrom('platforms').select(['sequence', 'body']).where('id', '=', p.id),
);
const loadFirst = query<{ id: string }>((db, p) => db.selectFrom('platforms').select('first').where('id', '=', p.id));
const saveFirst = query<{ id: string; first: string }>((db, p) =>
  db.updateTable('platforms').set({ first: p.first }).where('id', '=', p.id),
);
const insert = query<{ id: string; body: string; first: string }>((db, p) =>
  db.insertInto('platforms').values({ id: p.id, sequence: 0, body: p.body, first: p.first }),
);
const remove = query<{ id: string }>((db, p) => db.deleteFrom('platforms').where('id', '=', p.id));

const loadMade = query<Record<string, never>>((db) =>
  db.selectFrom('counters').select('count').where('platform_id', '=', '').where('name', '=', 'platforms made'),
);
// Stored outside the platforms, so that it stays when a platform ends.
const addMade = query<Record<string, never>>((db) =>
  db
    .insertInto('counters')
    .values({ platform_id: '', name: 'platforms made', count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'name']).doUpdateSet({ count: sql`counters.count + 1` }),
    ),
);

const removals = [...recordTables, 'counters' as const, 'labels' as const].map((table) =>
  query<{ platformId: string }>((db, p) => db.deleteFrom(table).where('platform_id', '=', p.platformId)),
);

export interface UnitParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly cursors: Cursors;
  readonly derive: Derive;
  readonly proofs: ProofsFactory;
  /** Measures slices of long work; by the machine's clock if absent. */
  readonly stopwatch?: Stopwatch | undefined;
  /** Receives the events of a unit, once it is committed. */
  readonly tell?: (platformId: string, event: UnitEvent) => void;
}

/** After this time a slice of long work ends, in milliseconds. Its last step and the commit come on top. */
const sliceTimeMs = 3;

export function createUnits(parts: UnitParts): Units {
  const { store, clock, chance, cursors, derive, proofs, tell, stopwatch = systemStopwatch } = parts;
  const open = (
    tx: Reader,
    platformId: string,
    { sequence, state }: LoadedPlatform,
    memory = new UnitMemory(platformId, undefined),
  ): OpenUnit =>
    new OpenUnit(tx, {
      platformId,
      sequence,
      state,
      memory,
      now: readClock(state.clock, clock.now()),
      chance: chance.scope(`${platformId}/unit/${sequence}`),
      cursors,
      proofs: () => proofs(platformId, state),
      derive: (label, length) => derive(platformId, label, length, state.derivationKey),
    });

  return {
    run: async (platformId, work) => {
      // A unit with a conflict runs again. Only the last run counts.
      let last: OpenUnit | undefined;
      const result = await store.transaction(platformId, async (tx) => {
        const memory = new UnitMemory(platformId, tx.known);
        const known = memory.get(nameOfPlatform) as LoadedPlatform | undefined;
        const platform = known ?? (await mustLoad(tx, platformId));
        if (known === undefined) memory.set(nameOfPlatform, platform);
        const unit = open(tx, platformId, platform, memory);
        last = unit;
        const result = await work(unit);
        await unit.flush();
        memory.handOn();
        return result;
      });
      for (const event of last?.told ?? []) tell?.(platformId, event);
      return result;
    },
    inSlices: (platformId, work) =>
      store.hold(platformId, (slices) =>
        work((part) =>
          slices.run(async (tx) => {
            const unit = open(tx, platformId, await mustLoad(tx, platformId));
            const end = stopwatch() + sliceTimeMs;
            const value = await part(unit, () => stopwatch() >= end);
            await unit.flush();
            return value;
          }),
        ),
      ),
    create: (platformId, first, fill) =>
      store.transaction(
        platformId,
        async (tx) => {
          if (firstRow(await load(tx, { id: platformId })) !== undefined) return false;
          await addMade(tx, {});
          await insert(tx, { id: platformId, body: JSON.stringify(first.state), first: JSON.stringify(first) });
          const unit = open(tx, platformId, { sequence: 0, state: first.state });
          await fill(unit, first);
          await unit.flush();
          return true;
        },
        'large',
      ),
    reset: <First extends InitialPlatform>(platformId: string, fill: Fill<First>) =>
      store.transaction(
        platformId,
        async (tx) => {
          const row = mustBeThere(firstRow(await loadFirst(tx, { id: platformId })));
          const first = readStored<First>(row, 'first', `The platform ${platformId}`);
          await removeRecords(tx, platformId);
          const unit = open(tx, platformId, { sequence: 0, state: first.state });
          // A new object, so that it replaces the content of the row.
          unit.setState({ ...first.state });
          await fill(unit, first);
          await unit.flush();
        },
        'large',
      ),
    replace: (platformId, fill) =>
      store.transaction(
        platformId,
        async (tx) => {
          const { state } = await mustLoad(tx, platformId);
          await removeRecords(tx, platformId);
          const unit = open(tx, platformId, { sequence: 0, state });
          await fill(unit);
          await unit.flush();
        },
        'large',
      ),
    changeInitial: <First extends InitialPlatform>(platformId: string, change: (kept: Partial<First>) => First) =>
      store.transaction(platformId, async (tx) => {
        const row = mustBeThere(firstRow(await loadFirst(tx, { id: platformId })));
        const kept = readStored<Partial<First>>(row, 'first', `The platform ${platformId}`);
        await saveFirst(tx, { id: platformId, first: JSON.stringify(change(kept)) });
      }),
    end: (platformId) =>
      store.transaction(
        platformId,
        async (tx) => {
          await removeRecords(tx, platformId);
          await remove(tx, { id: platformId });
        },
        'large',
      ),
    exists: (platformId) =>
      store.read(async (reader) => firstRow(await load(reader, { id: platformId })) !== undefined),
    countMade: () => store.read(async (reader) => Number(firstRow(await loadMade(reader, {}))?.['count'] ?? 0)),
    preparation: async (platformId, purpose) => {
      const platform = await store.read((reader) => mustLoad(reader, platformId));
      return {
        platformId,
        now: readClock(platform.state.clock, clock.now()),
        chance: chance.scope(`${platformId}/${purpose}/${platform.sequence}`),
        proofs: proofs(platformId, platform.state),
        derive: (label, length) => derive(platformId, label, length, platform.state.derivationKey),
        read: (work) => store.read(work),
      };
    },
    clockOf: async (platformId) => (await store.read((reader) => mustLoad(reader, platformId))).state.clock,
    versionOf: (platformId, tables) => store.changes?.ofPlatform(platformId, tables),
    recall: (platformId, name) => store.known?.get(keyOf(platformId, name)),
  };
}

async function mustLoad(reader: Reader, id: string): Promise<LoadedPlatform> {
  const row = mustBeThere(firstRow(await load(reader, { id })));
  // A file from an older version may lack parts of the state.
  const state = { ...freshPlatform, ...readStored<Partial<PlatformState>>(row, 'body', `The platform ${id}`) };
  return { sequence: Number(row['sequence']), state };
}

/** @throws Problem 401 if the platform ended between the check of the credentials and this unit */
function mustBeThere(row: Row | undefined): Row {
  if (row === undefined) throw new Problem('UNAUTHORIZED', 'The platform of these credentials was deleted.');
  return row;
}

async function removeRecords(tx: Reader, platformId: string): Promise<void> {
  for (const removal of removals) await removal(tx, { platformId });
}
