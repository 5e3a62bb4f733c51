import type { Proofs } from '../../proofs/proofs.ts';
import { type Chance, type IdType, makeId } from '../../tools/chance.ts';
import type { ClockState } from '../../tools/clock.ts';
import type { Cursors } from '../../tools/cursor.ts';
import { Problem } from '../../tools/problem.ts';
import { query } from '../query.ts';
import { addToCounter } from '../records/counters.ts';
import { weightCounter } from '../records/weight.ts';
import { platformSettings, tablesRead, tableWritten } from '../statements.ts';
import type { Reader, Result, Statement } from '../store.ts';
import type { LongWork } from './longWork.ts';
import { nameOfPlatform, type UnitMemory } from './memory.ts';
import type { PlatformState } from './platformState.ts';
import type { LongUnit, Unit, UnitEvent } from './unit.ts';

const save = query<{ id: string; sequence: number; latest: number; body: string }>((db, p) =>
  db.updateTable('platforms').set({ sequence: p.sequence, latest: p.latest, body: p.body }).where('id', '=', p.id),
);
const saveNumbers = query<{ id: string; sequence: number; latest: number }>((db, p) =>
  db.updateTable('platforms').set({ sequence: p.sequence, latest: p.latest }).where('id', '=', p.id),
);

/** A stored platform. */
export interface LoadedPlatform {
  readonly rowsId: string;
  readonly sequence: number;
  readonly state: PlatformState;
  /** The instant of its latest write; null if it isn't known. */
  readonly latest: number | null;
}

interface OpenUnitFacts {
  readonly platformId: string;
  readonly rowsId: string;
  /** Present if this is long work on rows that aren't the platform's yet. */
  readonly long?: LongWork | undefined;
  readonly isHidden: boolean;
  readonly sequence: number;
  readonly state: PlatformState;
  readonly memory: UnitMemory;
  readonly now: number;
  readonly latest: number | null;
  /** The time of a clock that the unit has moved. */
  readonly readClock: (state: ClockState) => number;
  readonly chance: Chance;
  readonly chanceOf: (effect: string) => Chance;
  readonly cursors: Cursors;
  readonly proofs: () => Proofs;
  readonly derive: Unit['derive'];
}

/** A unit while its work runs. */
export class OpenUnit implements LongUnit {
  readonly platformId: string;
  readonly rowsId: string;
  readonly isHidden: boolean;
  readonly dueBy: number;
  readonly cursors: Cursors;
  readonly derive: Unit['derive'];
  readonly builder: Reader['builder'];
  readonly memory: UnitMemory;
  readonly looked = new Set([platformSettings]);
  /** For code that keeps {@link memory} up to date itself. */
  readonly rows: Reader;
  readonly #tx: Reader;
  readonly #long: LongWork | undefined;
  readonly #chance: Chance;
  readonly #chanceOf: OpenUnitFacts['chanceOf'];
  readonly #proofs: () => Proofs;
  readonly #stateBefore: PlatformState;
  readonly #latestBefore: number | null;
  readonly #readClock: OpenUnitFacts['readClock'];
  /** The events to report, in the order in which they happened. */
  told: UnitEvent[] | undefined;
  #sequence: number;
  #state: PlatformState;
  #changed = false;
  /** By how much the records weigh more than before. */
  #weight = 0;
  #hasWritten = false;
  #isRepeatable = true;

  constructor(tx: Reader, facts: OpenUnitFacts) {
    this.#tx = tx;
    this.builder = tx.builder;
    this.memory = facts.memory;
    this.rows = { builder: tx.builder, execute: (statement) => this.#run(statement) };
    this.platformId = facts.platformId;
    this.rowsId = facts.rowsId;
    this.isHidden = facts.isHidden;
    this.#long = facts.long;
    this.dueBy = facts.now;
    this.#chance = facts.chance;
    this.#chanceOf = facts.chanceOf;
    this.cursors = facts.cursors;
    this.#proofs = facts.proofs;
    this.derive = facts.derive;
    this.#sequence = facts.sequence;
    this.#state = facts.state;
    this.#stateBefore = facts.state;
    this.#latestBefore = facts.latest;
    this.#readClock = facts.readClock;
  }

  now(): number {
    this.#isRepeatable = false;
    return this.dueBy;
  }

  chance(): Chance {
    this.#isRepeatable = false;
    return this.#chance;
  }

  proofs(): Proofs {
    this.#isRepeatable = false;
    return this.#proofs();
  }

  isRepeatable(): boolean {
    return this.#isRepeatable;
  }

  async pause(): Promise<void> {
    if (this.#long?.isOver !== true) return;
    // What long work knows would grow with it.
    this.memory.cutOff();
    await this.#long.pause();
  }

  outside<T>(wait: () => Promise<T>): Promise<T> {
    return this.#long === undefined ? wait() : this.#long.outside(wait);
  }

  get state(): PlatformState {
    return this.#state;
  }

  get clock(): ClockState {
    const { clock } = this.#stateBefore;
    return this.#readClock(clock) < this.dueBy ? { offsetMs: clock.offsetMs, frozenAt: this.dueBy } : clock;
  }

  setState(state: PlatformState): void {
    this.#state = state;
    this.#changed = true;
    this.#isRepeatable = false;
  }

  tell(event: UnitEvent): void {
    this.told ??= [];
    this.told.push(event);
  }

  execute(statement: Statement): Promise<Result> {
    if (tableWritten(statement.sql) !== undefined) this.memory.cutOff();
    return this.#run(statement);
  }

  #run(statement: Statement): Promise<Result> {
    if (statement.sql.startsWith('select')) for (const table of tablesRead(statement.sql)) this.looked.add(table);
    else {
      this.#isRepeatable = false;
      this.#hasWritten ||= tableWritten(statement.sql) !== undefined;
    }
    return this.#tx.execute(statement);
  }

  nextSequence(): number {
    this.#changed = true;
    this.#isRepeatable = false;
    this.#sequence += 1;
    return this.#sequence;
  }

  lastSequence(): number {
    this.#isRepeatable = false;
    return this.#sequence;
  }

  continueFrom(sequence: number): void {
    this.#changed = true;
    this.#isRepeatable = false;
    this.#sequence = Math.max(this.#sequence, sequence);
  }

  weigh(change: number): void {
    this.#weight += change;
  }

  newId(type: IdType): string {
    return makeId(type, this.now(), this.chance());
  }

  at(instant: number): Unit {
    return this.#at(instant, this.chance());
  }

  effectAt(instant: number, name: string): Unit {
    return this.#at(instant, this.#chanceOf(name));
  }

  #at(instant: number, chance: Chance): Unit {
    const unit = this;
    const proofs = this.proofs();
    return {
      platformId: this.platformId,
      rowsId: this.rowsId,
      isHidden: this.isHidden,
      pause: () => this.pause(),
      now: () => instant,
      dueBy: instant,
      isRepeatable: () => this.isRepeatable(),
      chance: () => chance,
      cursors: this.cursors,
      proofs: () => proofs,
      builder: this.builder,
      derive: this.derive,
      memory: this.memory,
      looked: this.looked,
      rows: this.rows,
      get state() {
        return unit.state;
      },
      get clock() {
        return unit.clock;
      },
      setState: (state) => this.setState(state),
      tell: (event) => this.tell(event),
      execute: (statement) => this.execute(statement),
      nextSequence: () => this.nextSequence(),
      lastSequence: () => this.lastSequence(),
      continueFrom: (sequence) => this.continueFrom(sequence),
      weigh: (change) => this.weigh(change),
      newId: (type) => makeId(type, instant, chance),
      at: (other) => this.#at(other, chance),
      effectAt: (other, name) => this.effectAt(other, name),
      attempt: (work) => this.attempt(work),
    };
  }

  async attempt<T>(work: () => Promise<T>): Promise<T | Problem> {
    const state = this.#state;
    const told = this.told?.length ?? 0;
    const weight = this.#weight;
    const forget = this.memory.mark();
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
      this.#weight = weight;
      forget();
      this.told?.splice(told);
      return error;
    }
  }

  async #say(sql: string): Promise<void> {
    await this.#run({ sql, parameters: [] });
  }

  /** What the platform's row gets when these rows become the platform's. */
  async content(): Promise<{ readonly sequence: number; readonly latest: number; readonly body: string }> {
    await this.#flushWeight();
    return { sequence: this.#sequence, latest: this.#latest(), body: JSON.stringify(this.#state) };
  }

  async #flushWeight(): Promise<void> {
    if (this.#weight === 0) return;
    await addToCounter(this.#tx, this.rowsId, weightCounter, this.#weight);
    this.#weight = 0;
  }

  /** The latest instant of the platform after this unit. */
  #latest(): number {
    const { clock } = this.#state;
    return clock === this.#stateBefore.clock ? this.dueBy : this.#readClock(clock);
  }

  /** Writes the platform back once, if it or its latest instant has changed. A unit that only reads writes nothing. */
  async flush(): Promise<void> {
    await this.#flushWeight();
    const latest = this.#latest();
    if (!this.#changed && !(this.#hasWritten && latest !== this.#latestBefore)) return;
    const [{ rowsId }, sequence, state] = [this, this.#sequence, this.#state];
    this.memory.set(nameOfPlatform, { rowsId, sequence, state, latest } satisfies LoadedPlatform);
    const place = { id: this.platformId, sequence, latest };
    if (this.#state === this.#stateBefore) await saveNumbers(this.#tx, place);
    else await save(this.#tx, { ...place, body: JSON.stringify(this.#state) });
  }
}
