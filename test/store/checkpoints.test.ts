/**
 * Promise: the log is copied into the data file while units are running, and nothing is lost. The log stays short, on a
 * full disk too.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Checkpoint, Checkpoints } from '../../mocks/sandbox/node/sqlite/checkpoints.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const put = (store: Store, name: string) => putLong(store, name, 4000);
const putLong = (store: Store, name: string, length: number) =>
  store.transaction('p', (tx) =>
    tx.execute({ sql: 'insert into secrets (name, value) values (?, ?)', parameters: [name, 'x'.repeat(length)] }),
  );
const count = (store: Store) =>
  store.read(async (reader) => {
    const { rows } = await reader.execute({ sql: 'select count(*) as count from secrets', parameters: [] });
    return rows[0]?.['count'];
  });

test('another thread copies the log into the file while units run', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  let tell: (checkpoint: Checkpoint) => void = () => {};
  const told = new Promise<Checkpoint>((resolve) => {
    tell = resolve;
  });
  const store = await openSqlite(file, { checkpoints: { every: 50, told: (checkpoint) => tell(checkpoint) } });
  const before = statSync(file).size;
  let made: Checkpoint | undefined;
  void told.then((checkpoint) => {
    made = checkpoint;
  });
  let number = 0;
  // Until the checkpoint is reported, which needs the start of a thread. Each unit is a separate commit.
  for (; made === undefined; number += 1) await put(store, `n${number}`);
  expect(made.log).toBeGreaterThanOrEqual(50);
  expect(made.checkpointed).toBeGreaterThan(0);
  expect(statSync(file).size).toBeGreaterThan(before);
  await store.close();
  const again = await openSqlite(file);
  expect(await count(again)).toBe(number);
  await again.close();
});

/** A stopwatch by which every unit takes so long that its group pauses after it. */
function slowStopwatch(): () => number {
  let now = 0;
  return () => {
    now += 10;
    return now;
  };
}

test.each([
  ['whole', () => 0],
  ['divided', slowStopwatch()],
])(
  'a long log begins again at its start: %s groups wait for what is left of it, and go on',
  async (_name, stopwatch) => {
    const seen: { readonly log: number; readonly commits: number }[] = [];
    const commits = () => store.counts().commits;
    const told = ({ log }: Checkpoint) => void seen.push({ log, commits: commits() });
    const file = join(temporaryFolder(), 'data.sqlite');
    const store = await openSqlite(file, { checkpoints: { every: 10, restartAt: 200, told }, stopwatch });
    const isShorter = () => seen.some(({ log }, index) => log < (seen[index - 1]?.log ?? 0));
    let number = 0;
    const write = async (): Promise<void> => {
      while (!isShorter() && number < 4000) {
        number += 1;
        await put(store, `n${number}`);
      }
    };
    // Some always wait to be written.
    await Promise.all(Array.from({ length: 32 }, write));
    const long = seen.findIndex(({ log }) => log >= 200);
    // Nothing was committed between the first checkpoint of a long log and the second.
    expect(seen[long + 1]?.commits).toBe(seen[long]?.commits);
    expect(isShorter()).toBe(true);
    await store.close();
    const again = await openSqlite(file);
    expect(await count(again)).toBe(number);
    await again.close();
  },
);

test('a thread that fails holds up nobody', async () => {
  const path = join(temporaryFolder(), 'no folder', 'data.sqlite');
  const reserve = { take: async () => {}, release: async () => {} };
  const checkpoints = new Checkpoints({ path, length: () => ({ pages: 1, moved: 0 }), reserve }, { every: 1 });
  checkpoints.noteCommit();
  await checkpoints.idle();
  await checkpoints.close();
});

test('the log stays short, however much each unit writes', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  const checkpoints = { every: 64, restartAt: 128, mostPages: 192 };
  const store = await openSqlite(file, { checkpoints, stopwatch: slowStopwatch() });
  let longest = 0;
  let number = 0;
  const write = async (): Promise<void> => {
    for (let time = 0; time < 60; time += 1) {
      number += 1;
      // Some 12 pages each.
      await putLong(store, `n${number}`, 40_000);
      longest = Math.max(longest, statSync(`${file}-wal`).size);
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
  // The last unit may go beyond the limit, and has 12 pages and those of the index.
  expect(longest).toBeLessThan((checkpoints.mostPages + 24) * 4200);
  await store.close();
  const again = await openSqlite(file);
  expect(await count(again)).toBe(number);
  await again.close();
});

test('a log that a crash left is emptied at the start', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'data.sqlite');
  const store = await openSqlite(file);
  for (let number = 0; number < 50; number += 1) await put(store, `n${number}`);
  const copy = join(folder, 'copy.sqlite');
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
  await store.close();
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(50 * 4000);
  const again = await openSqlite(copy);
  expect(statSync(`${copy}-wal`).size).toBe(0);
  expect(await count(again)).toBe(50);
  await again.close();
});

test('a group that failed leaves no room taken in the log', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  let tell = () => {};
  const emptied = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const told = ({ log }: Checkpoint) => void (log === 0 && tell());
  const store = await openSqlite(file, { checkpoints: { told } });
  await put(store, 'a');
  const { rows } = await store.transaction('', (tx) => tx.execute({ sql: 'pragma page_count', parameters: [] }));
  const most = Number(rows[0]?.['page_count']) + 40;
  await store.transaction('', (tx) => tx.execute({ sql: `pragma max_page_count = ${most}`, parameters: [] }));
  await expect(putLong(store, 'b', 400_000)).rejects.toThrow(StorageUnavailable);
  await emptied;
  expect(statSync(`${file}-wal`).size).toBe(0);
  await put(store, 'c');
  expect(await count(store)).toBe(2);
  await store.close();
});

test('a store that is closed while it is under way has everything', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  const store = await openSqlite(file, { checkpoints: { every: 1 } });
  await Promise.all(Array.from({ length: 20 }, (_, number) => put(store, `n${number}`)));
  await store.close();
  const again = await openSqlite(file);
  expect(await count(again)).toBe(20);
  await again.close();
});

test('a program that does nothing else ends when its store is closed, and not before', async () => {
  const file = join(temporaryFolder(), 'data.sqlite');
  const script = `
    const { openSqlite } = await import(${JSON.stringify(new URL('../../mocks/sandbox/node/sqlite/sqlite.ts', import.meta.url).href)});
    const store = await openSqlite(${JSON.stringify(file)}, { checkpoints: { every: 1 } });
    const sql = "insert into secrets (name, value) values ('a', 'b')";
    await store.transaction('p', (tx) => tx.execute({ sql, parameters: [] }));
    await store.close();
    console.log('closed');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout).toBe('closed\n');
});

describe('a small disk', () => {
  const alone = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
  /** Whether this user may mount a small disk; on Linux only. */
  const mayMount = spawnSync('unshare', [...alone, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const mebibyte = 1024 * 1024;

  test.skipIf(!mayMount).each(byLength([10], [10, 60, 260]))(
    'of %i MiB gets full of data and not of log, and loses nothing',
    (size) => {
      const script = ['--disable-warning=ExperimentalWarning', 'test/support/process/fullDisk.ts', String(size)];
      const out = execFileSync('unshare', [...alone, process.execPath, ...script], { encoding: 'utf8' });
      const { whenFull, reads, afterStop, counted, first, afterwards } = JSON.parse(out);
      expect(whenFull.longestLog).toBeLessThan(Math.min(32, size / 2) * mebibyte);
      expect(whenFull.data).toBeGreaterThan(0.8 * size * mebibyte);
      expect(reads).toBe(200);
      expect(counted).toBe(whenFull.kept);
      // The log has given its room back, and with half a mebibyte left writes go on.
      expect(afterStop.log).toBe(0);
      expect(first).toBe(201);
      expect(afterwards).toBeGreaterThan(0);
    },
    600_000,
  );
});
