/**
 * Promise: if the engine fails in the middle of a group, every unit of that group is refused with 503 and writes
 * nothing. That holds even if the unit that met the failure caught it. The store works again as soon as the engine
 * does.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Reader, Result, Store } from '../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const say = (tx: Reader, sql: string): Promise<Result> => tx.execute({ sql, parameters: [] });
const put = (tx: Reader, name: string, value = ''): Promise<Result> =>
  tx.execute({ sql: 'insert into secrets (name, value) values (?, ?)', parameters: [name, value] });
const kept = (store: Store): Promise<string[]> =>
  store.read(async (reader) => (await say(reader, 'select name from secrets')).rows.map(({ name }) => String(name)));

/** More than fits into the file. */
const tooMuch = 'x'.repeat(200_000);

/** A store whose file may grow by only a few pages: `tooMuch` doesn't fit, everything else does. */
async function openNarrow(): Promise<Store> {
  const store = await openSqlite(join(temporaryFolder(), 'data.sqlite'));
  onTestFinished(() => store.close());
  const { rows } = await store.transaction('', (tx) => say(tx, 'pragma page_count'));
  await store.transaction('', (tx) => say(tx, `pragma max_page_count = ${Number(rows[0]?.['page_count']) + 40}`));
  return store;
}

type Work = (tx: Reader) => Promise<unknown>;

/** The results of simultaneous units: `kept`, `unavailable`, or the message of another error. */
async function runTogether(store: Store, works: readonly Work[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(works.map((work, number) => store.transaction(`p${number % 2}`, work)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'kept';
    return outcome.reason instanceof StorageUnavailable ? 'unavailable' : String(outcome.reason.message);
  });
}

/** How a unit may react to a full disk. */
const reactions: Readonly<Record<string, Work>> = {
  'lets it through': (tx) => put(tx, 'full', tooMuch),
  'has sent another statement already': (tx) => Promise.all([put(tx, 'full', tooMuch), put(tx, 'stray')]),
  'swallows it': (tx) => put(tx, 'full', tooMuch).catch(() => {}),
  'swallows it and goes on': async (tx) => {
    await put(tx, 'full', tooMuch).catch(() => {});
    await put(tx, 'stray');
  },
  'takes it for something else': (tx) =>
    put(tx, 'full', tooMuch).catch(() => {
      throw new Error('of its own');
    }),
};

test.each(Object.entries(reactions))(
  'a unit that %s: nobody of its group is acknowledged, nothing stays',
  async (_, full) => {
    const store = await openNarrow();
    const before = await kept(store);
    const works = [(tx: Reader) => put(tx, 'before'), full, (tx: Reader) => put(tx, 'after')];
    expect(await runTogether(store, works)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(await kept(store)).toEqual(before);
    expect(await runTogether(store, [(tx) => put(tx, 'later')])).toEqual(['kept']);
    expect(await kept(store)).toEqual([...before, 'later']);
  },
);

test('for any mixture of units in any groups, exactly the acknowledged ones are stored', async () => {
  const ordinary = ['keeps', 'throws after it wrote'] as const;
  const fate = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ordinary) },
    fc.constantFrom(...Object.keys(reactions)),
  );
  const store = await openNarrow();
  const expected = await kept(store);
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fate, { minLength: 1, maxLength: 8 }), { maxLength: 5 }), async (groups) => {
      for (const group of groups) {
        made += 1;
        const index = made;
        const works = group.map(
          (chosen, number): Work =>
            async (tx) => {
              const reaction = reactions[chosen];
              if (reaction !== undefined) return reaction(tx);
              await put(tx, `${index}-${number}`);
              if (chosen !== 'keeps') throw new Error(chosen);
              return undefined;
            },
        );
        const isFull = group.some((chosen) => chosen in reactions);
        const whenSound = group.map((chosen) => (chosen === 'keeps' ? 'kept' : chosen));
        expect(await runTogether(store, works)).toEqual(isFull ? group.map(() => 'unavailable') : whenSound);
        group.forEach((chosen, number) => {
          if (!isFull && chosen === 'keeps') expected.push(`${index}-${number}`);
        });
        expect((await kept(store)).sort()).toEqual(expected.toSorted());
      }
    }),
    { numRuns: 25 },
  );
});

test('an engine that fails at the commit, and then even at taking it back, holds up nobody', async () => {
  const store = await openSqlite(join(temporaryFolder(), 'data.sqlite'));
  onTestFinished(() => store.close());
  const before = await kept(store);
  const exec = DatabaseSync.prototype.exec;
  const failing = new Set(['commit', 'rollback']);
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    // Each statement fails once.
    if (failing.delete(sql)) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    exec.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  const works = ['a', 'b'].map((name) => (tx: Reader) => put(tx, name));
  expect(await runTogether(store, works)).toEqual(['unavailable', 'unavailable']);
  expect(failing.size).toBe(0);
  expect(await runTogether(store, [(tx) => put(tx, 'later')])).toEqual(['kept']);
  expect(await kept(store)).toEqual([...before, 'later']);
});

test('a unit that comes after the store was closed is refused like any that can not be kept', async () => {
  const store = await openSqlite(join(temporaryFolder(), 'data.sqlite'));
  await store.close();
  expect(await runTogether(store, [(tx) => put(tx, 'late')])).toEqual(['unavailable']);
});
