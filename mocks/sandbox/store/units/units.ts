import { sql } from 'kysely';
import type { ProofsFactory } from '../../proofs/factory.ts';
import type { ChanceSource } from '../../tools/chance.ts';
import { type Clock, readClock, type Stopwatch, systemStopwatch } from '../../tools/clock.ts';
import type { Cursors } from '../../tools/cursor.ts';
import type { Derive } from '../../tools/derive.ts';
import { Problem, StorageUnavailable } from '../../tools/problem.ts';
import { firstRow, query } from '../query.ts';
import type { Reader, Row, Store } from '../store.ts';
import { readStored } from '../storedJson.ts';
import { LatestInstants } from './latestInstants.ts';
import { Loads, readHeaviest } from './load.ts';
import { LongWork, sliceTimeMs } from './longWork.ts';
import { keyOf, nameOfPlatform, UnitMemory } from './memory.ts';
import { type LoadedPlatform, OpenUnit } from './openUnit.ts';
import { freshPlatform, type PlatformState } from './platformState.ts';
import {
  beginRows,
  listUnfinished,
  noteFinished,
  noteOpen,
  noteRemoval,
  removeOpeners,
  removeRows,
  showOpeners,
} from './rows.ts';
import type { Fill, InitialPlatform, UnitEvent, Units } from './unit.ts';

const load = query<{ id: string }>((db, p) =>
  db.selectFrom('platforms').select(['sequence', 'latest', 'body', 'rows']).where('id', '=', p.id),
);
const loadFirst = query<{ id: string }>((db, p) => db.selectFrom('platforms').select('first').where('id', '=', p.id));
const saveFirst = query<{ id: string; first: string }>((db, p) =>
  db.updateTable('platforms').set({ first: p.first }).where('id', '=', p.id),
);
type Content = { id: string; sequence: number; latest: number; body: string; rows: string };
const insert = query<Content & { first: string }>((db, p) =>
  db.insertInto('platforms').values({
    id: p.id,
    sequence: p.sequence,
    latest: p.latest,
    body: p.body,
    first: p.first,
    rows: p.rows,
  }),
);
const take = query<Content>((db, p) =>
  db
    .updateTable('platforms')
    // The body first: a statement that sets only numbers changes nothing that a reply shows.
    .set({ body: p.body, sequence: p.sequence, latest: p.latest, rows: p.rows })
    .where('id', '=', p.id),
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

export function createUnits(parts: UnitParts): Units {
  const { store, clock, chance, cursors, derive, proofs, tell, stopwatch = systemStopwatch } = parts;
  const latestInstants = new LatestInstants(clock);
  const loads = new Loads();
  const open = (
    tx: Reader,
    platformId: string,
    { rowsId, sequence, state, latest }: LoadedPlatform,
    memory = new UnitMemory(platformId, undefined),
    { long, isHidden = false }: { readonly long?: LongWork; readonly isHidden?: boolean } = {},
  ): OpenUnit =>
    new OpenUnit(tx, {
      platformId,
      rowsId,
      long,
      isHidden,
      sequence,
      state,
      memory,
      now: latestInstants.keep(platformId, state.clock, latest),
      latest,
      readClock: (moved) => readClock(moved, clock.now()),
      chance: chance.scope(`${platformId}/unit/${sequence}`),
      chanceOf: (effect) => chance.scope(`${platformId}/effect/${effect}`),
      cursors,
      proofs: () => proofs(platformId, state),
      derive: (label, length) => derive(platformId, label, length, state.derivationKey),
    });

  const inLongWork = <T>(platformId: string, work: (long: LongWork) => Promise<T>): Promise<T> =>
    loads.hold(store, platformId, (slices) => LongWork.run(slices, stopwatch, work));

  /** Removes rows that no platform has. If that fails, the next start does it. */
  const sweep = async (rows: string): Promise<void> => {
    try {
      const work = async (long: LongWork): Promise<void> => {
        await removeRows(long, rows, () => long.pause());
        await noteFinished(long, rows);
      };
      await store.hold(`rows ${rows}`, (slices) => LongWork.run(slices, stopwatch, work), false);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  };

  /** Gives back what this process holds in memory for a platform that has ended. */
  const forget = (platformId: string): void => {
    store.changes?.forget(platformId);
    store.known?.forget(keyOf(platformId, ''));
    proofs.forget(platformId);
    loads.forget(platformId);
  };

  /**
   * Writes new rows beside those of a platform, then makes them the platform's in one step. A process that is killed
   * before this step leaves the platform as it was; after it, the platform has its new state.
   */
  const rebuild = async (
    platformId: string,
    fill: (unit: OpenUnit, row: Row) => Promise<void>,
    initial?: (row: Row) => PlatformState,
  ): Promise<void> => {
    let begun: string | undefined;
    try {
      const before = await inLongWork(platformId, async (long) => {
        const row = mustBeThere(firstRow(await loadFirst(long, { id: platformId })));
        const current = await mustLoad(long, platformId);
        const state = initial?.(row) ?? current.state;
        begun = await beginRows(long, platformId, current.rowsId);
        const hidden = { long, isHidden: true };
        // Its time may be earlier.
        latestInstants.forget(platformId);
        const start = { rowsId: begun, sequence: 0, state, latest: null };
        const unit = open(long, platformId, start, undefined, hidden);
        await fill(unit, row);
        await take(long, { id: platformId, rows: begun, ...(await unit.content()) });
        await noteOpen(long, begun);
        await noteRemoval(long, platformId, current.rowsId);
        await finishOpening(long, begun, current.rowsId);
        return current.rowsId;
      });
      await sweep(before);
    } catch (error) {
      if (begun !== undefined) await sweepFailed(begun);
      throw error;
    }
  };

  /** Removes the rows of work that failed, unless they have become the platform's. */
  const sweepFailed = async (rows: string): Promise<void> => {
    const left = await store.transaction('', listUnfinished).catch(() => []);
    if (left.some((one) => one.rows === rows && one.work === 'remove')) await sweep(rows);
  };

  return {
    run: async (platformId, work) => {
      // A unit with a conflict runs again. Only the last run counts.
      let last: OpenUnit | undefined;
      const result = await loads.unit(store, platformId, async (tx) => {
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
      loads.hold(store, platformId, (slices) =>
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
    create: async (platformId, first, fill, isCounted = true) => {
      let begun: string | undefined;
      try {
        return await inLongWork(platformId, async (long) => {
          if (firstRow(await load(long, { id: platformId })) !== undefined) return false;
          begun = await beginRows(long, platformId, undefined);
          latestInstants.forget(platformId);
          const start = { rowsId: begun, sequence: 0, state: first.state, latest: null };
          const unit = open(long, platformId, start, undefined, { long });
          await fill(unit, first);
          if (isCounted) await addMade(long, {});
          await insert(long, { id: platformId, rows: begun, first: JSON.stringify(first), ...(await unit.content()) });
          await noteFinished(long, begun);
          return true;
        });
      } catch (error) {
        if (begun !== undefined) await sweepFailed(begun);
        throw error;
      }
    },
    reset: <First extends InitialPlatform>(platformId: string, fill: Fill<First>) => {
      const firstOf = (row: Row) => readStored<First>(row, 'first', `The platform ${platformId}`);
      return rebuild(
        platformId,
        (unit, row) => fill(unit, firstOf(row)),
        (row) => firstOf(row).state,
      );
    },
    replace: rebuild,
    changeInitial: <First extends InitialPlatform>(platformId: string, change: (kept: Partial<First>) => First) =>
      store.transaction(platformId, async (tx) => {
        const row = mustBeThere(firstRow(await loadFirst(tx, { id: platformId })));
        const kept = readStored<Partial<First>>(row, 'first', `The platform ${platformId}`);
        await saveFirst(tx, { id: platformId, first: JSON.stringify(change(kept)) });
      }),
    end: async (platformId) => {
      const before = await inLongWork(platformId, async (long) => {
        const row = firstRow(await load(long, { id: platformId }));
        if (row === undefined) return undefined;
        const rows = rowsOf(row, platformId);
        await remove(long, { id: platformId });
        latestInstants.forget(platformId);
        await noteRemoval(long, platformId, rows);
        await removeOpeners(long, rows, () => long.pause());
        return rows;
      });
      if (before !== undefined) await sweep(before);
      forget(platformId);
    },
    finish: async () => {
      const left = await store.transaction('', listUnfinished);
      for (const { rows, platformId, work } of left) {
        if (work !== 'remove') continue;
        await inLongWork(platformId, (long) => removeOpeners(long, rows, () => long.pause()));
      }
      for (const { rows, platformId, work } of left) {
        if (work === 'open') await inLongWork(platformId, (long) => finishOpening(long, rows, undefined));
      }
      // Nobody finds these rows any more, so nobody needs to wait for their end.
      void (async () => {
        for (const { rows, work } of left) if (work === 'remove') await sweep(rows);
      })();
    },
    exists: (platformId) =>
      store.read(async (reader) => firstRow(await load(reader, { id: platformId })) !== undefined),
    countMade: () => store.read(async (reader) => Number(firstRow(await loadMade(reader, {}))?.['count'] ?? 0)),
    preparation: async (platformId, purpose) => {
      const platform = await store.read((reader) => mustLoad(reader, platformId));
      return {
        platformId,
        rowsId: platform.rowsId,
        now: latestInstants.read(platformId, platform.state.clock, platform.latest),
        chance: chance.scope(`${platformId}/${purpose}/${platform.sequence}`),
        proofs: proofs(platformId, platform.state),
        derive: (label, length) => derive(platformId, label, length, platform.state.derivationKey),
        read: (work) => store.read(work),
      };
    },
    clockOf: async (platformId) => (await store.read((reader) => mustLoad(reader, platformId))).state.clock,
    versionOf: (platformId, tables) => store.changes?.ofPlatform(platformId, tables),
    heaviest: async () =>
      (await store.read(readHeaviest)).map((found) => ({ ...found, ...loads.of(found.platformId) })),
    recall: (platformId, name) => store.known?.get(keyOf(platformId, name)),
  };
}

async function mustLoad(reader: Reader, id: string): Promise<LoadedPlatform> {
  const row = mustBeThere(firstRow(await load(reader, { id })));
  // A file from an older version may lack parts of the state.
  const state = { ...freshPlatform, ...readStored<Partial<PlatformState>>(row, 'body', `The platform ${id}`) };
  const latest = row['latest'] === null ? null : Number(row['latest']);
  return { rowsId: rowsOf(row, id), sequence: Number(row['sequence']), state, latest };
}

/** The name of a platform's rows. Before a platform's content was replaced, it is its id. */
function rowsOf(row: Row, platformId: string): string {
  return row['rows'] === null ? platformId : String(row['rows']);
}

/** @throws Problem 401 if the platform ended between the check of the credentials and this unit */
function mustBeThere(row: Row | undefined): Row {
  if (row === undefined) throw new Problem('UNAUTHORIZED', 'The platform of these credentials was deleted.');
  return row;
}

/**
 * Removes what opened a platform before, then shows what opens it now. The platform is held, and a process that is
 * killed meanwhile goes on here at its next start.
 * @param before the name of the rows of before; undefined if they are already known as rows to remove
 */
async function finishOpening(long: LongWork, rows: string, before: string | undefined): Promise<void> {
  const pause = () => long.pause();
  if (before !== undefined) await removeOpeners(long, before, pause);
  await showOpeners(long, rows, pause);
  await noteFinished(long, rows);
}
