import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteDialect, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { StorageUnavailable } from '../kernel/problem.ts';
import { checkCell, UnitHandle } from './handle.ts';
import { migrate } from './migrate.ts';
import type { Cell, Reader, Result, Row, Schema, Statement, Store } from './store.ts';

interface Job {
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** So many units share one commit at most; more would only make the first of them wait. */
const groupLimit = 256;

/**
 * The store on one SQLite file (or `:memory:`). Units that wait share one transaction, each in a savepoint of its own,
 * and are acknowledged after its commit, which is on disk (`synchronous=FULL`): a process that is killed loses nothing
 * it has answered.
 * @param file a path, or `:memory:`.
 * @throws when the file can't be opened or is not a database.
 */
export async function openSqlite(file: string): Promise<Store> {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    await bringUpToDate(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteStore(
    database,
    file === ':memory:' ? null : new DatabaseSync(file, { readOnly: true, timeout: 5000 }),
  );
}

class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection | null;
  readonly #queue: Job[] = [];
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(database: DatabaseSync, readOnly: DatabaseSync | null) {
    this.#writer = new Connection(database);
    this.#reader = readOnly === null ? null : new Connection(readOnly);
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    // A database in memory belongs to one connection, so its reads queue with the units and see whole ones too.
    return this.#reader === null ? this.transaction('', work) : work(this.#reader);
  }

  transaction<T>(_platformId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, done: resolve as (value: unknown) => void, failed: reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#reader?.database.close();
    this.#writer.database.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not at once: what arrives in the same turn of the event loop joins the group.
    setImmediate(() => {
      void this.#runGroup().finally(() => {
        this.#scheduled = false;
        if (this.#queue.length > 0) this.#schedule();
        else for (const resolve of this.#idle.splice(0)) resolve();
      });
    });
  }

  async #runGroup(): Promise<void> {
    const group = this.#queue.splice(0, groupLimit);
    const settle: (() => void)[] = [];
    try {
      this.#writer.database.exec('begin immediate');
      for (const job of group) settle.push(await this.#runUnit(job));
      this.#writer.database.exec('commit');
    } catch (error) {
      if (this.#writer.database.isTransaction) this.#writer.database.exec('rollback');
      const failure = isEngineError(error) ? new StorageUnavailable(error) : error;
      for (const job of group) job.failed(failure);
      return;
    }
    for (const finish of settle) finish();
  }

  async #runUnit(job: Job): Promise<() => void> {
    const { database } = this.#writer;
    database.exec('savepoint unit');
    const handle = new UnitHandle(this.#writer);
    try {
      const value = await job.work(handle);
      database.exec('release unit');
      return () => job.done(value);
    } catch (error) {
      // A full disk or a broken file ends the whole transaction, and with it every unit of the group.
      if (!database.isTransaction) throw error;
      database.exec('rollback to unit; release unit');
      return () => job.failed(isEngineError(error) ? new StorageUnavailable(error) : error);
    } finally {
      handle.end();
    }
  }
}

const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

class Connection implements Reader {
  readonly builder = builder;
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; reads: boolean }>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  async execute({ sql, parameters }: Statement): Promise<Result> {
    let cached = this.#statements.get(sql);
    if (cached === undefined) {
      const statement = this.database.prepare(sql);
      cached = { statement, reads: statement.columns().length > 0 };
      this.#statements.set(sql, cached);
    }
    const bound = parameters.map(bind);
    if (cached.reads) return { rows: cached.statement.all(...bound) as unknown as Row[], affected: 0 };
    return { rows: [], affected: Number(cached.statement.run(...bound).changes) };
  }
}

/** Whole numbers go in as integers: node:sqlite binds a JavaScript number as REAL. */
function bind(value: Cell): SQLInputValue {
  const checked = checkCell(value);
  return typeof checked === 'number' ? BigInt(checked) : checked;
}

// SQLite's primary result codes for what is wrong with machine or file: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT,
// FULL, CANTOPEN, PROTOCOL, NOTADB. Any other (a constraint, a wrong statement) is a fault of ours and stays one.
const engineCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

function isEngineError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && engineCodes.has(Number(error.errcode) & 0xff);
}

function bringUpToDate(database: DatabaseSync): Promise<void> {
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => {},
        prepare: (sql) => {
          const statement = database.prepare(sql);
          const spread = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...spread(parameters)),
            run: (parameters) => statement.run(...spread(parameters)),
            iterate: (parameters) => statement.iterate(...spread(parameters)),
          };
        },
      },
    }),
  });
  return migrate(db);
}
