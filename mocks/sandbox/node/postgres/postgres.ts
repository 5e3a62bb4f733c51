import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { checkCell, UnitHandle } from '../../store/handle.ts';
import { migrate } from '../../store/migrate.ts';
import type { Cell, Reader, Result, Row, Schema, Statement, Store, StoreCounts } from '../../store/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { StorageUnavailable } from '../../tools/problem.ts';
import { sha256 } from '../machine/crypto.ts';
import { explain, isConflict, isUnavailable } from './errors.ts';

export interface PostgresOptions {
  /** The maximum number of connections of this process. Equally many platforms can run side by side. */
  readonly connections?: number;
  /** Receives a line when an idle connection is lost. */
  readonly log: Log;
}

/**
 * How long the first connection may take, in milliseconds. It is short, so that a start that can't succeed ends soon.
 */
const openTimeoutMs = 1500;
/** How long a later connection may take, including the wait for a free one, in milliseconds. */
const connectTimeoutMs = 10_000;
/**
 * If a process stops inside a unit, its platform is released after this time. No process waits longer. In milliseconds.
 */
const stuckTimeoutMs = 30_000;
/** How long a statement may stay unanswered before its connection is given up, in milliseconds. */
const silenceTimeoutMs = 60_000;
/** The maximum number of attempts for a unit that meets a conflict. */
const maxAttempts = 5;

/**
 * The store in a PostgreSQL database that any number of processes can share. A unit of work is one transaction. It
 * first takes the advisory lock of its platform. So the units of one platform run one after the other, in all
 * processes, and those of different platforms run side by side. Nothing lasts longer than a transaction: no session
 * setting, no named statement. So a pooler such as PgBouncer may give each transaction another connection.
 * @param url `postgres://user:password@host:port/database`.
 * @throws Error that explains why the database can't be used and what to do. It doesn't contain the password.
 */
export async function openPostgres(url: string, { connections = 10, log }: PostgresOptions): Promise<Store> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'countersign',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: silenceTimeoutMs,
    types: { getTypeParser },
  };
  const pool = new pg.Pool({
    ...settings,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    allowExitOnIdle: true,
  });
  // A broken connection emits an error event, which ends the process if nothing listens. An idle connection emits it on
  // the pool. A connection in use emits it itself, and its statement fails too.
  pool.on('error', (error) => log.info(`A connection to the database was lost: ${error.message}`));
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await tryToConnect({ ...settings, connectionTimeoutMillis: openTimeoutMs });
    await migrateTogether(new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }));
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
  return new PostgresStore(pool);
}

async function tryToConnect(settings: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(settings);
  client.on('error', () => {});
  await client.connect();
  try {
    // Two separate statements, because a pooler that splits transactions fails between the two, and so is noticed.
    await client.query('begin');
    await client.query('commit');
  } finally {
    await client.end().catch(() => {});
  }
}

/** If several processes start on an empty database at once, they may all try to create the first table. */
async function migrateTogether(db: Kysely<Schema>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrate(db);
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
  }
}

const int8 = pg.types.builtins.INT8;
const numeric = pg.types.builtins.NUMERIC;

/**
 * Reads whole numbers as numbers. Ours are all safe integers. The driver's default, which applies to all pools of a
 * program, is text.
 */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (id, format) =>
  id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format as 'text');

class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  /** The latest unit of each platform that has one. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #counts = { units: 0, commits: 0, failures: 0, waiting: 0 };

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    try {
      // Each statement runs separately and sees what is committed at that time. No connection waits for `work`.
      return await work({ builder, execute: (statement) => send(this.#pool, statement) });
    } catch (error) {
      throw asFailure(error);
    }
  }

  // The units of one platform wait here, without a connection each. So a busy platform leaves connections for the
  // others.
  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    const before = this.#turns.get(platformId) ?? Promise.resolve();
    this.#counts.waiting += 1;
    const turn = before.then(() => {
      this.#counts.waiting -= 1;
      return this.#run(platformId, work);
    });
    const over = turn
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(platformId) === over) this.#turns.delete(platformId);
      });
    this.#turns.set(platformId, over);
    return turn;
  }

  counts(): StoreCounts {
    return { ...this.#counts };
  }

  async close(): Promise<void> {
    await Promise.all(this.#turns.values());
    await this.#pool.end();
  }

  async #run<T>(platformId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(platformId, work);
      } catch (error) {
        if (attempt < maxAttempts && isConflict(error)) continue;
        const failure = asFailure(error);
        if (failure instanceof StorageUnavailable) this.#counts.failures += 1;
        throw failure;
      }
    }
  }

  async #attempt<T>(platformId: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new StorageUnavailable(error);
    });
    const handle = new UnitHandle({ builder, execute: (statement) => send(client, statement) });
    let lost: Error | undefined;
    try {
      await send(client, { sql: `${begin}; select pg_advisory_xact_lock(${lockOf(platformId)})`, parameters: [] });
      const value = await work(handle);
      handle.end();
      // If a statement of a transaction failed, PostgreSQL answers its commit with a rollback.
      const { command } = await ask(client, { text: 'commit' });
      this.#counts.units += 1;
      this.#counts.commits += 1;
      if (command !== 'COMMIT') throw new Error('A unit of work went on after one of its statements had failed');
      return value;
    } catch (error) {
      handle.end();
      // A connection that no longer answers is discarded, and with it everything it started.
      if (error instanceof StorageUnavailable) lost = error;
      else await client.query('rollback').catch((failure: Error) => (lost = failure));
      throw error;
    } finally {
      client.release(lost);
    }
  }
}

/**
 * Sent together with the lock, in one round trip. With READ COMMITTED, the statements after the lock see everything
 * that was committed before the lock was granted. The limits apply only to the transaction. As settings of the
 * connection, a pooler would refuse them or pass them on to other clients.
 */
const begin = `begin isolation level read committed; set local lock_timeout = ${stuckTimeoutMs};
  set local idle_in_transaction_session_timeout = ${stuckTimeoutMs}`;

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Statements have no name, because a named statement belongs to one connection. Naming saved no measurable time. */
async function send(queryable: Queryable, { sql, parameters }: Statement): Promise<Result> {
  const values = parameters.map(bind);
  const result = await ask(queryable, values.length === 0 ? { text: sql } : { text: sql, values });
  return { rows: result.rows, affected: result.rowCount ?? 0 };
}

/** @throws pg.DatabaseError from the server, StorageUnavailable if it couldn't be asked */
async function ask(queryable: Queryable, config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  try {
    return await queryable.query<Row>(config);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? error : new StorageUnavailable(error);
  }
}

function asFailure(error: unknown): unknown {
  return isUnavailable(error) ? new StorageUnavailable(error) : error;
}

const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * The number of a platform's lock. If two platforms had the same number, which is very unlikely, they would wait for
 * each other.
 */
function lockOf(platformId: string): bigint {
  return Buffer.from(sha256(`countersign platform ${platformId}`)).readBigInt64BE();
}

// PostgreSQL's text can't contain NUL. No stored text has one (D51), so a search for NUL must find nothing. It finds
// nothing with this character either.
const inPlaceOfNul = '\uFFFE';

function bind(value: Cell): Cell {
  const checked = checkCell(value);
  return typeof checked === 'string' ? checked.replaceAll('\u0000', inPlaceOfNul) : checked;
}
