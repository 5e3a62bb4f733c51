/** Promise: if a start ends before all tables are made, the next start can use the file. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

/** Allows this many statements to be prepared, then none. Returns how many there were. */
function allowStatements(limit: number) {
  const prepare = DatabaseSync.prototype.prepare;
  let count = 0;
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
    count += 1;
    if (count > limit) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    return prepare.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  return { count: () => count, end: () => spy.mockRestore() };
}

test('wherever the making of the tables is broken off, the next start makes them', async () => {
  const all = allowStatements(Number.POSITIVE_INFINITY);
  await (await openSqlite(join(temporaryFolder(), 'whole.sqlite'))).close();
  const statements = all.count();
  all.end();
  expect(statements).toBeGreaterThan(50);
  for (let limit = 0; limit < statements; limit += 7) {
    const file = join(temporaryFolder(), 'broken.sqlite');
    const few = allowStatements(limit);
    await expect(openSqlite(file)).rejects.toThrow();
    few.end();
    await (await openSqlite(file)).close();
  }
});
