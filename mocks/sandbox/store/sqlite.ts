import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from '../kernel/problem.ts';
import { setImmediate } from '../kernel/timers.ts';
import { ChangeCounts } from './changeCounts.ts';
import { GroupTransaction } from './groupTransaction.ts';
import { UnitHandle } from './handle.ts';
import { Connection } from './sqliteConnection.ts';
import { damaged, explain, isEngineError } from './sqliteErrors.ts';
import { bringUpToDate } from './sqliteMigrate.ts';
import type { Reader, Store, StoreCounts, UnitSize } from './store.ts';
import { Syncs } from './syncs.ts';

export interface SqliteOptions {
  /** Brings the log to the disk; `fdatasync` unless a test plants another. */
  readonly sync?: (log: FileHandle) => Promise<void>;
}

interface Job {
  readonly platformId: string;
  readonly size: UnitSize;
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * `normal` leaves out one sync only, that of the log at the end of every commit, which {@link Syncs} makes without
 * holding up this thread. The rest is speed: what a savepoint could take back is kept in memory, which makes a unit that
 * writes a third faster; 16 MiB of pages instead of 2; the log goes into the file every 16 MiB instead of 4.
 */
const settings = `
  pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;
  pragma temp_store = memory; pragma cache_size = -16384; pragma wal_autocheckpoint = 4096`;

/** So many units share one commit at most; more would only make the first of them wait. */
const groupLimit = 256;

/**
 * The store on one SQLite file (or `:memory:`). Units that wait share one transaction, each in a savepoint of its own,
 * and are acknowledged after its commit is on the disk: a machine that loses power loses nothing that was answered.
 * @param file a path, or `:memory:`.
 * @param options see {@link SqliteOptions}.
 * @throws when the file can't be opened or is not a database.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Store> {
  const opened: DatabaseSync[] = [];
  const connect = (path: string, settings: { readonly readOnly?: boolean; readonly timeout: number }) => {
    const database = new DatabaseSync(path, settings);
    opened.push(database);
    return database;
  };
  try {
    if (file === ':memory:') {
      const database = connect(file, { timeout });
      database.exec(settings);
      await bringUpToDate(database);
      return new SqliteStore({ writer: database });
    }
    const lock = takeFile(file, connect);
    const writer = connect(file, { timeout });
    refuseForeign(writer);
    if (statSync(file).size <= checkedSize) refuseDamaged(writer);
    writer.exec(settings);
    await bringUpToDate(writer);
    const reader = connect(file, { readOnly: true, timeout });
    // The log is there from the first read on, and stays the same file as long as a connection is open.
    const log = await open(`${file}-wal`, 'r+');
    await syncFolder(dirname(file));
    const syncs = new Syncs(log, options.sync ?? ((handle) => handle.datasync()));
    return new SqliteStore({ writer, reader, lock, syncs });
  } catch (error) {
    for (const database of opened.reverse()) database.close();
    throw explain(error);
  }
}

/**
 * That there is a log at all has to be on the disk too. A system that keeps no such thing apart does not let a folder be
 * opened.
 */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined);
  await opened?.sync();
  await opened?.close();
}

/** How long another connection is waited for, in milliseconds: a tool that looks into the file meanwhile. */
const timeout = 5000;

/**
 * One process has the file: what it keeps in mind would be wrong if another wrote to it. SQLite's own lock on a file
 * beside it ends with the process, however that ends, so nothing has to be cleared away.
 */
function takeFile(file: string, connect: (path: string, settings: { timeout: number }) => DatabaseSync): DatabaseSync {
  const lock = connect(`${file}-lock`, { timeout: 0 });
  lock.exec('begin exclusive');
  return lock;
}

/** @throws Error for a database that somebody else's program made: our tables have no place in it. */
function refuseForeign(database: DatabaseSync): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const names = tables.map(({ name }) => String(name));
  if (names.length === 0 || names.includes('kysely_migration')) return;
  throw new Error('it is the database of another program: start with another --data');
}

/** Looking through a file takes some 9 ms a MiB: a larger one shows its damage only where it is read. */
const checkedSize = 8 * 1024 * 1024;

function refuseDamaged(database: DatabaseSync): void {
  const [found] = database.prepare('pragma quick_check(1)').all();
  if (found?.['quick_check'] !== 'ok') throw damaged(String(found?.['quick_check']));
}

interface Connections {
  readonly writer: DatabaseSync;
  /** These for a file only. */
  readonly reader?: DatabaseSync;
  readonly lock?: DatabaseSync;
  readonly syncs?: Syncs;
}

class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection | null;
  readonly #syncs: Syncs | null;
  readonly #lock: DatabaseSync | undefined;
  readonly #queue: Job[] = [];
  readonly changes = new ChangeCounts();
  #units = 0;
  #commits = 0;
  #failures = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor({ writer, reader, lock, syncs }: Connections) {
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
