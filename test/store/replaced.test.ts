/**
 * Promise: long work that replaces a platform's content is done in slices. Whatever ends the process between two slices,
 * the platform is as it was before or as it is afterwards, and the next start removes what is left over.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordTables, type Store } from '../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { byLength } from '../support/run/length.ts';
import { engine, makePlace, openStore } from '../support/sandbox/database.ts';
import { basic, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { multiply } from '../support/sandbox/multiply.ts';
import { openPlatform, type TestPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { expectSound, openOwner, transferOut } from '../support/scenes/transfers.ts';

/** A stopwatch by which every step takes a whole slice. */
function slowStopwatch(): () => number {
  let now = 0;
  return () => {
    now += 10;
    return now;
  };
}

/** A store whose process is killed at a slice: neither this slice nor anything after it reaches the store. */
function mortal(store: Store, life: { slices: number }): Store {
  const isAlive = () => life.slices > 0;
  const dead = <T>(): Promise<T> => Promise.reject(new StorageUnavailable(new Error('killed')));
  return {
    read: (work) => (isAlive() ? store.read(work) : dead()),
    transaction: (id, work, size) => (isAlive() ? store.transaction(id, work, size) : dead()),
    hold: (id, work, isPlatform) =>
      store.hold(
        id,
        (slices) =>
          work({
            run(part) {
              life.slices -= 1;
              return isAlive() ? slices.run(part) : dead();
            },
          }),
        isPlatform,
      ),
    counts: () => store.counts(),
    close: () => store.close(),
  };
}

const text = async (platform: TestPlatform) => JSON.stringify((await platform.control('GET', '/snapshot')).body);
const put = (platform: TestPlatform, body: string) =>
  platform.control('PUT', '/snapshot', { text: body, headers: { 'content-type': 'application/json' } });

/** The rows of each platform's name, in all tables. */
async function rowsIn(store: Store): Promise<Record<string, number>> {
  const tables = [...recordTables, 'counters', 'labels'];
  const selects = tables.map((table) => `select platform_id as id, count(*) as n from ${table} group by platform_id`);
  const sql = `select id, sum(n) as n from (${selects.join(' union all ')}) as counted where id <> '' group by id`;
  const { rows } = await store.transaction('', (tx) => tx.execute({ sql, parameters: [] }));
  return Object.fromEntries(rows.map(({ id, n }) => [String(id), Number(n)]));
}

async function unfinished(store: Store): Promise<number> {
  const sql = 'select count(*) as n from unfinished';
  const { rows } = await store.transaction('', (tx) => tx.execute({ sql, parameters: [] }));
  return Number(rows[0]?.['n']);
}

/** A platform with an agent, a device code, payments, and a second token. */
async function openFull(sandbox: TestSandbox): Promise<TestPlatform> {
  const platform = await openPlatform(sandbox, { world: worldOf({ 'a@example.com': 1, 'b@example.com': 2 }) });
  const stage = await openAgentStage(platform);
  await stage.transferOut(100);
  const owner = await openOwner('000', {}, platform);
  must(await transferOut(owner));
  must(await platform.send('POST', '/tokens', { body: { name: 'more', permissions: ['VIEW'] } }));
  return platform;
}

const works: readonly [name: string, work: (platform: TestPlatform, saved: string) => Promise<unknown>][] = [
  ['a reset', (platform) => platform.control('POST', '/reset')],
  ['a restore', put],
  ['a deletion', (platform) => platform.control('DELETE', '/platform')],
];

describe.each(works)('%s', (name, work) => {
  test('killed at any slice leaves the state of before or of after, and nothing else', async () => {
    let isOver = false;
    const seen = new Set<string>();
    const slow = engine() === 'PostgreSQL' ? 3 : 1;
    const step = name === 'a restore' ? byLength(17 * slow, 5) : byLength(7 * slow, 2);
    for (let slice = 1; !isOver; slice += step) {
      const store = await openStore();
      const life = { slices: Number.POSITIVE_INFINITY };
      const sandbox = await openSandbox({ store: mortal(store, life), sliceStopwatch: slowStopwatch() });
      const platform = await openFull(sandbox);
      const saved = await text(platform);
      must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
      const before = await text(platform);
      life.slices = slice;
      await work(platform, saved);
      isOver = life.slices > 0;
      life.slices = Number.POSITIVE_INFINITY;

      // The next start of the process.
      const again = await openSandbox({ store, sliceStopwatch: slowStopwatch() });
      const authorization = basic(platform.clientId, platform.clientSecret);
      const answer = await again.control('GET', '/snapshot', { authorization });
      const now = answer.status === 401 ? 'gone' : JSON.stringify(answer.body);
      if (now === before) seen.add('before');
      else {
        seen.add('after');
        if (name === 'a restore') expect(now).toBe(saved);
        if (name === 'a deletion') expect(now).toBe('gone');
        if (name === 'a reset') {
          expect(Object.keys(JSON.parse(now).records)).toHaveLength(recordTables.length);
          expect(JSON.parse(now).records.customers).toHaveLength(2);
          expect(JSON.parse(now).records.agents).toHaveLength(0);
        }
      }
      for (let turn = 0; (await unfinished(store)) > 0; turn += 1) expect(turn).toBeLessThan(10_000);
      const names = Object.keys(await rowsIn(store)).filter((id) => id !== 'sandbox');
      expect(names).toHaveLength(now === 'gone' ? 0 : 1);
      await store.close();
    }
    expect([...seen].sort()).toEqual(['after', 'before']);
  });

  test('goes on in slices, and another platform is answered in between', async () => {
    const store = await openStore();
    onTestFinished(() => store.close());
    const sandbox = await openSandbox({ store, sliceStopwatch: slowStopwatch() });
    const [large, small] = [await openFull(sandbox), await openPlatform(sandbox)];
    await large.advance(3600);
    must(await large.send('GET', '/transactions'));
    await store.transaction(large.platformId, (tx) => multiply(tx, large.platformId, 30), 'large');
    await expectSound(large);
    const saved = await text(large);
    let isOver = false;
    const ended = work(large, saved).finally(() => {
      isOver = true;
    });
    let count = 0;
    while (!isOver) {
      must(await small.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
      if (!isOver) count += 1;
    }
    must((await ended) as Awaited<ReturnType<typeof put>>);
    // On PostgreSQL, nobody shares the transaction, and it can be over before the other platform is answered once.
    if (engine() !== 'PostgreSQL') expect(count).toBeGreaterThan(5);
    if (name === 'a restore') expect(await text(large)).toBe(saved);
    if (name === 'a deletion') expectRefusal(await large.send('GET', '/customers'), 401, 'UNAUTHORIZED');
    expect(Object.keys(await rowsIn(store))).toHaveLength(name === 'a deletion' ? 2 : 3);
    expect(await unfinished(store)).toBe(0);
  });
});

test('a reset platform has its world, first token and device codes again, also a second time', async () => {
  const place = await makePlace();
  let store = await place();
  let sandbox = await openSandbox({ store, sliceStopwatch: slowStopwatch() });
  const code = '/agents/device-codes/AGENT-DEMO-2025';
  for (let round = 0; round < 3; round += 1) {
    must(await sandbox.send('POST', `${code}/redeem`, { authorization: null }));
    must(await sandbox.control('POST', '/reset'));
    expect((await sandbox.send('GET', '/customers')).body.totalCount).toBe(2);
    if (engine() === 'WebAssembly') continue;
    await store.close();
    store = await place();
    sandbox = await openSandbox({ store, sliceStopwatch: slowStopwatch() });
  }
  await store.close();
});
