/** Promise: the log is copied into the data file while units are running, and nothing is lost. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Checkpoint, Checkpoints } from '../../mocks/sandbox/node/sqlite/checkpoints.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const put = (store: Store, name: string) =>
  store.transaction('p', (tx) =>
    tx.execute({ sql: 'insert into secrets (name, value) values (?, ?)', parameters: [name, 'x'.repeat(4000)] }),
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
  expect(number).toBeGreaterThanOrEqual(50);
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
  const checkpoints = new Checkpoints(join(temporaryFolder(), 'no folder', 'data.sqlite'), { every: 1, restartAt: 0 });
  checkpoints.noteCommit(1);
  await checkpoints.idle();
  await checkpoints.close();
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
