/**
 * Promise: if the sandbox can't use a file safely, one line says why and what to do, and the file stays as it is. A
 * disk that fails later causes 503 in the contract's error shape, and nothing that was acknowledged is changed
 * (docs/explanation/durability.md).
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { run, startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const entry = 'cli/countersign.mjs start';
const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

/** A data file that a sandbox has made and closed. */
async function makeFile(folder: string): Promise<string> {
  const file = join(folder, 'data.sqlite');
  const store = await openSqlite(file);
  await openSandbox({ store });
  await store.close();
  return file;
}

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

function scribble(file: string, from: number, length: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, from, from + length);
  writeFileSync(file, bytes);
}

describe('at the start', () => {
  const spoilt: [name: string, spoil: (file: string) => void, says: RegExp][] = [
    [
      'random bytes',
      (file) => writeFileSync(file, 'no database at all, '.repeat(200)),
      /isn't a Countersign data file\. Choose another --data path, or move/,
    ],
    [
      'a file that was cut off',
      (file) => truncateSync(file, 30_000),
      /is damaged\. Put a copy of it back, or move it away/,
    ],
    ['pages that were overwritten', (file) => scribble(file, 8192, 40_000), /is damaged\. Put a copy of it back/],
    ['the database of another program', spoilAs('create table notes (text)'), /is the database of another program/],
    [
      'a newer schema',
      (file) => alter(file, "insert into kysely_migration values ('9999-later', '2030-01-01')"),
      /[Aa] newer version of Countersign made .* \(9999-later\)\. Run that version, or choose another --data path/,
    ],
  ];

  test.each(spoilt)('%s: refused with what to do, and the file is as it was', async (_name, spoil, says) => {
    const file = await makeFile(temporaryFolder());
    spoil(file);
    const before = hashOf(file);
    await expect(openSqlite(file)).rejects.toThrow(says);
    expect(hashOf(file)).toBe(before);
  });

  const started = byLength(spoilt.slice(-1), spoilt);
  test.each(started)(
    '%s, as a command: one line, exit code 1, and the file is as it was',
    async (_name, spoil, says) => {
      const file = await makeFile(temporaryFolder());
      spoil(file);
      const before = hashOf(file);
      const started = run(entry, ['--port', '0', '--data', file]);
      expect(await started.exit).toBe(2);
      expect(started.output()).toMatch(says);
      expect(started.output()).toMatch(new RegExp(`^(?:A newer .*)?${file} .*\\.\\n$`));
      expect(hashOf(file)).toBe(before);
    },
  );

  test.each(
    byLength(
      [],
      ['a file that another process has: refused, and the first goes on; once that one is killed it can be had'],
    ),
  )('%s', async () => {
    const file = join(temporaryFolder(), 'data.sqlite');
    const first = await startSandbox(['--data', file]);
    const second = run(entry, ['--port', '0', '--data', file]);
    expect(await second.exit).toBe(2);
    expect(second.output()).toMatch(/is in use by another process\. .* another --data path\. .* --database/);
    expect((await fetch(`${first.base}/customers`, { headers })).status).toBe(200);
    first.child.kill('SIGKILL');
    await first.exit;
    const third = await startSandbox(['--data', file]);
    expect((await fetch(`${third.base}/customers`, { headers })).status).toBe(200);
  });

  test('a file that its user may not write: root gives its rights away first', async () => {
    const folder = temporaryFolder();
    const file = await makeFile(folder);
    for (const path of [folder, file, `${file}-lock`]) chmodSync(path, path === folder ? 0o555 : 0o444);
    const before = hashOf(file);
    const started = run('test/support/process/unprivileged.mjs', [folder, file]);
    expect([await started.exit, started.output()]).toEqual([
      1,
      expect.stringMatching(/ can't be written\. Give this user the right/),
    ]);
    expect(hashOf(file)).toBe(before);
    chmodSync(folder, 0o755);
  });
});

function spoilAs(sql: string): (file: string) => void {
  return (file) => {
    rmSync(file);
    alter(file, sql);
  };
}

function alter(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('a disk that is full', () => {
  const makeCustomer = async (base: string) => {
    const body = JSON.stringify({ customerType: 'INDIVIDUAL' });
    const response = await fetch(`${base}/customers`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };

  test('writes are 503 in the error shape, reads go on, and after a restart all that was acknowledged is there', async () => {
    const file = await makeFile(temporaryFolder());
    // No file of this process may grow beyond 1.5 MiB (in 512-byte blocks).
    const full = run('test/support/process/limited.mjs', ['3000', ...entry.split(' '), '--port', '0', '--data', file]);
    const [, base = ''] = await full.waitFor(/ready at (http:\S+)\n/);
    const acknowledged: string[] = [];
    let refused: Awaited<ReturnType<typeof makeCustomer>> | undefined;
    // A refusal empties the log, so what is full in the end is the data file.
    for (let number = 0, inARow = 0; number < 3000 && inARow < 5; number += 1) {
      const answer = await makeCustomer(base);
      inARow = answer.status === 201 ? 0 : inARow + 1;
      if (answer.status === 201) acknowledged.push(answer.body.id);
      else refused = answer;
    }
    expect(refused).toMatchObject({ status: 503, body: { status: 503, code: 'STORAGE_UNAVAILABLE' } });
    expect(JSON.stringify(refused)).not.toMatch(/sqlite|disk|I\/O/i);
    expect((await makeCustomer(base)).status).toBe(503);
    const last = acknowledged.at(-1);
    expect((await fetch(`${base}/customers/${last}`, { headers })).status).toBe(200);
    expect(full.output()).toMatch(/The storage engine refused the work .*(full|I\/O)/);
    full.child.kill('SIGKILL');
    await full.exit;

    const again = await startSandbox(['--data', file]);
    const total = (await (await fetch(`${again.base}/customers?limit=1`, { headers })).json()).totalCount;
    expect(total).toBe(acknowledged.length + 2);
    expect((await makeCustomer(again.base)).status).toBe(201);
    const ledger = await fetch(new URL('/__sandbox/ledger', again.base), { headers });
    expect((await ledger.json()).sound).toBe(true);
    again.child.kill('SIGTERM');
    await again.exit;
    const database = new DatabaseSync(file);
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  }, 120_000);

  test('of many writes at once each is answered: 201 and there, or 503 and not there; room made, they go on', async () => {
    const store = await openSqlite(join(temporaryFolder(), 'data.sqlite'));
    const sandbox = await openSandbox({ store });
    const limit = (pages: number) =>
      store.transaction('', (tx) => tx.execute({ sql: `pragma max_page_count = ${pages}`, parameters: [] }));
    const { rows } = await store.transaction('', (tx) => tx.execute({ sql: 'pragma page_count', parameters: [] }));
    await limit(Number(rows[0]?.['page_count']) + 12);
    const send = () => sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const answers = [];
    for (let round = 0; round < 5; round += 1) {
      answers.push(...(await Promise.all(Array.from({ length: 40 }, send))));
    }
    const made = answers.filter(({ status }) => status === 201);
    for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, 503, 'STORAGE_UNAVAILABLE');
    expect(made.length).toBeLessThan(answers.length);
    expect((await sandbox.send('GET', '/customers?limit=1')).body.totalCount).toBe(made.length + 2);
    expect((await sandbox.control('GET', '/ledger')).body.sound).toBe(true);
    await limit(1_000_000);
    expect((await send()).status).toBe(201);
    await store.close();
  });
});

describe('a bit that flips inside a record', () => {
  /** A closed file in which one bit of a customer's record was flipped. */
  async function flip(at: string, mask: number): Promise<{ file: string; id: string }> {
    const file = join(temporaryFolder(), 'data.sqlite');
    const store = await openSqlite(file);
    const sandbox = await openSandbox({ store });
    const body = { customerType: 'INDIVIDUAL', fullName: 'Flipped Once' };
    const { id } = (await sandbox.send('POST', '/customers', { body })).body;
    await store.close();
    const bytes = readFileSync(file);
    const place = bytes.indexOf(at);
    bytes[place] = (bytes[place] ?? 0) ^ mask;
    writeFileSync(file, bytes);
    return { file, id };
  }

  test("so that it isn't JSON: 503 that says so where it is read, and nowhere else; a reset mends it", async () => {
    const { file, id } = await flip('"Flipped Once"', 1);
    const store = await openSqlite(file);
    const sandbox = await openSandbox({ store });
    for (const path of [`/customers/${id}`, '/customers']) {
      const refused = expectRefusal(await sandbox.send('GET', path), 503, 'STORAGE_UNAVAILABLE');
      expect(refused.message).toMatch(/is damaged .* Restore a copy .* or reset the platform/);
    }
    expect(JSON.stringify(sandbox.log)).toMatch(/The record \d+ of customers is damaged/);
    expect((await sandbox.send('GET', '/tokens')).status).toBe(200);
    expect((await sandbox.control('POST', '/reset')).status).toBe(204);
    expect((await sandbox.send('GET', '/customers')).status).toBe(200);
    await store.close();
  });

  test('within a text of it: is not noticed, as docs/explanation/durability.md says', async () => {
    const { file, id } = await flip('Flipped Once', 1);
    const store = await openSqlite(file);
    const sandbox = await openSandbox({ store });
    expect((await sandbox.send('GET', `/customers/${id}`)).body.fullName).toBe('Glipped Once');
    await store.close();
  });
});

describe.each(byLength([], ['a file that goes away while it is used']))('%s', () => {
  test('put back before the next start it has all that was acknowledged', async () => {
    const folder = temporaryFolder();
    const file = await makeFile(folder);
    const sandbox = await startSandbox(['--data', file]);
    const moved = join(folder, 'moved.sqlite');
    renameSync(file, moved);
    const body = JSON.stringify({ customerType: 'INDIVIDUAL' });
    const answer = await fetch(`${sandbox.base}/customers`, { method: 'POST', headers, body });
    const { status } = answer;
    expect([201, 503]).toContain(status);
    sandbox.child.kill('SIGKILL');
    await sandbox.exit;
    for (const end of ['-wal', '-shm']) copyFileSync(file + end, moved + end);
    for (const end of ['-wal', '-shm']) rmSync(file + end);
    const again = await startSandbox(['--data', moved]);
    const total = (await (await fetch(`${again.base}/customers?limit=1`, { headers })).json()).totalCount;
    expect(total).toBe(status === 201 ? 3 : 2);
  });
});
