/** Where a test keeps its state: the one place that knows on which engine the suite runs. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openPostgres } from '../../mocks/sandbox/store/postgres.ts';
import { openSqlite } from '../../mocks/sandbox/store/sqlite.ts';
import { recordTables, type Store } from '../../mocks/sandbox/store/store.ts';
import { temporaryFolder } from './folder.ts';

/** The name of the engine of this run of a suite; Vitest's project decides (vitest.config.ts). */
export function engine(): 'SQLite' | 'PostgreSQL' {
  return inject('postgresTemplate') === undefined ? 'SQLite' : 'PostgreSQL';
}

/** A store of the test's own with every table and nothing in it; whoever opens it closes it. */
export async function openStore(): Promise<Store> {
  return engine() === 'SQLite' ? openSqlite(':memory:') : borrowDatabase();
}

/** A place for state that outlives the store: opened again, it has what was in it. It is gone when the test ends. */
export async function makePlace(): Promise<() => Promise<Store>> {
  if (engine() === 'SQLite') {
    const file = join(temporaryFolder(), 'test.sqlite');
    return () => openSqlite(file);
  }
  const url = await makeDatabase();
  onTestFinished(() => askServer(`drop database "${new URL(url).pathname.slice(1)}" with (force)`));
  return () => openPostgres(url, { log: quiet });
}

/** The same for a process: the flags that name the place. */
export async function makePlaceFlags(): Promise<string[]> {
  if (engine() === 'SQLite') return ['--data', join(temporaryFolder(), 'test.sqlite')];
  return ['--database', await makeDatabase()];
}

/** The address of a new PostgreSQL database; it goes with the server, if not before. */
export async function makeDatabase({ empty = false } = {}): Promise<string> {
  const template = new URL(inject('postgresTemplate'));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await askServer(`create database ${name} template ${empty ? 'template0' : template.pathname.slice(1)}`);
  template.pathname = `/${name}`;
  return template.href;
}

/** Runs a statement on the server's own database. */
async function askServer(sql: string): Promise<void> {
  const address = new URL(inject('postgresTemplate'));
  address.pathname = '/postgres';
  const client = new pg.Client(address.href);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

const quiet = { info: () => {}, error: () => {} };

/** What a store has: the records, and what is kept beside them. */
export const everyTable = [...recordTables, 'counters', 'labels', 'platforms', 'secrets'] as const;

// Making a database costs more than emptying one, so the tests of a file hand on those that they are done with.
const idle: Store[] = [];

async function borrowDatabase(): Promise<Store> {
  const store = idle.pop() ?? (await openPostgres(await makeDatabase(), { connections: 4, log: quiet }));
  return {
    read: (work) => store.read(work),
    transaction: (platformId, work) => store.transaction(platformId, work),
    counts: () => store.counts(),
    async close() {
      await store.transaction('', (tx) => tx.execute({ sql: removeAll, parameters: [] }));
      idle.push(store);
    },
  };
}

const removals = everyTable.map((table) => `"${table}_removed" as (delete from "${table}")`);
const removeAll = `with ${removals.join(', ')} select 1`;
