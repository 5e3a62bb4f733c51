import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { migrate } from '../../store/migrate.ts';
import type { Schema, Store } from '../../store/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { getTypeParser } from './connection.ts';
import { explain, isConflict } from './errors.ts';
import { type Patience, Pulse, usualPatience } from './pulse.ts';
import { maxAttempts, PostgresStore } from './store.ts';

export interface PostgresOptions {
  /** The maximum number of connections of this process. Equally many platforms can run side by side. */
  readonly connections?: number;
  /** Receives a line when an idle connection is lost. */
  readonly log: Log;
  /** Is applied to each row that units share; see {@link KnownRows}. */
  readonly seal?: (row: unknown) => unknown;
  /** When a silent server is taken for gone; see {@link Pulse}. */
  readonly patience?: Patience;
}

/**
 * How long the first connection may take, in milliseconds. It is short, so that a start that can't succeed ends soon.
 */
const openTimeoutMs = 1500;
/**
 * How long a statement may stay unanswered while the server is there, in milliseconds. {@link Pulse} notices sooner if the
 * server is gone.
 */
const silenceTimeoutMs = 60_000;

/**
 * The store in a PostgreSQL database that any number of processes can share. Units of one platform that wait share a
 * transaction, which first takes the advisory lock of the platform. So the units of one platform run one after the
 * other, in all processes, and those of different platforms run side by side. Nothing lasts longer than a transaction:
 * no session setting, no named statement. So a pooler such as PgBouncer may give each transaction another connection.
 * @param url `postgres://user:password@host:port/database`.
 * @throws Error that explains why the database can't be used and what to do. It doesn't contain the password.
 */
export async function openPostgres(
  url: string,
  { connections = 10, log, seal, patience = usualPatience }: PostgresOptions,
): Promise<Store> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'countersign',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: silenceTimeoutMs,
    // A statement goes out before the one ahead of it is answered. Each still has an outcome of its own.
    pipeline: true,
    types: { getTypeParser },
  };
  const pool = new pg.Pool({
    ...settings,
    max: connections,
    connectionTimeoutMillis: patience.connect,
    allowExitOnIdle: true,
  });
  // A broken connection emits an error event, which ends the process if nothing listens. An idle connection emits it on
  // the pool. A connection in use emits it itself, and its statement fails too.
  const pulse = new Pulse(pool, settings, () => store.refuseWaiting(), patience);
  const store = new PostgresStore(pool, { seal, stop: () => pulse.stop() });
  pool.on('error', (error) => {
    log.info(`A connection to the database was lost: ${error.message}`);
    store.forget();
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await tryToConnect({ ...settings, connectionTimeoutMillis: openTimeoutMs });
    await migrateTogether(new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }));
  } catch (error) {
    pulse.stop();
    await pool.end();
    throw explain(error);
  }
  return store;
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
