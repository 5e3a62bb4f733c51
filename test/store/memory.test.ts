/**
 * Promise: a store in memory is made directly with the result of all migration steps, and shares nothing with another.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Row, Store } from '../../mocks/sandbox/store/store.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const ask = (store: Store, sql: string): Promise<readonly Row[]> =>
  store.read(async (reader) => (await reader.execute({ sql, parameters: [] })).rows);
const schema = 'select type, name, tbl_name, sql from sqlite_master order by type, name';

async function openTwo() {
  const stores = [await openSqlite(':memory:'), await openSqlite(':memory:')] as const;
  return { stores, close: () => Promise.all(stores.map((store) => store.close())) };
}

describe('a store in memory', () => {
  test('has the tables, indexes and noted steps of a data file', async () => {
    const file = await openSqlite(join(temporaryFolder(), 'data.sqlite'));
    const memory = await openSqlite(':memory:');
    expect(await ask(memory, schema)).toEqual(await ask(file, schema));
    const steps = 'select name from kysely_migration order by name';
    expect(await ask(memory, steps)).toEqual(await ask(file, steps));
    await Promise.all([file.close(), memory.close()]);
  });

  test('begins empty, and what is written to it stays there', async () => {
    const { stores, close } = await openTwo();
    const sql = "insert into secrets (name, value) values ('a', 'b')";
    await stores[0].transaction('p', (tx) => tx.execute({ sql, parameters: [] }));
    expect(await Promise.all(stores.map((store) => ask(store, 'select name from secrets')))).toEqual([
      [{ name: 'a' }],
      [],
    ]);
    await close();
  });

  test('takes no steps of its own: they were taken once for the whole process', async () => {
    const { stores, close } = await openTwo();
    const steps = 'select name, timestamp from kysely_migration order by name';
    const [one, other] = await Promise.all(stores.map((store) => ask(store, steps)));
    expect(other).toEqual(one);
    await close();
  });
});
