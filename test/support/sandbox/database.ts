/** Where a test keeps its state: the one place that knows on which engine the suite runs. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openPostgres } from '../../../mocks/sandbox/node/postgres/postgres.ts';
import { openSqlite } from '../../../mocks/sandbox/node/sqlite/sqlite.ts';
import { KnownRows } from '../../../mocks/sandbox/store/known.ts';
import { recordTables, type Store, type StoreCounts } from '../../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../../mocks/sandbox/tools/problem.ts';
import { StoreInPage } from '../browser/inPage.ts';
import { temporaryFolder } from './folder.ts';

/** The name of the engine of this run of a suite; Vitest's project decides (vitest.config.ts). */
export function engine(): 'SQLite' | 'PostgreSQL' | 'WebAssembly' {
  if (inject('sandboxPage') !== undefined) return 'WebAssembly';
  return inject('postgresTemplate') === undefined ? 'SQLite' : 'PostgreSQL';
}

/** A store of the test's own with every table and nothing in it; who opens it closes it. */
export async function openStore(): Promise<Store> {
  const bridge = inject('sandboxPage');
  if (bridge !== undefined) return StoreInPage.open(bridge);
  return (engine() === 'SQLite' ? memories : databases).borrow();
}

/** A place for state that outlives the store: opened again, it has what was in it. It is gone when the test ends. */
export async function makePlace(): Promise<() => Promise<Store>> {
  const bridge = inject('sandboxPage');
  if (bridge !== undefined) {
    const name = randomBytes(8).toString('hex');
    return () => StoreInPage.open(bridge, name);
  }
  if (engine() === 'SQLite') {
    const file = join(temporaryFolder(), 'test.sqlite');
    return () => openSqlite(file, { known: frozenRows() });
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

/** Some tests open hundreds of stores; so many are kept for later ones. */
const mostIdle = 8;

/** Units share the records that they know: in a test, one that changes a record in place fails at once. */
function frozenRows(): KnownRows {
  return new KnownRows(freeze);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}

/** Stores of one kind that tests hand on: to make one takes longer than to empty it. */
class Pool {
  readonly #idle: Store[] = [];
  readonly #open: () => Promise<Store>;
  readonly #empty: (store: Store) => Promise<void>;

  constructor(open: () => Promise<Store>, empty: (store: Store) => Promise<void>) {
    this.#open = open;
    this.#empty = empty;
  }

  /** An empty store. Closing it empties it for the next test; one that can't be emptied is closed for good. */
  async borrow(): Promise<Store> {
    const store = this.#idle.pop() ?? (await this.#open());
    const before = store.counts();
    let isClosed = false;
    const use = <T>(work: () => Promise<T>): Promise<T> =>
      // A request that outlives its test must not write into the store of the next one.
      isClosed ? Promise.reject(new StorageUnavailable(new Error('the test has closed this store'))) : work();
    return {
      ...(store.changes === undefined ? {} : { changes: store.changes }),
      ...(store.known === undefined ? {} : { known: store.known }),
      read: (work) => use(() => store.read(work)),
      transaction: (platformId, work, size) => use(() => store.transaction(platformId, work, size)),
      counts: () => since(before, store.counts()),
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        try {
          await this.#empty(store);
        } catch {
          await store.close();
          return;
        }
        if (this.#idle.length < mostIdle) this.#idle.push(store);
        else await store.close();
      },
    };
  }
}

/** What a store has done since a test borrowed it. */
function since(before: StoreCounts, { units, commits, failures, waiting }: StoreCounts): StoreCounts {
  return {
    units: units - before.units,
    commits: commits - before.commits,
    failures: failures - before.failures,
    waiting,
  };
}

const removals = everyTable.map((table) => `"${table}_removed" as (delete from "${table}")`);
const removeAll = `with ${removals.join(', ')} select 1`;

const databases = new Pool(
  async () => openPostgres(await makeDatabase(), { connections: 4, log: quiet }),
  async (store) => {
    await store.transaction('', (tx) => tx.execute({ sql: removeAll, parameters: [] }));
  },
);
const memories = new Pool(
  () => openSqlite(':memory:', { known: frozenRows() }),
  (store) =>
    store.transaction('', async (tx) => {
      for (const table of everyTable) await tx.execute({ sql: `delete from "${table}"`, parameters: [] });
    }),
);
