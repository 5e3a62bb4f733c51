/**
 * Promise: on PostgreSQL, waiting units share a transaction, also those of different platforms, and each behaves as if it were
 * alone. It resolves only after the commit, sees the writes of earlier units of every process, and doesn't affect other units if
 * it fails.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { drop, type EffectRecord, listDue, schedule } from '../../mocks/sandbox/domains/effect.ts';
import { openPostgres } from '../../mocks/sandbox/node/postgres/postgres.ts';
import { uniqueColumns } from '../../mocks/sandbox/node/postgres/shapes.ts';
import { SharedReads } from '../../mocks/sandbox/node/postgres/sharedReads.ts';
import { createProofs } from '../../mocks/sandbox/proofs/factory.ts';
import { recordTable } from '../../mocks/sandbox/store/records/table.ts';
import { type Result, recordTables, type Store } from '../../mocks/sandbox/store/store.ts';
import { freshPlatform } from '../../mocks/sandbox/store/units/platformState.ts';
import type { Unit, Units } from '../../mocks/sandbox/store/units/unit.ts';
import { createUnits } from '../../mocks/sandbox/store/units/units.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createCursors } from '../../mocks/sandbox/tools/cursor.ts';
import { createDerive } from '../../mocks/sandbox/tools/derive.ts';
import { OutcomeUnknown, Problem, StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { byLength, sample } from '../support/run/length.ts';
import { freeze, makeDatabase } from '../support/sandbox/database.ts';
import { openSandbox, startOfTime } from '../support/sandbox/harness.ts';
import { expectSound, openOwner } from '../support/scenes/transfers.ts';

interface Thing {
  readonly id: string;
  readonly value: number;
}

// These tests work with any record table.
const things = recordTable<Thing, 'customer_id'>({
  name: 'internal_accounts',
  columns: (thing) => ({ customer_id: `${thing.value % 2}`, type: 'T', currency: 'USD' }),
  counted: ['*'],
  labels: (thing) => [`label ${thing.value}`],
});

interface Process {
  readonly store: Store;
  readonly units: Units;
}

const stores: Store[] = [];
let url = '';
/** Two stores on one database. Each stands for a process. */
let one: Process;
let other: Process;

async function openProcess(): Promise<Process> {
  const store = await openPostgres(url, { log: { info: () => {}, error: () => {} }, seal: freeze, connections: 3 });
  stores.push(store);
  const derive = createDerive('00');
  const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), cursors: createCursors('key') };
  return { store, units: createUnits({ ...parts, derive, proofs: createProofs(derive) }) };
}

beforeAll(async () => {
  url = await makeDatabase();
  [one, other] = await Promise.all([openProcess(), openProcess()]);
});
afterAll(async () => void (await Promise.all(stores.map((store) => store.close()))));

let made = 0;
/** Creates a new platform with one thing, so that tests don't share one. */
async function makePlatform(): Promise<string> {
  made += 1;
  const platformId = `group-${made}`;
  await one.units.create(platformId, { state: freshPlatform }, async (unit) => {
    await things.insert(unit, { id: 'old', value: 0 });
  });
  return platformId;
}

async function put(unit: Unit, id: string, value: number): Promise<void> {
  const before = await things.find(unit, id);
  await (before === undefined ? things.insert(unit, { id, value }) : things.replace(unit, before, { id, value }));
}

/** Every thing of the platform, with the count, labels and due changes that the store keeps beside them. */
async function look(unit: Unit): Promise<unknown> {
  const { records, totalCount } = await things.page(unit, { limit: 100, before: null, order: 'asc', filters: {} });
  const labelled = await things.page(unit, { limit: 100, before: null, filters: {}, label: 'label 1' });
  const due = (await listDue(unit, 100)).map(({ dueAt }) => dueAt - startOfTime);
  return {
    things: records.map(({ id, value }) => `${id} ${value}`),
    count: totalCount,
    labelled: labelled.records.map(({ id }) => id),
    due,
    sequences: records.map(({ sequence }) => sequence),
  };
}

/** Takes the effect that is due next, whether it is due yet or not. */
async function takeFirst(unit: Unit): Promise<EffectRecord | undefined> {
  const [first] = await listDue(unit, 1);
  if (first !== undefined) await drop(unit, first.id);
  return first;
}

const refusal = new Problem('INVALID_INPUT', 'refused');
const refuse = (): never => {
  throw refusal;
};
const insertTwice = async (unit: Unit): Promise<void> => {
  await things.insert(unit, { id: 'twice', value: 1 });
  await things.insert(unit, { id: 'twice', value: 1 });
};

/** How a unit in a group can fail, and the error that it ends with. */
const failures: Readonly<Record<string, readonly [work: (unit: Unit) => Promise<unknown>, end: RegExp]>> = {
  'is refused before it writes': [async () => refuse(), /refused/],
  'is refused after it has written': [
    async (unit) => {
      await put(unit, 'bad', 1);
      await schedule(unit, 'EXPIRE_QUOTE', 'Quote:bad', startOfTime + 1);
      refuse();
    },
    /refused/,
  ],
  'is refused after its writes have been sent': [
    async (unit) => {
      await put(unit, 'bad', 1);
      await look(unit);
      refuse();
    },
    /refused/,
  ],
  'is refused after it has changed what others wrote': [
    async (unit) => {
      await put(unit, 'first', 9);
      await put(unit, 'old', 9);
      unit.setState({ ...unit.state, faults: { emailOtpSync: { failAt: 9 } } });
      refuse();
    },
    /refused/,
  ],
  'is refused after it took a due change': [
    async (unit) => {
      await takeFirst(unit);
      refuse();
    },
    /refused/,
  ],
  'breaks a rule of the database': [insertTwice, /duplicate key/],
  'breaks a rule of the database and then reads': [
    async (unit) => {
      await insertTwice(unit);
      await look(unit);
    },
    /duplicate key/,
  ],
  'breaks a rule of the database in an attempt': [(unit) => unit.attempt(() => insertTwice(unit)), /duplicate key/],
  'continues after a failed statement': [
    async (unit) => {
      await things.insert(unit, { id: 'bad', value: 1 });
      await unit.execute({ sql: 'select nothing', parameters: [] }).catch(() => {});
      await things.insert(unit, { id: 'worse', value: 1 });
    },
    /went on after one of its statements had failed/,
  ],
  'fails in an attempt with an unexpected error': [
    async (unit) => {
      await put(unit, 'bad', 1);
      await unit.attempt(async () => {
        await put(unit, 'worse', 1);
        throw new Error('broken');
      });
    },
    /broken/,
  ],
  'fails in an attempt after its writes have been sent': [
    (unit) =>
      unit.attempt(async () => {
        await put(unit, 'old', 9);
        await look(unit);
        throw new Error('broken');
      }),
    /broken/,
  ],
};

describe('a unit in the middle of a group', () => {
  test.each(Object.entries(failures))('that %s does not affect the others', async (_, [work, end]) => {
    const platformId = await makePlatform();
    const { units } = one;
    await units.run(platformId, (unit) => schedule(unit, 'EXPIRE_QUOTE', 'Quote:1', startOfTime - 1).then(() => {}));
    const seen: unknown[] = [];
    const outcomes = await Promise.allSettled([
      units.run(platformId, (unit) => put(unit, 'first', 1)),
      units.run(platformId, work),
      units.run(platformId, async (unit) => {
        seen.length = 0;
        seen.push((await things.find(unit, 'first'))?.value, (await things.find(unit, 'old'))?.value);
        seen.push(unit.state.faults.emailOtpSync, (await takeFirst(unit))?.subjectId);
        await put(unit, 'last', 2);
      }),
      units.run(platformId, (unit) =>
        unit.attempt(async () => {
          await put(unit, 'attempted', 3);
          await look(unit);
          refuse();
        }),
      ),
    ]);
    expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringMatching(end) } });
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(seen).toEqual([1, 0, undefined, 'Quote:1']);
    const {
      things: kept,
      count,
      labelled,
      due,
      sequences,
    } = (await other.units.run(platformId, look)) as {
      things: string[];
      count: number;
      labelled: string[];
      due: number[];
      sequences: number[];
    };
    expect({ kept, count, labelled, due }).toEqual({
      kept: ['old 0', 'first 1', 'last 2'],
      count: 3,
      labelled: ['first'],
      due: [],
    });
    expect(new Set(sequences).size).toBe(3);
  });
});

test('a group is one transaction, whatever its number of units', async () => {
  const platformId = await makePlatform();
  const count = byLength(150, 3000);
  const before = one.store.counts();
  await Promise.all(
    Array.from({ length: count }, (_, n) => one.units.run(platformId, (unit) => put(unit, `n${n}`, 1))),
  );
  const { units, commits } = one.store.counts();
  expect(units - before.units).toBe(count);
  // A group has at most 128 units, so that no unit waits for all others. On a slow machine, its time limit ends it earlier.
  expect(commits - before.commits).toBeGreaterThanOrEqual(Math.ceil(count / 128));
  expect(commits - before.commits).toBeLessThan(count / 4);
  const { totalCount } = await other.units.run(platformId, (unit) =>
    things.page(unit, { limit: 1, before: null, filters: {} }),
  );
  expect(totalCount).toBe(count + 1);
});

describe('a group of several platforms', () => {
  const makePlatforms = async (count: number) => {
    const made: string[] = [];
    for (let number = 0; number < count; number += 1) made.push(await makePlatform());
    return made;
  };
  const shown = async (platformId: string) =>
    ((await other.units.run(platformId, look)) as { things: string[] }).things;
  /** A unit of that process on the platform, which has begun and doesn't end before `end` is called. */
  const hold = async ({ units }: Process, platformId: string) => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const over = units.run(platformId, async (unit) => {
      begun.resolve();
      await end.promise;
      await put(unit, 'held', 1);
    });
    await begun.promise;
    return { end: end.resolve, over };
  };

  test('is one transaction, and each platform has its own records, numbers and known rows', async () => {
    const platforms = await makePlatforms(5);
    const rounds = 3;
    const before = one.store.counts().commits;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(platforms.map((id, n) => one.units.run(id, (unit) => put(unit, `${round}`, n))));
    }
    expect(one.store.counts().commits - before).toBe(rounds);
    for (const [n, id] of platforms.entries()) {
      expect(await shown(id)).toEqual(['old 0', ...[0, 1, 2].map((round) => `${round} ${n}`)]);
      const { sequences } = (await one.units.run(id, look)) as { sequences: number[] };
      expect(new Set(sequences).size).toBe(rounds + 1);
    }
  });

  test.each(Object.entries(failures).filter(([, [, end]]) => /duplicate|broken|went on/.test(end.source)))(
    'a unit that %s does not affect the other platforms',
    async (_, [work, end]) => {
      const platforms = await makePlatforms(3);
      const [, middle] = platforms as [string, string, string];
      const outcomes = await Promise.allSettled([
        ...platforms.map((id) => one.units.run(id, (unit) => put(unit, 'before', 1))),
        one.units.run(middle, work),
        ...platforms.map((id) => one.units.run(id, (unit) => put(unit, 'after', 2))),
      ]);
      expect(outcomes[3]).toMatchObject({ reason: { message: expect.stringMatching(end) } });
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      for (const id of platforms) expect(await shown(id)).toEqual(['old 0', 'before 1', 'after 2']);
    },
  );

  test('leaves out a platform that another process has, and its units run when that one is done', async () => {
    const [taken, free] = (await makePlatforms(2)) as [string, string];
    const held = await hold(other, taken);
    const waiting = one.units.run(taken, (unit) => put(unit, 'later', 2));
    await one.units.run(free, (unit) => put(unit, 'now', 1));
    await one.units.run(free, (unit) => put(unit, 'again', 1));
    held.end();
    await Promise.all([held.over, waiting]);
    expect(await shown(taken)).toEqual(['old 0', 'held 1', 'later 2']);
  });

  test('gives each platform its turn, however many units of one wait', async () => {
    const [busy, calm] = (await makePlatforms(2)) as [string, string];
    const order: string[] = [];
    const run = (id: string, n: number) =>
      one.units.run(id, (unit) => put(unit, `n${n}`, 1)).then(() => order.push(id));
    const all = Array.from({ length: 300 }, (_, n) => run(busy, n));
    await Promise.all([...all, run(calm, 0)]);
    expect(order.indexOf(calm)).toBeLessThan(128);
  });

  test('gives each platform its turn when the time is over before', async () => {
    const platforms = await makePlatforms(3);
    let late = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + late);
    const order: string[] = [];
    const run = (id: string) =>
      one.units.run(id, async () => {
        order.push(id);
        late += 60;
      });
    await Promise.all([...platforms, ...platforms].map(run));
    expect(order).toEqual([...platforms, ...platforms]);
  });

  test('that is slow leaves the platforms alone that are not in it', async () => {
    const [first, second, free] = (await makePlatforms(3)) as [string, string, string];
    const held = [await hold(one, first), await hold(one, second)];
    await one.units.run(free, (unit) => put(unit, 'now', 1));
    const late = one.units.run(first, (unit) => put(unit, 'late', 2));
    for (const { end } of held) end();
    await Promise.all([...held.map(({ over }) => over), late]);
    expect(await shown(first)).toEqual(['old 0', 'held 1', 'late 2']);
  });

  test('waits for a large unit of one of them only where that one is', async () => {
    const [busy, free] = (await makePlatforms(2)) as [string, string];
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const large = one.units.replace(busy, async (unit) => {
      begun.resolve();
      await end.promise;
      await things.insert(unit, { id: 'new', value: 8 });
    });
    await begun.promise;
    const later = one.units.run(busy, (unit) => put(unit, 'later', 2));
    await one.units.run(free, (unit) => put(unit, 'now', 1));
    end.resolve();
    await Promise.all([large, later]);
    expect(await shown(busy)).toEqual(['new 8', 'later 2']);
  });
});

test('a group ends at its time limit, so that other processes get the platform', async () => {
  const platformId = await makePlatform();
  const before = one.store.counts().commits;
  let late = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + late);
  await Promise.all(
    Array.from({ length: 6 }, () =>
      one.units.run(platformId, async () => {
        late += 60;
      }),
    ),
  );
  expect(one.store.counts().commits - before).toBe(6);
});

test('units that wait when the store closes still run, also those of a platform that is being served', async () => {
  const platformId = await makePlatform();
  const closing = await openProcess();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const first = closing.units.run(platformId, async (unit) => {
    begun.resolve();
    await end.promise;
    await put(unit, 'first', 1);
  });
  await begun.promise;
  const waiting = [1, 2, 3].map((n) => closing.units.run(platformId, (unit) => put(unit, `waiting ${n}`, n)));
  stores.splice(stores.indexOf(closing.store), 1);
  const closed = closing.store.close();
  end.resolve();
  await Promise.all([first, ...waiting, closed]);
  const { things: kept } = (await other.units.run(platformId, look)) as { things: string[] };
  expect(kept).toEqual(['old 0', 'first 1', 'waiting 1 1', 'waiting 2 2', 'waiting 3 3']);
});

test('no unit resolves before the commit', async () => {
  const platformId = await makePlatform();
  const commit = holdCommit();
  const answered: number[] = [];
  const sent = [1, 2, 3].map((n) =>
    one.units.run(platformId, (unit) => put(unit, `n${n}`, n)).then(() => answered.push(n)),
  );
  await commit.reached;
  expect(await other.units.exists(platformId)).toBe(true);
  expect(answered).toEqual([]);
  commit.release();
  await Promise.all(sent);
  expect(answered.sort()).toEqual([1, 2, 3]);
});

/** Delays the next commit until `release` is called. `reached` resolves when the commit starts. */
function holdCommit() {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  plantAtCommit(async (commit) => {
    reached.resolve();
    await release.promise;
    return commit();
  });
  return { reached: reached.promise, release: release.resolve };
}

/** Replaces the driver's next commit by `plant`, which can call the real one. */
function plantAtCommit(plant: (commit: () => Promise<unknown>, client: pg.Client) => Promise<unknown>): void {
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  let isPlanted = true;
  const spy = vi.spyOn(pg.Client.prototype, 'query') as unknown as {
    mockImplementation(fake: (this: pg.Client, config: { text?: string }, ...others: unknown[]) => unknown): void;
  };
  spy.mockImplementation(function (config, ...others) {
    const run = () => query.call(this, config, ...others);
    if (!isPlanted || config.text !== 'commit') return run();
    isPlanted = false;
    return plant(run as unknown as () => Promise<unknown>, this);
  });
}

describe('a lost connection', () => {
  const ends = async (work: (unit: Unit, n: number) => Promise<void>, plant?: Parameters<typeof plantAtCommit>[0]) => {
    const platformId = await makePlatform();
    if (plant !== undefined) plantAtCommit(plant);
    let runs = 0;
    const before = one.store.counts().failures;
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((n) =>
        one.units.run(platformId, async (unit) => {
          runs += 1;
          await put(unit, `n${n}`, n);
          await work(unit, n);
        }),
      ),
    );
    const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason?.constructor);
    const failures = one.store.counts().failures - before;
    const kept = (await one.units.run(platformId, look)) as { things: string[] };
    return { runs, reasons, failures, kept: kept.things };
  };
  const allUnknown = [OutcomeUnknown, OutcomeUnknown, OutcomeUnknown];
  const allRefused = [StorageUnavailable, StorageUnavailable, StorageUnavailable];

  test('inside a unit: every unit of the group fails, and nothing is stored', async () => {
    const cut = async (unit: Unit, n: number) => {
      if (n !== 2) return;
      const { rows } = await unit.execute({ sql: 'select pg_backend_pid() as pid', parameters: [] });
      await other.store.read((reader) =>
        reader.execute({ sql: 'select pg_terminate_backend($1)', parameters: [rows[0]?.['pid'] ?? null] }),
      );
      await look(unit);
    };
    expect(await ends(cut)).toEqual({ runs: 2, reasons: allRefused, failures: 3, kept: ['old 0'] });
  });

  test.each([
    ['before the server gets it', false, ['old 0']],
    ['after the server has committed', true, ['old 0', 'n1 1', 'n2 2', 'n3 3']],
  ])('in the commit, %s: the outcome of every unit is unknown, and none runs again', async (_, isDone, kept) => {
    const lose: Parameters<typeof plantAtCommit>[0] = async (commit, client) => {
      if (isDone) await commit();
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      throw new Error('Connection terminated unexpectedly');
    };
    expect(await ends(async () => {}, lose)).toEqual({ runs: 3, reasons: allUnknown, failures: 3, kept });
  });
});

/** A change by another process, and what a reader must see afterwards. */
const elsewhere: Readonly<Record<string, readonly [(platformId: string) => Promise<unknown>, string[]]>> = {
  'a record changes': [(id) => other.units.run(id, (unit) => put(unit, 'old', 5)), ['old 5']],
  'a record is removed': [
    (id) =>
      other.units.run(id, async (unit) => {
        const found = await things.find(unit, 'old');
        if (found !== undefined) await things.remove(unit, found);
      }),
    [],
  ],
  'a unit changes a record in an attempt': [
    (id) => other.units.run(id, (unit) => unit.attempt(() => put(unit, 'old', 6))),
    ['old 6'],
  ],
  'the platform is reset': [
    (id) => other.units.reset(id, (unit) => things.insert(unit, { id: 'old', value: 7 }).then(() => {})),
    ['old 7'],
  ],
  'the platform gets other records': [
    (id) => other.units.replace(id, (unit) => things.insert(unit, { id: 'new', value: 8 }).then(() => {})),
    ['new 8'],
  ],
  'the platform is deleted and created again': [
    async (id) => {
      await other.units.end(id);
      await other.units.create(id, { state: freshPlatform }, (unit) =>
        things.insert(unit, { id: 'old', value: 9 }).then(() => {}),
      );
    },
    ['old 9'],
  ],
  'the platform gets other settings': [
    (id) =>
      other.units.run(id, async (unit) => unit.setState({ ...unit.state, faults: { emailOtpSync: { failAt: 4 } } })),
    ['old 0', 'fault 4'],
  ],
};

describe('the rows that a process remembers', () => {
  /** Finds each record by its id. A list would not use the remembered rows. */
  const find = ({ units }: Process, platformId: string) =>
    units.run(platformId, async (unit) => {
      const fault = unit.state.faults.emailOtpSync?.failAt;
      const found = await Promise.all(['old', 'new'].map((id) => things.find(unit, id)));
      const shown = found.flatMap((thing) => (thing === undefined ? [] : [`${thing.id} ${thing.value}`]));
      return fault === undefined ? shown : [...shown, `fault ${fault}`];
    });

  test.each(sample(Object.entries(elsewhere), 4))(
    'are not used after a change by another process: %s',
    async (_, [change, shown]) => {
      const platformId = await makePlatform();
      expect(await find(one, platformId)).toEqual(['old 0']);
      await change(platformId);
      expect(await find(one, platformId)).toEqual(shown);
      // The processes take turns. Each write needs the sequence number of the last record, also of the other process.
      await one.units.run(platformId, (unit) => put(unit, 'new', 1));
      await other.units.run(platformId, (unit) => put(unit, 'newer', 1));
      await one.units.run(platformId, (unit) => put(unit, 'newest', 1));
      const { sequences } = (await other.units.run(platformId, look)) as { sequences: number[] };
      expect(new Set(sequences).size).toBe(sequences.length);
    },
  );

  test('are used until another process writes, so a record is read once', async () => {
    const platformId = await makePlatform();
    await find(one, platformId);
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    await find(one, platformId);
    await find(one, platformId);
    const asked = spy.mock.calls.map(([config]) => config as unknown as { text: string; values?: unknown[] });
    const reads = asked.filter(({ text }) => /^select .* from "internal_accounts"/.test(text));
    // A missing record isn't remembered, so each search reads it again.
    expect(reads.map(({ values }) => values?.[1])).toEqual(['new', 'new']);
  });

  test('two processes that increment one record lose no increment', async () => {
    const platformId = await makePlatform();
    const count = byLength(40, 400);
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        (n % 2 === 0 ? one : other).units.run(platformId, async (unit) => {
          await put(unit, 'old', ((await things.find(unit, 'old'))?.value ?? Number.NaN) + 1);
        }),
      ),
    );
    expect(await find(one, platformId)).toEqual([`old ${count}`]);
    expect(await find(other, platformId)).toEqual([`old ${count}`]);
  });
});

test('twenty payments at once, some without enough money: each key pays once and the books balance', async () => {
  const store = await openPostgres(await makeDatabase(), { log: { info: () => {}, error: () => {} }, seal: freeze });
  onTestFinished(() => store.close());
  const sandbox = await openSandbox({ store });
  const owner = await openOwner('000', {}, sandbox);
  const body = { source: { accountId: owner.internalId }, destination: { accountId: owner.externalId }, amount: 6000 };
  const pay = (n: number) => {
    const key = `0199e0a4-2f00-4a31-8f5e-${String(n).padStart(12, '0')}`;
    return sandbox.send('POST', '/transfer-out', { body, headers: { 'Idempotency-Key': key } });
  };
  const before = store.counts();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => pay(n)));
  const { units, commits } = store.counts();
  expect(units - before.units).toBe(20);
  expect(commits - before.commits).toBeLessThan(20);
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(16).fill(201), ...Array(4).fill(400)]);
  const again = await Promise.all(Array.from({ length: 20 }, (_, n) => pay(n)));
  expect(again.map(({ body }) => body)).toEqual(answers.map(({ body }) => body));
  expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(Array(20).fill('true'));
  expect(await owner.balance()).toBe(4000);
  await expectSound(sandbox);
});

test('a delayed insert stores the same as one that is sent at once', async () => {
  const platformId = await makePlatform();
  const text = 'a"\\\u0000\ud800\u2028é😀\n';
  const values = ['$1, $2, $3, $4', '$5, $6, $7, $8'];
  const parameters = [platformId, 'n', text, 2 ** 53 - 1, platformId, 'n', 'null', -1];
  const sql = `insert into "labels" ("platform_id", "name", "label", "sequence") values (${values.join('), (')})`;
  const { affected } = await one.store.transaction(platformId, (tx) => tx.execute({ sql, parameters }));
  // The store delays only inserts in its own wording. It sends this one at once.
  const direct = sql.replace('into', 'INTO');
  const later = parameters.map((value) => (value === 'n' ? 'm' : value));
  expect(await one.store.transaction(platformId, (tx) => tx.execute({ sql: direct, parameters: later }))).toMatchObject(
    {
      affected,
    },
  );
  const read = (name: string) =>
    one.store.read((reader) =>
      reader.execute({
        sql: 'select label, sequence from labels where name = $1 order by sequence',
        parameters: [name],
      }),
    );
  const [kept, sent] = [await read('n'), await read('m')];
  expect(kept).toEqual(sent);
  expect(kept.rows).toHaveLength(2);
  const wrong = one.store.transaction(platformId, (tx) =>
    tx.execute({ sql, parameters: [...parameters.slice(0, 7), 0.5] }),
  );
  await expect(wrong).rejects.toThrow(TypeError);
});

describe('replacements and removals', () => {
  const plain = recordTable<Thing, never>({ name: 'quotes', columns: () => ({}) });
  const change = async (unit: Unit, id: string, value: number): Promise<void> => {
    const before = await plain.find(unit, id);
    await (before === undefined ? plain.insert(unit, { id, value }) : plain.replace(unit, before, { id, value }));
  };
  const drop = async (unit: Unit, id: string): Promise<void> => {
    const before = await plain.find(unit, id);
    if (before !== undefined) await plain.remove(unit, before);
  };
  const shown = async (platformId: string): Promise<string[]> => {
    const { records } = await other.units.run(platformId, (unit) =>
      plain.page(unit, { limit: 100, before: null, order: 'asc', filters: {} }),
    );
    return records.map(({ id, value, version }) => `${id} ${value} v${version}`);
  };
  const open = async (): Promise<string> => {
    const platformId = await makePlatform();
    await one.units.run(platformId, async (unit) => {
      for (const id of ['a', 'b', 'c']) await plain.insert(unit, { id, value: 0 });
    });
    return platformId;
  };

  test('of a group are sent with its commit, each record once, with its last values', async () => {
    const platformId = await open();
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    await Promise.all([
      one.units.run(platformId, (unit) => change(unit, 'a', 1)),
      one.units.run(platformId, (unit) => change(unit, 'a', 2)),
      one.units.run(platformId, (unit) => change(unit, 'b', 1)),
      one.units.run(platformId, (unit) => drop(unit, 'b')),
      one.units.run(platformId, (unit) => drop(unit, 'c')),
    ]);
    const asked = spy.mock.calls.map(([config]) => (config as unknown as { text: string }).text);
    expect(asked).toEqual([
      expect.stringMatching(/^begin /),
      expect.stringMatching(/^with "w0" as \(update "quotes" .* as \(delete from "quotes" .* select case /s),
      expect.stringMatching(/^update platforms /),
      'commit',
    ]);
    expect(await shown(platformId)).toEqual(['a 2 v3']);
  });

  test.each<[string, (unit: Unit) => Promise<unknown>, string[]]>([
    ['a new record is changed', (unit) => change(unit, 'n', 1).then(() => change(unit, 'n', 2)), ['n 2 v2']],
    ['a new record is removed', (unit) => change(unit, 'n', 1).then(() => drop(unit, 'n')), []],
    ['a removed record comes back', (unit) => drop(unit, 'a').then(() => change(unit, 'a', 5)), ['a 5 v1']],
    [
      'a removed record comes back in an attempt',
      (unit) => drop(unit, 'a').then(() => unit.attempt(() => change(unit, 'a', 5))),
      ['a 5 v1'],
    ],
    [
      'a removed record comes back in an attempt that is refused',
      (unit) => drop(unit, 'a').then(() => unit.attempt(() => change(unit, 'a', 5).then(refuse))),
      [],
    ],
    [
      'a record is removed in an attempt that is refused',
      (unit) => change(unit, 'a', 5).then(() => unit.attempt(() => drop(unit, 'a').then(refuse))),
      ['a 5 v2'],
    ],
    [
      'a new record is changed in an attempt that is refused',
      (unit) => change(unit, 'n', 1).then(() => unit.attempt(() => change(unit, 'n', 2).then(refuse))),
      ['n 1 v1'],
    ],
    [
      'a new record is removed in an attempt',
      (unit) => change(unit, 'n', 1).then(() => unit.attempt(() => drop(unit, 'n'))),
      [],
    ],
  ])('%s', async (_, work, expected) => {
    const platformId = await open();
    const rest = async () => (await shown(platformId)).filter((one) => !/^[abc] 0 v1$/.test(one));
    await Promise.all([
      one.units.run(platformId, work),
      one.units.run(platformId, (unit) => change(unit, 'z', 1)),
      one.units.run(platformId, (unit) => drop(unit, 'z')),
    ]);
    expect(await rest()).toEqual(expected);
  });

  test('a record that has another version than the known one stays, and the next unit reads it again', async () => {
    const platformId = await open();
    const sql = `update quotes set version = 7, body = '{"id":"a","value":7}' where id = 'a' and platform_id = $1`;
    await other.store.read((reader) => reader.execute({ sql, parameters: [platformId] }));
    await expect(one.units.run(platformId, (unit) => change(unit, 'a', 1))).rejects.toThrow(
      '0 of 1 records had the version that was read',
    );
    expect(await shown(platformId)).toEqual(['a 7 v7', 'b 0 v1', 'c 0 v1']);
    await one.units.run(platformId, (unit) => change(unit, 'a', 1));
    expect(await shown(platformId)).toEqual(['a 1 v8', 'b 0 v1', 'c 0 v1']);
  });

  test('a record that is replaced twice from the same state is refused, also if the first is not sent yet', async () => {
    const platformId = await open();
    const twice = (inAttempt: boolean) =>
      one.units.run(platformId, async (unit) => {
        const before = await plain.find(unit, 'a');
        if (before === undefined) throw new Error('There is no such record');
        const change = (value: number) => plain.replace(unit, before, { id: 'a', value });
        await change(1);
        await (inAttempt ? unit.attempt(() => change(2)) : change(2));
      });
    const replaced = 'a was replaced by somebody else in the same unit';
    await expect(twice(false)).rejects.toThrow(replaced);
    await expect(twice(true)).rejects.toThrow(replaced);
    expect(await shown(platformId)).toContain('a 0 v1');
  });

  test('of unique values are not held back: all columns with such values are named', async () => {
    const sql = `select distinct attname as name from pg_index join pg_attribute on attrelid = indexrelid
      where indisunique and indrelid::regclass::text = any(string_to_array($1, ' '))`;
    const parameters = [recordTables.join(' ')];
    const { rows } = await one.store.read((reader) => reader.execute({ sql, parameters }));
    const names = new Set(rows.map(({ name }) => String(name)));
    for (const ours of ['platform_id', 'id', 'sequence']) names.delete(ours);
    expect([...names].sort()).toEqual([...uniqueColumns].sort());
  });
});

describe('reads outside of units', () => {
  const sql = 'select a from t where b = $1';
  /** Answers are given by the test. */
  function open() {
    const sent: { readonly parameters: readonly unknown[]; readonly answer: PromiseWithResolvers<Result> }[] = [];
    const reads = new SharedReads(({ parameters }) => {
      const answer = Promise.withResolvers<Result>();
      sent.push({ parameters, answer });
      return answer.promise;
    });
    return { sent, ask: (name: string | number) => reads.read({ sql, parameters: [name] }) };
  }
  const result = (value: string): Result => ({ rows: [{ a: value }], affected: 0 });
  const joined = (...rows: readonly [number, string][]): Result => ({
    rows: rows.map(([place, a]) => ({ '#': place, a })),
    affected: 0,
  });

  test('a request during a read shares the next read, which starts after the request', async () => {
    const { sent, ask } = open();
    const first = ask('a');
    const [second, third] = [ask('a'), ask('a')];
    expect(sent).toHaveLength(1);
    sent[0]?.answer.reject(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    const fourth = ask('a');
    sent[1]?.answer.resolve(result('2'));
    expect(await Promise.all([second, third])).toEqual([result('2'), result('2')]);
    await vi.waitFor(() => expect(sent).toHaveLength(3));
    sent[2]?.answer.resolve(result('3'));
    expect(await fourth).toEqual(result('3'));
  });

  test('reads of the same text with other values go together, and each gets its own rows', async () => {
    const { sent, ask } = open();
    const first = ask('a');
    const later = [ask('b'), ask('half \ud800'), ask('c\u0000')];
    sent[0]?.answer.resolve(result('1'));
    expect(await first).toEqual(result('1'));
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    expect(JSON.parse(String(sent[1]?.parameters[0]))).toEqual([
      { '#': 0, p1: 'b' },
      { '#': 1, p1: 'half \ufffd' },
      { '#': 2, p1: 'c\ufffe' },
    ]);
    sent[1]?.answer.resolve(joined([2, 'third'], [0, 'one'], [0, 'two']));
    const own = (...values: readonly string[]) => ({ rows: values.map((a) => ({ a })), affected: 0 });
    expect(await Promise.all(later)).toEqual([own('one', 'two'), own(), own('third')]);
  });

  test('if the server refuses the joined read, each is sent alone; if it is gone, all fail', async () => {
    const { sent, ask } = open();
    const first = ask('a');
    const later = [ask('b'), ask('c')];
    sent[0]?.answer.resolve(result('1'));
    await first;
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    sent[1]?.answer.reject(new pg.DatabaseError('refused', 0, 'error'));
    await vi.waitFor(() => expect(sent.slice(2).map(({ parameters }) => parameters)).toEqual([['b'], ['c']]));
    const again = [ask('d'), ask('e')];
    sent[2]?.answer.resolve(result('2'));
    sent[3]?.answer.reject(new Error('wrong'));
    expect(await later[0]).toEqual(result('2'));
    await expect(later[1]).rejects.toThrow('wrong');
    await vi.waitFor(() => expect(sent).toHaveLength(5));
    sent[4]?.answer.reject(new StorageUnavailable(new Error('gone')));
    for (const one of again) await expect(one).rejects.toThrow(StorageUnavailable);
    expect(sent).toHaveLength(5);
  });

  test('numbers are not joined, because their type in the statement is unknown', async () => {
    const { sent, ask } = open();
    const first = ask('a');
    void ask(1);
    void ask('b');
    sent[0]?.answer.resolve(result('1'));
    await first;
    await vi.waitFor(() => expect(sent.slice(1).map(({ parameters }) => parameters)).toEqual([[1], ['b']]));
  });

  test('twenty tokens at once, known and unknown, each open their own platform', async () => {
    const sandbox = await openSandbox({
      store: await openPostgres(await makeDatabase(), { log: { info: () => {}, error: () => {} } }),
    });
    const clients = Array.from({ length: 20 }, (_, index) => ({ clientId: `client ${index}`, clientSecret: 'nobody' }));
    for (let made = 0; made < 10; made += 1) clients[made] = (await sandbox.control('POST', '/platforms')).body;
    const answers = await Promise.all(
      clients.map(({ clientId, clientSecret }) =>
        sandbox.send('GET', '/config', { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(clients.map((_, index) => (index < 10 ? 200 : 401)));
  });
});
