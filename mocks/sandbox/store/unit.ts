import { sql } from 'kysely';
import { type Chance, type ChanceSource, type IdType, makeId } from '../kernel/chance.ts';
import { type Clock, type ClockState, readClock, runningClock } from '../kernel/clock.ts';
import type { Cursors } from '../kernel/cursor.ts';
import type { Derive } from '../kernel/derive.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProofsFactory } from '../kernel/proofs/factory.ts';
import { defaultProofSettings, type ProofSettings, type Proofs } from '../kernel/proofs/proofs.ts';
import { firstRow, query } from './query.ts';
import { type Reader, type Result, type Row, recordTables, type Statement, type Store } from './store.ts';

/** What a platform keeps beside its records: its clock, what proofs are checked against, and planted faults. */
export interface PlatformState extends ProofSettings {
  readonly clock: ClockState;
  readonly faults: Faults;
}

/** Failures that can't be brought about through the interface, planted by the control surface. */
export interface Faults {
  /** The sync of a customer's e-mail fails at the EMAIL_OTP credential with this index, counted from 0. */
  readonly emailOtpSync?: { readonly failAt: number };
}

/** One unit of work of one platform: everything a handler may touch. */
export interface Unit extends Reader {
  readonly platformId: string;
  /** The platform's time, the same all through the unit; milliseconds since 1970. */
  readonly now: number;
  readonly chance: Chance;
  /** The platform's growing sequence: the order of its lists. */
  nextSequence(): number;
  newId(type: IdType): string;
  /** The same unit at an earlier instant: for what was due then and is carried out only now. */
  at(instant: number): Unit;
  /**
   * Does the work, or leaves nothing of it and returns the Problem that it ended in; whatever else is thrown goes on and
   * ends the unit.
   */
  attempt<T>(work: () => Promise<T>): Promise<T | Problem>;
  readonly cursors: Cursors;
  readonly proofs: Proofs;
  /** Bytes that belong to `label` on this platform, always the same. */
  derive(label: string, length: number): Uint8Array<ArrayBuffer>;
  readonly state: PlatformState;
  /** Replaces what the platform keeps; `now` stays as it was for the rest of this unit. */
  setState(state: PlatformState): void;
}

/** The same for work outside a unit that must not write (see `prepare`): who, when, and chance. */
export interface Moment {
  readonly platformId: string;
  readonly now: number;
  readonly chance: Chance;
  readonly proofs: Proofs;
  derive(label: string, length: number): Uint8Array<ArrayBuffer>;
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
}

/** What a platform is at its first moment; the rest of it is known to whoever fills it. */
export interface FirstMoment {
  readonly state: PlatformState;
}

export type Fill<First extends FirstMoment> = (unit: Unit, first: First) => Promise<void>;

/** Opens units of work on a store, each with its platform's clock, sequence and chance. */
export interface Units {
  /** @throws StorageUnavailable, and whatever `work` throws, after nothing was kept. */
  run<T>(platformId: string, work: (unit: Unit) => Promise<T>): Promise<T>;
  /**
   * Makes a platform if it is not there yet, and runs `fill` in the same unit. `first` is kept for {@link reset}.
   * @returns whether it was made.
   */
  create<First extends FirstMoment>(platformId: string, first: First, fill: Fill<First>): Promise<boolean>;
  /** Empties a platform and makes it what it was at first, all in one unit. */
  reset<First extends FirstMoment>(platformId: string, fill: Fill<First>): Promise<void>;
  /** Changes what {@link reset} brings a platform back to; what was kept before may lack anything. */
  refound<First extends FirstMoment>(platformId: string, change: (kept: Partial<First>) => First): Promise<void>;
  /** Removes a platform with all that it has. */
  end(platformId: string): Promise<void>;
  exists(platformId: string): Promise<boolean>;
  /** How many platforms were made in all, those that have ended among them. */
  countMade(): Promise<number>;
  moment(platformId: string, purpose: string): Promise<Moment>;
  /** How a platform's clock stands. */
  clockOf(platformId: string): Promise<ClockState>;
}

const load = query<{ id: string }>((db, p) =>
  db.selectFrom('platforms').select(['sequence', 'body']).where('id', '=', p.id),
);
const save = query<{ id: string; sequence: number; body: string }>((db, p) =>
  db.updateTable('platforms').set({ sequence: p.sequence, body: p.body }).where('id', '=', p.id),
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
// Beside the platforms, so that no end of one takes it along.
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
}

export function createUnits({ store, clock, chance, cursors, derive, proofs }: UnitParts): Units {
  const open = (tx: Reader, platformId: string, sequence: number, state: PlatformState): OpenUnit =>
    new OpenUnit(tx, {
      platformId,
      sequence,
      state,
      now: readClock(state.clock, clock.now()),
      chance: chance.scope(`${platformId}/unit/${sequence}`),
      cursors,
      proofs: proofs(platformId, state),
      derive: (label, length) => derive(platformId, label, length),
    });

  return {
    run: (platformId, work) =>
      store.transaction(platformId, async (tx) => {
        const platform = await mustLoad(tx, platformId);
        const unit = open(tx, platformId, platform.sequence, platform.state);
        const result = await work(unit);
        await unit.flush();
        return result;
      }),
    create: (platformId, first, fill) =>
      store.transaction(platformId, async (tx) => {
        if (firstRow(await load(tx, { id: platformId })) !== undefined) return false;
        await addMade(tx, {});
        await insert(tx, { id: platformId, body: JSON.stringify(first.state), first: JSON.stringify(first) });
        const unit = open(tx, platformId, 0, first.state);
        await fill(unit, first);
        await unit.flush();
        return true;
      }),
    reset: <First extends FirstMoment>(platformId: string, fill: Fill<First>) =>
      store.transaction(platformId, async (tx) => {
        const row = mustBeThere(firstRow(await loadFirst(tx, { id: platformId })));
        const first = JSON.parse(String(row['first'])) as First;
        await removeRecords(tx, platformId);
        const unit = open(tx, platformId, 0, first.state);
        unit.setState(first.state);
        await fill(unit, first);
        await unit.flush();
      }),
    refound: <First extends FirstMoment>(platformId: string, change: (kept: Partial<First>) => First) =>
      store.transaction(platformId, async (tx) => {
        const row = mustBeThere(firstRow(await loadFirst(tx, { id: platformId })));
        const kept = JSON.parse(String(row['first'])) as Partial<First>;
        await saveFirst(tx, { id: platformId, first: JSON.stringify(change(kept)) });
      }),
    end: (platformId) =>
      store.transaction(platformId, async (tx) => {
        await removeRecords(tx, platformId);
        await remove(tx, { id: platformId });
      }),
    exists: (platformId) =>
      store.read(async (reader) => firstRow(await load(reader, { id: platformId })) !== undefined),
    countMade: () => store.read(async (reader) => Number(firstRow(await loadMade(reader, {}))?.['count'] ?? 0)),
    moment: async (platformId, purpose) => {
      const platform = await store.read((reader) => mustLoad(reader, platformId));
      return {
        platformId,
        now: readClock(platform.state.clock, clock.now()),
        chance: chance.scope(`${platformId}/${purpose}/${platform.sequence}`),
        proofs: proofs(platformId, platform.state),
        derive: (label, length) => derive(platformId, label, length),
        read: (work) => store.read(work),
      };
    },
    clockOf: async (platformId) => (await store.read((reader) => mustLoad(reader, platformId))).state.clock,
  };
}

/** A platform at its first moment: its clock runs with the machine's, its proofs are `magic`. */
export const freshPlatform: PlatformState = { clock: runningClock, ...defaultProofSettings, faults: {} };

async function mustLoad(reader: Reader, id: string): Promise<{ sequence: number; state: PlatformState }> {
  const row = mustBeThere(firstRow(await load(reader, { id })));
  // A file from before some part of the state was thought of lacks it.
  const state = { ...freshPlatform, ...(JSON.parse(String(row['body'])) as Partial<PlatformState>) };
  return { sequence: Number(row['sequence']), state };
}

/** @throws Problem 401 for a platform that ended between the check of its credentials and this unit. */
function mustBeThere(row: Row | undefined): Row {
  if (row === undefined) throw new Problem('UNAUTHORIZED', 'The platform of these credentials has ended.');
  return row;
}

async function removeRecords(tx: Reader, platformId: string): Promise<void> {
  for (const removal of removals) await removal(tx, { platformId });
}

interface OpenUnitFacts {
  readonly platformId: string;
  readonly sequence: number;
  readonly state: PlatformState;
  readonly now: number;
  readonly chance: Chance;
  readonly cursors: Cursors;
  readonly proofs: Proofs;
  readonly derive: Unit['derive'];
}

class OpenUnit implements Unit {
  readonly platformId: string;
  readonly now: number;
  readonly chance: Chance;
  readonly cursors: Cursors;
  readonly proofs: Proofs;
  readonly derive: Unit['derive'];
  readonly builder: Reader['builder'];
  readonly #tx: Reader;
  #sequence: number;
  #state: PlatformState;
  #changed = false;

  constructor(tx: Reader, facts: OpenUnitFacts) {
    this.#tx = tx;
    this.builder = tx.builder;
    this.platformId = facts.platformId;
    this.now = facts.now;
    this.chance = facts.chance;
    this.cursors = facts.cursors;
    this.proofs = facts.proofs;
    this.derive = facts.derive;
    this.#sequence = facts.sequence;
    this.#state = facts.state;
  }

  get state(): PlatformState {
    return this.#state;
  }

  setState(state: PlatformState): void {
    this.#state = state;
    this.#changed = true;
  }

  execute(statement: Statement): Promise<Result> {
    return this.#tx.execute(statement);
  }

  nextSequence(): number {
    this.#changed = true;
    this.#sequence += 1;
    return this.#sequence;
  }

  newId(type: IdType): string {
    return makeId(type, this.now, this.chance);
  }

  at(instant: number): Unit {
    const unit = this;
    return {
      platformId: this.platformId,
      now: instant,
      chance: this.chance,
      cursors: this.cursors,
      proofs: this.proofs,
      builder: this.builder,
      derive: this.derive,
      get state() {
        return unit.state;
      },
      setState: (state) => this.setState(state),
      execute: (statement) => this.execute(statement),
      nextSequence: () => this.nextSequence(),
      newId: (type) => makeId(type, instant, this.chance),
      at: (other) => this.at(other),
      attempt: (work) => this.attempt(work),
    };
  }

  async attempt<T>(work: () => Promise<T>): Promise<T | Problem> {
    const state = this.#state;
    await this.#say('savepoint attempt');
    try {
      const result = await work();
      await this.#say('release savepoint attempt');
      return result;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.#say('rollback to savepoint attempt');
      await this.#say('release savepoint attempt');
      this.#state = state;
      return error;
    }
  }

  async #say(sql: string): Promise<void> {
    await this.execute({ sql, parameters: [] });
  }

  /** Writes the platform back once, if anything of it changed. */
  async flush(): Promise<void> {
    if (!this.#changed) return;
    await save(this.#tx, { id: this.platformId, sequence: this.#sequence, body: JSON.stringify(this.#state) });
  }
}
