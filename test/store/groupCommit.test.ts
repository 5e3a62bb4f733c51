/**
 * Promise: simultaneous units share a commit and a sync. Each is answered only after the log is on the disk, and a
 * failed unit doesn't affect the others. However slow the disk is, the number of syncs doesn't grow with the number of
 * units.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSqlite, type SqliteOptions } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Reader, Store } from '../../mocks/sandbox/store/store.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { runs } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const put = (tx: Reader, name: string) =>
  tx.execute({ sql: 'insert into secrets (name, value) values (?, ?)', parameters: [name, ''] });
const names = (store: Store): Promise<string[]> =>
  store.read(async (reader) => {
    const { rows } = await reader.execute({ sql: 'select name from secrets order by name', parameters: [] });
    return rows.map(({ name }) => String(name));
  });
const file = () => join(temporaryFolder(), 'data.sqlite');

/** A disk whose syncs end when the test says so. */
function openSlow() {
  const waiting: { end: () => void; fail: (error: Error) => void }[] = [];
  let begun = () => {};
  const sync: SqliteOptions['sync'] = () =>
    new Promise<void>((end, fail) => {
      waiting.push({ end, fail });
      begun();
    });
  /** Waits until a sync is running. */
  const next = async () => {
    if (waiting.length === 0) await new Promise<void>((resolve) => (begun = resolve));
    return waiting.shift() as (typeof waiting)[number];
  };
  return { sync, waiting, next };
}

/** Lets everything continue that doesn't wait for the disk. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let number = 0; number < count; number += 1) await turn();
};

describe('under load', () => {
  test('a thousand units at once need few commits, and all are there', async () => {
    const store = await openSqlite(file(), { stopwatch: () => 0 });
    const before = store.counts();
    await Promise.all(
      Array.from({ length: 1000 }, (_, number) => store.transaction('p', (tx) => put(tx, `n${number}`))),
    );
    const { units, commits } = store.counts();
    expect(units - before.units).toBe(1000);
    expect(commits - before.commits).toBeLessThanOrEqual(8);
    expect((await names(store)).filter((name) => name.startsWith('n'))).toHaveLength(1000);
    await store.close();
  });

  test('units that arrive a turn after each other share a commit, but not for ever', async () => {
    let now = 0;
    const store = await openSqlite(file(), { stopwatch: () => now });
    const before = store.counts().commits;
    const arrive = async (count: number) => {
      const answers: Promise<unknown>[] = [];
      for (let number = 0; number < count; number += 1) {
        answers.push(store.transaction('p', (tx) => put(tx, `early-${number}`)));
        await turn();
      }
      await Promise.all(answers);
    };
    await arrive(20);
    expect(store.counts().commits - before).toBe(1);
    // Now each turn takes half a millisecond, so the first unit doesn't wait for the last.
    const slow = store.transaction('p', (tx) => put(tx, 'slow'));
    let isAnswered = false;
    void slow.then(() => (isAnswered = true));
    let sent = 0;
    const later: Promise<unknown>[] = [];
    while (!isAnswered) {
      now += 0.5;
      sent += 1;
      const name = `later-${sent}`;
      later.push(store.transaction('p', (tx) => put(tx, name)));
      await turn();
    }
    expect(sent).toBeGreaterThan(2);
    await Promise.all(later);
    await store.close();
  });

  test('a unit that only reads waits for the writes before it, and needs no sync of its own', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    const answered: string[] = [];
    const note = (name: string) => () => void answered.push(name);
    const read = (tx: Reader) => tx.execute({ sql: 'select name from secrets', parameters: [] });
    const all = [store.transaction('p', (tx) => put(tx, 'first')).then(note('first'))];
    const first = await disk.next();
    all.push(store.transaction('p', read).then(note('read after the first')));
    await turns(10);
    all.push(store.transaction('p', (tx) => put(tx, 'second')).then(note('second')));
    await turns(10);
    all.push(store.transaction('p', read).then(note('read after the second')));
    await turns(10);
    expect(answered).toEqual([]);
    first.end();
    const second = await disk.next();
    await turns(3);
    expect(answered).toEqual(['first', 'read after the first']);
    second.end();
    await Promise.all(all);
    expect(answered.slice(2)).toEqual(['second', 'read after the second']);
    expect(disk.waiting).toEqual([]);
    await store.close();
  });

  test('units run while the disk writes, and fail with it if it fails meanwhile', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    const first = store.transaction('p', (tx) => put(tx, 'first'));
    const sync = await disk.next();
    const second = store.transaction('p', async (tx) => {
      await put(tx, 'second');
      sync.fail(new Error('The disk is broken'));
      await turns(3);
    });
    const outcomes = await Promise.allSettled([first, second]);
    const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason?.constructor);
    expect(reasons).toEqual([OutcomeUnknown, OutcomeUnknown]);
    expect(disk.waiting).toEqual([]);
    await store.close();
  });

  test('a group that takes long lets others in between its parts, and one sync acknowledges all of them', async () => {
    const disk = openSlow();
    let now = 0;
    const store = await openSqlite(file(), { sync: disk.sync, stopwatch: () => now });
    const seen: string[] = [];
    const answered: string[] = [];
    const send = (name: string) =>
      store
        .transaction('p', async (tx) => {
          await put(tx, name);
          now += 2;
          setImmediate(() => seen.push(`a turn after ${name}`));
          seen.push(name);
        })
        .then(() => answered.push(name));
    const before = store.counts();
    const all = ['a', 'b', 'c', 'd', 'e'].map(send);
    const sync = await disk.next();
    await turns(5);
    const part = (...units: string[]) => [...units, ...units.map((name) => `a turn after ${name}`)];
    expect(seen).toEqual([...part('a', 'b'), ...part('c', 'd'), ...part('e')]);
    expect([answered, disk.waiting.length, await names(store)]).toEqual([[], 0, ['a', 'b', 'c', 'd', 'e']]);
    sync.end();
    await Promise.all(all);
    const { units, commits } = store.counts();
    expect([answered.length, units - before.units, commits - before.commits]).toEqual([5, 5, 3]);
    await store.close();
  });

  test('a part that fails refuses its units and those behind it, and leaves the parts before it', async () => {
    let now = 0;
    const store = await openSqlite(file(), { stopwatch: () => now });
    const send = (name: string, sql?: string) =>
      store.transaction('p', async (tx) => {
        await put(tx, name);
        now += 4;
        if (sql !== undefined) await tx.execute({ sql, parameters: [] });
      });
    const ended = Promise.allSettled([send('a'), send('b', 'rollback'), send('c')]);
    expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await names(store)).toEqual(['a']);
    await send('d');
    expect(await names(store)).toEqual(['a', 'd']);
    await store.close();
  });

  test('units that come one after the other are each answered by a commit of their own', async () => {
    const store = await openSqlite(file());
    const before = store.counts().commits;
    for (let number = 0; number < 5; number += 1) await store.transaction('p', (tx) => put(tx, `n${number}`));
    expect(store.counts().commits - before).toBe(5);
    await store.close();
  });
});

describe('on a slow disk', () => {
  test('nobody is answered before the sync of his commit has ended', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    const answered: string[] = [];
    const send = (name: string) => store.transaction('p', (tx) => put(tx, name)).then(() => answered.push(name));
    const first = send('a');
    const sync = await disk.next();
    await turns(20);
    expect(answered).toEqual([]);
    sync.end();
    await first;
    expect(answered).toEqual(['a']);
    await store.close();
  });

  test('who comes while a sync is under way shares the next one: 500 units, two syncs', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    const answered: number[] = [];
    const send = (number: number) =>
      store.transaction('p', (tx) => put(tx, `n${number}`)).then(() => answered.push(number));
    const all = [send(0)];
    const first = await disk.next();
    for (let number = 1; number < 200; number += 1) {
      all.push(send(number));
      if (number % 20 === 0) await turn();
    }
    await turns(10);
    expect([answered, disk.waiting.length]).toEqual([[], 0]);
    first.end();
    const second = await disk.next();
    await turns(10);
    expect(answered).toEqual([0]);
    second.end();
    await Promise.all(all);
    expect([answered.length, disk.waiting.length]).toEqual([200, 0]);
    await store.close();
  });

  test('a reading unit that came after a write is not answered before the write is safe', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    const write = store.transaction('p', (tx) => put(tx, 'a'));
    let seen: unknown;
    const read = store.transaction('p', async (tx) => {
      const { rows } = await tx.execute({ sql: "select name from secrets where name = 'a'", parameters: [] });
      return rows.length;
    });
    void read.then((count) => (seen = count));
    const sync = await disk.next();
    await turns(20);
    expect(seen).toBeUndefined();
    sync.end();
    expect([await read, (await write).affected]).toEqual([1, 1]);
    await store.close();
  });

  test('one that only reads waits for no disk', async () => {
    const disk = openSlow();
    const store = await openSqlite(file(), { sync: disk.sync });
    expect(await store.transaction('p', async () => 'read')).toBe('read');
    expect(disk.waiting).toHaveLength(0);
    await store.close();
  });

  test('closing waits for what is under way', async () => {
    const disk = openSlow();
    const path = file();
    const store = await openSqlite(path, { sync: disk.sync });
    const write = store.transaction('p', (tx) => put(tx, 'a'));
    const sync = await disk.next();
    const closed = store.close();
    sync.end();
    await Promise.all([write, closed]);
    const again = await openSqlite(path);
    expect(await names(again)).toContain('a');
    await again.close();
  });
});

test('a sync that fails: those who waited for it are refused, and so is everybody until a restart', async () => {
  const disk = openSlow();
  const path = file();
  const store = await openSqlite(path, { sync: disk.sync });
  const safe = store.transaction('p', (tx) => put(tx, 'safe'));
  (await disk.next()).end();
  await safe;
  const lost = ['a', 'b', 'c'].map((name) => store.transaction('p', (tx) => put(tx, name)));
  const outcomes = Promise.allSettled(lost);
  (await disk.next()).fail(new Error('EIO'));
  for (const outcome of await outcomes) {
    expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(OutcomeUnknown);
  }
  const later = await store.transaction('p', (tx) => put(tx, 'd')).catch((error: unknown) => error);
  expect([later instanceof StorageUnavailable, later instanceof OutcomeUnknown]).toEqual([true, false]);
  await store.close();
  const again = await openSqlite(path);
  const found = await names(again);
  expect(found).toContain('safe');
  expect(found).not.toContain('d');
  await again.close();
});

/** What a unit does. The test checks the result. */
const fates = ['keeps', 'throws before it writes', 'throws after it wrote', 'breaks a rule of the database'] as const;
type Fate = (typeof fates)[number];

async function carryOut(tx: Reader, name: string, fate: Fate): Promise<void> {
  if (fate === 'throws before it writes') throw new Error(fate);
  await put(tx, name);
  if (fate === 'throws after it wrote') throw new Error(fate);
  if (fate === 'breaks a rule of the database') await put(tx, name);
}

test('for any mixture of units in any groups, exactly the acknowledged ones are stored', async () => {
  const batches = fc.array(fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (groups) => {
      const store = await openSqlite(file());
      const before = await names(store);
      const acknowledged: string[] = [];
      const sent = groups.flatMap((group, batch) =>
        group.map(async (fate, number) => {
          for (let wait = 0; wait < batch; wait += 1) await turn();
          const name = `${batch}-${number}`;
          const outcome = await store
            .transaction(`platform ${number % 3}`, (tx) => carryOut(tx, name, fate))
            .then(
              () => acknowledged.push(name),
              (error: Error) => error,
            );
          // A failed unit gets its own error, not another unit's.
          if (fate === 'keeps') expect(typeof outcome).toBe('number');
          else if (fate.startsWith('throws')) expect(outcome).toMatchObject({ message: fate });
          else expect(outcome).toMatchObject({ message: expect.stringMatching(/UNIQUE/) });
        }),
      );
      await Promise.all(sent);
      const kept = (await names(store)).filter((name) => !before.includes(name));
      expect(kept).toEqual(acknowledged.toSorted());
      await store.close();
    }),
    { numRuns: runs(30) },
  );
});
