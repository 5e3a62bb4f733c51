import { setImmediate } from '../node/machine/timers.ts';
import { UnitHandle } from '../store/handle.ts';
import type { Reader, Store, StoreCounts, UnitSize } from '../store/store.ts';
import { StorageUnavailable } from '../tools/problem.ts';
import { ChangeCounts } from './changeCounts.ts';
import { Connection } from './connection.ts';
import type { SqliteDatabase } from './database.ts';
import { isEngineError } from './engineError.ts';
import { GroupTransaction } from './groupTransaction.ts';
import type { Syncs } from './syncs.ts';

/** What a store works on. */
export interface SqliteConnections {
  readonly writer: SqliteDatabase;
  /** A second connection for reads; without one they queue with the units. */
  readonly reader?: SqliteDatabase;
  /** Closed last. */
  readonly lock?: { close(): void };
  /** What commits wait for; they are acknowledged at once when absent. */
  readonly syncs?: Syncs;
}

interface Job {
  readonly platformId: string;
  readonly size: UnitSize;
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** So many units share one commit at most; more would only make the first of them wait. */
const groupLimit = 256;

/**
 * The store on SQLite, whichever build it is and wherever it keeps its pages. Units that wait share one transaction, each
 * in a savepoint of its own, and are acknowledged after its commit is kept.
 */
export class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection | null;
  readonly #syncs: Syncs | null;
  readonly #lock: SqliteConnections['lock'];
  readonly #queue: Job[] = [];
  readonly changes = new ChangeCounts();
  #units = 0;
  #commits = 0;
  #failures = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor({ writer, reader, lock, syncs }: SqliteConnections) {
    this.#syncs = syncs ?? null;
    this.#lock = lock;
    this.#writer = new Connection(writer, (table) => this.changes.note(table));
    this.#reader = reader === undefined ? null : new Connection(reader);
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    // A database in memory belongs to one connection, so its reads queue with the units and see whole ones too.
    if (this.#reader === null) return this.transaction('', work);
    try {
      return await work(this.#reader);
    } catch (error) {
      throw isEngineError(error) ? new StorageUnavailable(error) : error;
    }
  }

  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size: UnitSize = 'small'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ platformId, size, work, done: resolve as (value: unknown) => void, failed: reject });
      this.#schedule();
    });
  }

  counts(): StoreCounts {
    return { units: this.#units, commits: this.#commits, failures: this.#failures, waiting: this.#queue.length };
  }

  async close(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#syncs?.close();
    this.#reader?.database.close();
    this.#writer.database.close();
    this.#lock?.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not at once: what arrives in the same turn of the event loop joins the group.
    setImmediate(async () => {
      await this.#syncs?.idle();
      void this.#runGroup().finally(() => {
        this.#scheduled = false;
        if (this.#queue.length > 0) this.#schedule();
        else for (const resolve of this.#idle.splice(0)) resolve();
      });
    });
  }

  async #runGroup(): Promise<void> {
    const group = this.#takeGroup();
    const settle: (() => void)[] = [];
    const transaction = new GroupTransaction(this.#writer);
    try {
      this.#syncs?.requireSound();
      transaction.giveUp();
      this.#writer.database.exec('begin immediate');
      const run = group.length === 1 ? this.#runAlone : this.#runUnit;
      for (const job of group) settle.push(await run.call(this, job, transaction));
      this.#writer.database.exec('commit');
      this.#units += group.length;
      this.#commits += 1;
    } catch (error) {
      transaction.giveUp();
      // What comes after the store was closed, as the end of a request that was broken off, is told so like a full disk.
      const isRefused = isEngineError(error) || !this.#writer.database.isOpen;
      const failure = isRefused ? new StorageUnavailable(error) : error;
      this.changes.settle();
      this.#failures += group.length;
      for (const job of group) job.failed(failure);
      return;
    }
    const finish = (): void => {
      for (const each of settle) each();
    };
    const hasWritten = this.changes.settle();
    if (this.#syncs === null) finish();
    else this.#syncs.acknowledge(hasWritten, finish, (error) => group.forEach((job) => void job.failed(error)));
  }

  /** Those that wait, up to the next that is large; or that one by itself. */
  #takeGroup(): Job[] {
    const large = this.#queue.findIndex(({ size }) => size === 'large');
    const count = large < 0 ? groupLimit : Math.max(1, Math.min(large, groupLimit));
    return this.#queue.splice(0, count);
  }

  /**
   * A unit that has the transaction to itself needs no savepoint: what it did is taken back with all of it. For many
   * statements the difference is large, as SQLite walks through all that a savepoint keeps after each of them.
   */
  async #runAlone(job: Job, transaction: GroupTransaction): Promise<() => void> {
    const handle = new UnitHandle(transaction);
    try {
      const value = await job.work(handle);
      transaction.requireOpen();
      return () => job.done(value);
    } catch (error) {
      transaction.requireOpen(error);
      this.#writer.database.exec('rollback; begin');
      return () => job.failed(isEngineError(error) ? new StorageUnavailable(error) : error);
    } finally {
      handle.end();
      this.changes.endUnit(job.platformId);
    }
  }

  async #runUnit(job: Job, transaction: GroupTransaction): Promise<() => void> {
    const { database } = this.#writer;
    database.exec('savepoint unit');
    const handle = new UnitHandle(transaction);
    try {
      const value = await job.work(handle);
      transaction.requireOpen();
      database.exec('release unit');
      return () => job.done(value);
    } catch (error) {
      // A full disk or a broken file ends the whole transaction, and with it every unit of the group.
      transaction.requireOpen(error);
      database.exec('rollback to unit; release unit');
      return () => job.failed(isEngineError(error) ? new StorageUnavailable(error) : error);
    } finally {
      handle.end();
      this.changes.endUnit(job.platformId);
    }
  }
}
