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
  /** How many connections this process opens at most; so many platforms run side by side in it. */
  readonly connections?: number;
  /** Is told of connections that were lost while nobody used them. */
  readonly log: Log;
}

/** How long the first connection may take, so that a start that can't succeed ends soon. Milliseconds. */
const openTimeoutMs = 1500;
/** How long a later one may take, with the wait for a free one. Milliseconds. */
const connectTimeoutMs = 10_000;
/** A process that stopped inside a unit gives the platform free after this time, and nobody waits longer. Milliseconds. */
const stuckTimeoutMs = 30_000;
/** How long a statement may go without an answer before its connection is given up. Milliseconds. */
const silenceTimeoutMs = 60_000;
/** How often a unit that meets a conflict is tried in all. */
const maxAttempts = 5;

/**
 * The store in a PostgreSQL database, which any number of processes share. A unit of work is one transaction that begins
 * by taking its platform's advisory lock: the units of a platform run one after the other whichever process they come
 * from, those of different platforms side by side. Nothing outlives a transaction (no setting of a session, no named
 * statement), so a pooler such as PgBouncer may give each transaction another connection.
 * @param url `postgres://user:password@host:port/database`.
 * @throws Error that says why the database can't be used and what to do; the password is not in it.
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
  // A connection that breaks says so by an event, which ends the process when nobody listens: of the pool while it is
  // idle, of its own while a unit has it, whose statement fails as well.
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
    // Each by itself: a pooler that keeps no transaction together says so between the two.
    await client.query('begin');
    await client.query('commit');
  } finally {
    await client.end().catch(() => {});
  }
}

/** Processes that start at once on an empty database may both try to make the first table. */
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

/** Whole numbers as numbers: ours are all safe, and the driver's own way, for every pool of the program, is text. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (id, format) =>
  id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format as 'text');

class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  /** The last unit of each platform that has any. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #counts = { units: 0, commits: 0, failures: 0, waiting: 0 };

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    try {
      // Each statement by itself: it sees what is committed when it runs, and no connection waits for `work`.
      return await work({ builder, execute: (statement) => send(this.#pool, statement) });
    } catch (error) {
      throw asFailure(error);
    }
  }

  // The platform's units of this process wait here, not each with a connection of its own, so that a busy platform
  // leaves connections to the others.
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
      // PostgreSQL answers the commit of a transaction in which a statement failed by rolling it back.
      const { command } = await ask(client, { text: 'commit' });
      this.#counts.units += 1;
      this.#counts.commits += 1;
      if (command !== 'COMMIT') throw new Error('A unit of work went on after one of its statements had failed');
      return value;
    } catch (error) {
      handle.end();
      // What can't be asked any more is thrown away, and with it what it had begun.
      if (error instanceof StorageUnavailable) lost = error;
      else await client.query('rollback').catch((failure: Error) => (lost = failure));
      throw error;
    } finally {
      client.release(lost);
    }
  }
}

/**
 * Sent with the lock, in one journey. READ COMMITTED: what runs after the lock sees all that was committed before it was
 * given. The bounds hold for the transaction alone; as settings of the connection, a pooler would refuse them or hand
 * them on to others.
 */
const begin = `begin isolation level read committed; set local lock_timeout = ${stuckTimeoutMs};
  set local idle_in_transaction_session_timeout = ${stuckTimeoutMs}`;

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Without a name: a named statement belongs to one connection, and saved less than could be measured. */
async function send(queryable: Queryable, { sql, parameters }: Statement): Promise<Result> {
  const values = parameters.map(bind);
  const result = await ask(queryable, values.length === 0 ? { text: sql } : { text: sql, values });
  return { rows: result.rows, affected: result.rowCount ?? 0 };
}

/** @throws pg.DatabaseError of the server's own, StorageUnavailable when it could not be asked. */
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

/** The number of a platform's lock. Two platforms of one number, which is not to be expected, would wait for each other. */
function lockOf(platformId: string): bigint {
  return Buffer.from(sha256(`countersign platform ${platformId}`)).readBigInt64BE();
}

// PostgreSQL has no NUL in text. None is stored (D51), so what is looked for by one is not there: nor by this in its place.
const inPlaceOfNul = '\uFFFE';

function bind(value: Cell): Cell {
  const checked = checkCell(value);
  return typeof checked === 'string' ? checked.replaceAll('\u0000', inPlaceOfNul) : checked;
}
