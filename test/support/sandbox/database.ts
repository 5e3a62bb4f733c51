/** Opens the storage of tests. This is the only file that knows which engine the suite runs on. */
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

/** The engine of this run. Vitest's project decides it (vitest.config.ts). */
export function engine(): 'SQLite' | 'PostgreSQL' | 'WebAssembly' {
  if (inject('sandboxPage') !== undefined) return 'WebAssembly';
  return inject('postgresTemplate') === undefined ? 'SQLite' : 'PostgreSQL';
}

/** A store with all tables and no rows. The caller closes it. */
export async function openStore(): Promise<Store> {
  const bridge = inject('sandboxPage');
  if (bridge !== undefined) return StoreInPage.open(bridge);
  return (engine() === 'SQLite' ? memories : databases).borrow();
}

/** A place whose state outlives the store: opened again, it has the same content. It is deleted when the test ends. */
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
  return () => openPostgres(url, { log: quiet, seal: freeze });
}

/** The same for a process: the flags that name the place. */
export async function makePlaceFlags(): Promise<string[]> {
  if (engine() === 'SQLite') return ['--data', join(temporaryFolder(), 'test.sqlite')];
  return ['--database', await makeDatabase()];
}

/** The address of a new PostgreSQL database. It is deleted with the server at the latest. */
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

/** The tables of a store: the records, and the other tables. */
export const everyTable = [...recordTables, 'counters', 'labels', 'platforms', 'secrets', 'unfinished'] as const;

/** How many closed stores are kept for later tests, because some tests open hundreds. */
const mostIdle = 8;

/** Freezes the shared records, so that a test fails at once if a unit changes one in place. */
function frozenRows(): KnownRows {
  return new KnownRows(freeze);
}

/** Freezes a value with all that it has. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}

/** Stores of one kind that tests reuse, because emptying one is faster than making one. */
class Pool {
  readonly #idle: Store[] = [];
  readonly #open: () => Promise<Store>;
  readonly #empty: (store: Store) => Promise<void>;

  constructor(open: () => Promise<Store>, empty: (store: Store) => Promise<void>) {
    this.#open = open;
    this.#empty = empty;
  }

  /** Returns an empty store. Closing it empties it for the next test. If that fails, it is closed for good. */
  async borrow(): Promise<Store> {
    const store = this.#idle.pop() ?? (await this.#open());
    const before = store.counts();
    let isClosed = false;
    const use = <T>(work: () => Promise<T>): Promise<T> =>
      // A request that outlives its test must not write into the next test's store.
      isClosed ? Promise.reject(new StorageUnavailable(new Error('the test has closed this store'))) : work();
    return {
      ...(store.changes === undefined ? {} : { changes: store.changes }),
      ...(store.known === undefined ? {} : { known: store.known }),
      read: (work) => use(() => store.read(work)),
      transaction: (platformId, work, size) => use(() => store.transaction(platformId, work, size)),
      hold: (platformId, work, isPlatform) =>
        use(() => store.hold(platformId, (slices) => work({ run: (part) => use(() => slices.run(part)) }), isPlatform)),
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

/** The counts of a store since a test borrowed it. */
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
  async () => openPostgres(await makeDatabase(), { connections: 4, log: quiet, seal: freeze }),
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
