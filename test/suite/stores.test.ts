/**
 * Promise: a reused store is empty and counts from zero, whatever the previous test did to it. A store that can't be
 * emptied is never used again, and a request that outlives its test writes nothing.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import type { Reader, Store } from '../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { everyTable, openStore } from '../support/sandbox/database.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const execute = (store: Store, sql: string) =>
  store.transaction('', (tx: Reader) => tx.execute({ sql, parameters: [] }));
const count = async (store: Store, table: string) =>
  (await execute(store, `select count(*) as found from "${table}"`)).rows[0]?.['found'];
const remember = (store: Store) =>
  execute(store, "insert into labels (platform_id, name, label, sequence) values ('p', 'test', 'left behind', 1)");

test('every table of the engine is emptied, but those that say which tables there are', async () => {
  const store = await openStore();
  const { rows } = await execute(store, "select name from sqlite_master where type = 'table'");
  await store.close();
  const own = rows.map(({ name }) => String(name)).filter((name) => !/^(?:sqlite|kysely)_/.test(name));
  expect(own.sort()).toEqual([...everyTable].sort());
});

test('what a sandbox has left is gone for the next, which has the same world and counts', async () => {
  const tell = async () => {
    const store = await openStore();
    const rows = await Promise.all(everyTable.map((table) => count(store, table)));
    const counted = store.counts();
    const sandbox = await openSandbox({ store });
    const { body } = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const customers = (await sandbox.send('GET', '/customers')).body;
    await store.close();
    return { rows, counted, body, customers };
  };
  const first = await tell();
  expect(first.rows.every((found) => Number(found) === 0)).toBe(true);
  expect(await tell()).toEqual(first);
  expect(await tell()).toEqual(first);
});

test('after it was closed it refuses all work, and another test has it', async () => {
  const store = await openStore();
  await store.close();
  const next = await openStore();
  await expect(remember(store)).rejects.toThrow(StorageUnavailable);
  await expect(store.read(async () => {})).rejects.toThrow(StorageUnavailable);
  await store.close();
  expect(Number(await count(next, 'labels'))).toBe(0);
  await next.close();
});

test('one that cannot be emptied is closed, and nobody gets it', async () => {
  const store = await openStore();
  await remember(store);
  const close = vi.spyOn(DatabaseSync.prototype, 'close');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw new Error('planted');
  });
  await store.close();
  expect(close).toHaveBeenCalledOnce();
  exec.mockRestore();
  const next = await openStore();
  expect(Number(await count(next, 'labels'))).toBe(0);
  await next.close();
});
