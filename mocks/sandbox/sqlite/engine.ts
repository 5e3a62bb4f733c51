import { setImmediate } from '../node/machine/timers.ts';
import { UnitHandle } from '../store/handle.ts';
import { KnownRows } from '../store/known.ts';
import type { Reader, Slices, Store, StoreCounts, UnitSize } from '../store/store.ts';
import { gather } from '../store/units/gather.ts';
import type { Stopwatch } from '../tools/clock.ts';
import { StorageUnavailable } from '../tools/problem.ts';
import { ChangeCounts } from './changeCounts.ts';
import { Connection } from './connection.ts';
import type { SqliteDatabase } from './database.ts';
import { isEngineError } from './engineError.ts';
import { GroupTransaction } from './groupTransaction.ts';
import { Holds } from './holds.ts';
import type { Syncs } from './syncs.ts';

/** The connections and helpers of a store. */
export interface SqliteConnections {
  readonly writer: SqliteDatabase;
  /** A second connection for reads. Without it, reads wait in the queue of the units. */
  readonly reader?: SqliteDatabase;
  /** Closed last. */
  readonly lock?: { close(): void };
  /** What commits wait for. If absent, they are acknowledged at once. */
  readonly syncs?: Syncs;
  /** Moves what was committed from the log into the file. If absent, the engine does so itself. */
  readonly checkpoints?: { noteCommit(): void; noteFailure(): void; idle(): Promise<void>; close(): Promise<void> };
  /** The known rows of its units; empty at first if absent. */
  readonly known?: KnownRows | undefined;
  /** Measures how long a group holds the thread. If absent, groups aren't divided. */
  readonly stopwatch?: Stopwatch | undefined;
}

/** The outcome of a unit. */
interface Outcome {
  readonly hasFailed: boolean;
  /** Resolves or rejects the unit's promise, once its group is on the disk. */
  readonly tell: () => void;
}

interface Job {
  readonly platformId: string;
  /** A slice runs alone, like a large unit. */
  readonly size: UnitSize | 'slice';
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** The maximum number of units that share a commit. More would only make the first unit wait. */
const groupLimit = 256;

/**
 * After this time a group pauses for a turn of the event loop, in which reads are answered. In milliseconds.
 */
const partTimeMs = 3;

/**
 * The store on SQLite, for any build and any place of its pages. Waiting units share one transaction. They are
 * acknowledged when its commit is on the disk.
 */
export class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection | null;
  readonly #syncs: Syncs | null;
  readonly #stopwatch: Stopwatch;
  readonly #lock: SqliteConnections['lock'];
  readonly #checkpoints: SqliteConnections['checkpoints'];
  readonly #queue: Job[] = [];
  readonly #holds = new Holds<Job>((jobs) => this.#add(jobs));
  /** Whether slices have written what no sync has covered yet. */
  #isUnsynced = false;
  readonly changes = new ChangeCounts();
  readonly known: KnownRows;
  #units = 0;
  #commits = 0;
  #failures = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(connections: SqliteConnections) {
    const { writer, reader, lock, syncs, checkpoints, known = new KnownRows(), stopwatch = () => 0 } = connections;
    this.#stopwatch = stopwatch;
    this.#checkpoints = checkpoints;
    this.known = known;
    this.#syncs = syncs ?? null;
    this.#lock = lock;
    this.#writer = new Connection(writer, (table) => this.changes.note(table));
    this.#reader = reader === undefined ? null : new Connection(reader);
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    // A database in memory has only one connection. So its reads queue with the units, and see only whole units too.
    if (this.#reader === null) return this.transaction('', work);
    try {
      return await work(this.#reader);
    } catch (error) {
      throw isEngineError(error) ? new StorageUnavailable(error) : error;
    }
  }

  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size: UnitSize = 'small'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = { platformId, size, work, done: resolve as (value: unknown) => void, failed: reject };
      if (!this.#holds.keep(platformId, job)) this.#add([job]);
    });
  }

  async hold<T>(platformId: string, work: (slices: Slices) => Promise<T>, isPlatform = true): Promise<T> {
    const owner = isPlatform ? platformId : '';
    let hasWritten = false;
    const run = <U>(part: (reader: Reader) => Promise<U>): Promise<U> =>
      this.#runNow(
        'slice',
        async (reader) => {
          const value = await part(reader);
          hasWritten ||= this.changes.hasUnitWritten;
          return value;
        },
        owner,
      );
    await this.#holds.take(platformId);
    try {
      const value = await work({ run });
      // This unit is acknowledged when all slices are on the disk.
      if (hasWritten) await this.#runNow('small', async () => {}, owner);
      return value;
    } finally {
      // Slices don't name the rows that they change.
      if (hasWritten) this.known.clear();
      this.#holds.release(platformId);
    }
  }

  counts(): StoreCounts {
    return { units: this.#units, commits: this.#commits, failures: this.#failures, waiting: this.#queue.length };
  }

  async close(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#syncs?.close();
    await this.#checkpoints?.close();
    this.#reader?.database.close();
    this.#writer.database.close();
    this.#lock?.close();
  }

  /** Adds a job that no hold keeps waiting. */
  #runNow<T>(size: Job['size'], work: (reader: Reader) => Promise<T>, platformId: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add([{ platformId, size, work, done: resolve as (value: unknown) => void, failed: reject }]);
    });
  }

  #add(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    this.#queue.push(...jobs);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not at once, so that units of the same turn of the event loop join the group.
    setImmediate(async () => {
      if (this.#syncs !== null) await gather(() => this.#queue.length, this.#stopwatch);
      // Last, because from here on nothing may be written until the checkpoints allow it.
      await this.#checkpoints?.idle();
      void this.#runGroup().finally(() => {
        this.#scheduled = false;
        if (this.#queue.length > 0) this.#schedule();
        else for (const resolve of this.#idle.splice(0)) resolve();
      });
    });
  }

  /**
   * Runs the waiting units in one transaction, or in several if that takes long: one for each turn of the event loop.
   * One sync acknowledges all of them, so a slow disk costs a divided group no more.
   */
  async #runGroup(): Promise<void> {
    const group = this.#takeGroup();
    const outcomes: Outcome[] = [];
    let hasWritten = false;
    while (outcomes.length < group.length) {
      if (outcomes.length > 0) await this.#pause();
      const waiting = group.slice(outcomes.length);
      try {
        outcomes.push(...(await this.#runPart(waiting)));
      } catch (error) {
        this.#refuse(waiting, error);
        break;
      }
      if (this.changes.settle()) {
        hasWritten = true;
        this.#checkpoints?.noteCommit();
      }
    }
    if (outcomes.length === 0) return;
    const finish = (): void => {
      for (const { tell } of outcomes) tell();
    };
    // The next slice needn't wait for the disk: the log keeps their order, and the end of the work waits for all.
    if (this.#syncs === null || group[0]?.size === 'slice') {
      this.#isUnsynced ||= hasWritten;
      finish();
      return;
    }
    const needsSync = hasWritten || this.#isUnsynced;
    this.#isUnsynced = false;
    this.#syncs.acknowledge(needsSync, finish, (error) => group.forEach((job) => void job.failed(error)));
  }

  /** Lets the event loop turn. A checkpoint that units wait for may have begun meanwhile. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#checkpoints?.idle();
  }

  /** Runs and commits as many units as the time allows. @returns their outcomes; at least one */
  async #runPart(waiting: readonly Job[]): Promise<readonly Outcome[]> {
    const transaction = new GroupTransaction(this.#writer, this.known);
    try {
      this.#syncs?.requireSound();
      transaction.giveUp();
      this.#writer.database.exec('begin immediate');
      const outcomes = (await this.#runTogether(waiting, transaction)) ?? (await this.#runApart(waiting, transaction));
      this.#writer.database.exec('commit');
      this.#units += outcomes.length;
      this.#commits += 1;
      return outcomes;
    } catch (error) {
      transaction.giveUp();
      throw error;
    }
  }

  /** Ends units whose transaction failed. */
  #refuse(jobs: readonly Job[], error: unknown): void {
    this.known.clear();
    // A unit after the close of the store, for example of a request that was aborted, gets the same error as with a
    // full disk.
    const isRefused = isEngineError(error) || !this.#writer.database.isOpen;
    const failure = isRefused ? new StorageUnavailable(error) : error;
    this.changes.settle();
    this.#failures += jobs.length;
    if (isRefused || error instanceof StorageUnavailable) this.#checkpoints?.noteFailure();
    for (const job of jobs) job.failed(failure);
  }

  /** The waiting units up to the next large one; or a large one or a slice alone. */
  #takeGroup(): Job[] {
    const large = this.#queue.findIndex(({ size }) => size !== 'small');
    const count = large < 0 ? groupLimit : Math.max(1, Math.min(large, groupLimit));
    return this.#queue.splice(0, count);
  }

  /**
   * Runs the units one after the other without a savepoint for each. After a savepoint, SQLite copies every page that
   * is written. That is a fifth of the cost of a small unit, and few units fail after a write.
   * @returns the outcomes of those that had time to run, or undefined if one failed after a write. The work of all is
   * then undone, and all must run again.
   */
  async #runTogether(group: readonly Job[], transaction: GroupTransaction): Promise<Outcome[] | undefined> {
    const outcomes: Outcome[] = [];
    const end = this.#stopwatch() + partTimeMs;
    for (const job of group) {
      const outcome = await this.#runUnit(job, transaction);
      if (outcome.hasFailed && this.changes.hasUnitWritten) {
        this.known.clear();
        this.#writer.database.exec('rollback; begin immediate');
        if (group.length > 1) return undefined;
      }
      outcomes.push(outcome);
      if (this.#stopwatch() > end) break;
    }
    return outcomes;
  }

  /** The same with a savepoint for each unit, so that a failing unit undoes only its own work. */
  async #runApart(group: readonly Job[], transaction: GroupTransaction): Promise<Outcome[]> {
    const { database } = this.#writer;
    const outcomes: Outcome[] = [];
    const end = this.#stopwatch() + partTimeMs;
    for (const job of group) {
      database.exec('savepoint unit');
      const outcome = await this.#runUnit(job, transaction);
      database.exec(outcome.hasFailed ? 'rollback to unit; release unit' : 'release unit');
      outcomes.push(outcome);
      if (this.#stopwatch() > end) break;
    }
    return outcomes;
  }

  /** @throws StorageUnavailable if a full disk or a broken file has ended the transaction, and so every unit in it */
  async #runUnit(job: Job, transaction: GroupTransaction): Promise<Outcome> {
    const handle = new UnitHandle(transaction);
    this.changes.beginUnit(job.platformId);
    try {
      const value = await job.work(handle);
      transaction.requireOpen();
      return { hasFailed: false, tell: () => job.done(value) };
    } catch (error) {
      transaction.requireOpen(error);
      const failure = isEngineError(error) ? new StorageUnavailable(error) : error;
      return { hasFailed: true, tell: () => job.failed(failure) };
    } finally {
      handle.end();
      // Such a unit concerns the whole store or a whole platform, and doesn't name the rows that it changes.
      if (this.changes.hasUnitWritten && (job.platformId === '' || job.size === 'large')) this.known.clear();
    }
  }
}
