/**
 * Promise: on PostgreSQL a start succeeds or says why not. A platform's units run one after the other, also over
 * several processes, while platforms run in parallel. A failing database causes an error answer, never the end of the
 * process.
 */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../mocks/sandbox/node/postgres/postgres.ts';
import type { Reader, Store } from '../../mocks/sandbox/store/store.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { run, startSandbox } from '../support/process/process.ts';
import { byLength, isLongRun } from '../support/run/length.ts';
import { makeDatabase } from '../support/sandbox/database.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const entry = 'cli/countersign.mjs start';
const headers = { authorization: basic('sandbox', 'sandbox') };
const log = { info: () => {}, error: () => {} };

/** A direct connection to the database, without the sandbox. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Several stores on one database, like several processes. */
async function openStores(count: number): Promise<{ url: string; stores: Store[] }> {
  const url = await makeDatabase();
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgres(url, { log })));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  return { url, stores };
}

const say = (tx: Reader, sql: string) => tx.execute({ sql, parameters: [] });
const addSecret = (tx: Reader, name: string, value = '') =>
  tx.execute({ sql: 'insert into secrets (name, value) values ($1, $2)', parameters: [name, value] });
const secrets = async (store: Store) =>
  (await store.read((reader) => say(reader, 'select name from secrets order by name'))).rows.map(({ name }) => name);

const atOnce = 4;

test.each(
  byLength(
    [],
    [`${atOnce} processes that start at once on an empty database all come up, on one schema and one world`],
  ),
)('%s', async () => {
  const url = await makeDatabase({ empty: true });
  const started = await Promise.all(Array.from({ length: atOnce }, () => startSandbox(['--database', url])));
  const { hostname, port, pathname, password } = new URL(url);
  for (const { base, output } of started) {
    expect(output()).toContain(`database      ${pathname.slice(1)} on ${hostname}:${port} (PostgreSQL)\n`);
    expect(output()).not.toContain(password);
    const list = await (await fetch(`${base}/customers`, { headers })).json();
    expect(list).toMatchObject({ totalCount: 2 });
  }
  const { rows } = await (await connect(url)).query('select (select count(*)::int from platforms) as platforms');
  expect(rows).toEqual([{ platforms: 1 }]);
});

test.each(byLength([], ['takes the database from DATABASE as well, and a flag before it']))('%s', async () => {
  const url = await makeDatabase();
  const env = { ...process.env, DATABASE: url };
  await run(entry, ['--port', '0'], env).waitFor(/database {6}test_/);
  await run(entry, ['--port', '0', '--data', ':memory:'], env).waitFor(/in memory/);
});

const wrong: [args: string[], message: RegExp][] = [
  [
    ['--database', 'postgres://me:s3cr#t@localhost:x/y'],
    /^--database takes postgres:.*percent-encode special characters/,
  ],
  [['--database', 'postgres://localhost/x', '--data', 'x'], /^--data and --database name two places/],
  [['--database', 'mysql://localhost/x'], /^--database takes postgres:/],
  [['--database', 'postgres://me:s3cr%zz@localhost/y'], /^--database takes postgres:/],
];

test.each(byLength(wrong.slice(0, 2), wrong))('refuses %j and says what it takes', async (args, message) => {
  const started = run(entry, args);
  expect(await started.exit).toBe(2);
  expect(started.output()).toMatch(message);
  expect(started.output()).not.toContain('s3cr');
});

test('a database that is not to be had ends the start at once, with cause and advice', async () => {
  const change = async (edit: (url: URL) => void) => {
    const url = new URL(await makeDatabase());
    edit(url);
    return url.href;
  };
  const cases: [url: string, said: RegExp][] = [
    [await change((url) => (url.port = '1')), /connect ECONNREFUSED 127\.0\.0\.1:1\b.* host and port/],
    [await change((url) => (url.pathname = '/none')), /"none" does not exist\. Create it first/],
    [await change((url) => (url.password = 's3cret')), /password authentication failed.*Check user and password/],
    // An address that is reserved for documentation, so nobody answers.
    ['postgres://me:s3cret@192.0.2.1/x', /Check that PostgreSQL runs there/],
  ];
  const asked = cases.map(([url]) => openPostgres(url, { log }).catch((error: Error) => error.message));
  for (const [index, refused] of (await Promise.all(asked)).entries()) {
    expect(refused).toMatch(cases[index]?.[1] as RegExp);
    expect(refused).not.toContain('s3cret');
  }
  for (const [url, said] of byLength(cases.slice(2, 3), cases)) {
    const startedAt = Date.now();
    const started = run(entry, ['--port', '0', '--database', url]);
    expect(await started.exit).toBe(2);
    // About two seconds on a machine without other work.
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(started.output()).toMatch(said);
    expect(started.output()).toMatch(/^Can't use the database \w+ on [\d.]+(?::\d+)?: .*\.\n$/);
    expect(started.output()).not.toContain('s3cret');
  }
});

test('a database of a newer version is left alone, and it is said', async () => {
  const url = await makeDatabase();
  const client = await connect(url);
  await client.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '')`);
  const says = /a newer version of the sandbox made it \(9999-later\): run that version, or/;
  await expect(openPostgres(url, { log })).rejects.toThrow(says);
  if (!isLongRun) return;
  const started = run(entry, ['--port', '0', '--database', url]);
  expect(await started.exit).toBe(2);
  expect(started.output()).toMatch(says);
});

test('the units of one platform are serial over several stores, and do not wait for those of another', async () => {
  const { stores } = await openStores(3);
  let open = 0;
  let most = 0;
  const increase = (store: Store) =>
    store.transaction('p1', async (tx) => {
      open += 1;
      most = Math.max(most, open);
      const { rows } = await say(tx, `select value from secrets where name = 'sum'`);
      const next = String(Number(rows[0]?.['value'] ?? 0) + 1);
      if (next === '1') await addSecret(tx, 'sum', next);
      else await tx.execute({ sql: `update secrets set value = $1 where name = 'sum'`, parameters: [next] });
      open -= 1;
    });
  await Promise.all(Array.from({ length: 60 }, (_, number) => increase(stores[number % 3] as Store)));
  const { rows } = await (stores[0] as Store).read((reader) => say(reader, 'select value from secrets'));
  expect([most, rows]).toEqual([1, [{ value: '60' }]]);

  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const long = (stores[0] as Store).transaction('p1', async () => {
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  for (const store of stores) await store.transaction('p2', (tx) => say(tx, 'select 1'));
  end.resolve();
  await long;
});

test('a busy platform leaves connections to the others', async () => {
  const url = await makeDatabase();
  const store = await openPostgres(url, { log, connections: 2 });
  onTestFinished(() => store.close());
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = (): Promise<void> => {
    begun.resolve();
    return gate.promise;
  };
  const busy = [store.transaction('busy', wait)];
  await begun.promise;
  busy.push(...Array.from({ length: 20 }, () => store.transaction('busy', wait)));
  await store.transaction('calm', (tx) => addSecret(tx, 'calm'));
  expect(await secrets(store)).toEqual(['calm']);
  gate.resolve();
  await Promise.all(busy);
});

test.each(['40001', '40P01'])(
  'a conflict (%s) does the whole work again, and what it did before is gone',
  async (code) => {
    const { stores } = await openStores(1);
    const [store] = stores as [Store];
    let times = 0;
    await store.transaction('p1', async (tx) => {
      times += 1;
      await addSecret(tx, `try ${times}`);
      if (times < 3) await say(tx, `do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`);
    });
    expect([times, await secrets(store)]).toEqual([3, ['try 3']]);
    const never = store.transaction('p1', (tx) =>
      say(tx, `do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`),
    );
    await expect(never).rejects.toThrow(StorageUnavailable);
  },
);

test('two platforms that meet in a value and in each other both end: the second one sees the first', async () => {
  const { stores } = await openStores(2);
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const takeBoth = (index: 0 | 1, names: string[]) =>
    (stores[index] as Store).transaction(`p${index}`, async (tx) => {
      const taken: string[] = [];
      for (const name of names) {
        const { rows } = await tx.execute({ sql: 'select name from secrets where name = $1', parameters: [name] });
        if (rows.length > 0) continue;
        await addSecret(tx, name, `p${index}`);
        taken.push(name);
        both[index].resolve();
        await both[index === 0 ? 1 : 0].promise;
      }
      return taken;
    });
  const taken = await Promise.all([takeBoth(0, ['a', 'b']), takeBoth(1, ['b', 'a'])]);
  expect(taken.flat().sort()).toEqual(['a', 'b']);
});

test('work that goes on after a statement of it has failed is not taken for done', async () => {
  const { stores } = await openStores(1);
  const [store] = stores as [Store];
  const careless = store.transaction('p1', async (tx) => {
    await addSecret(tx, 'kept?');
    await say(tx, 'select nothing').catch(() => {});
  });
  await expect(careless).rejects.toThrow(/went on after one of its statements had failed/);
  expect(await secrets(store)).toEqual([]);
});

test('whole numbers are numbers up to the largest safe one, and only in this store', async () => {
  const { url, stores } = await openStores(1);
  const largest = 'select 9007199254740991::bigint as a, 12::numeric as b';
  const { rows } = await (stores[0] as Store).read((reader) => say(reader, largest));
  expect(rows).toEqual([{ a: Number.MAX_SAFE_INTEGER, b: 12 }]);
  expect((await (await connect(url)).query(largest)).rows).toEqual([{ a: '9007199254740991', b: '12' }]);
  for (const value of [0.5, 2 ** 53, Number.NaN, true, new Date(0), undefined]) {
    const parameters = ['n', value as unknown as string];
    await expect(
      (stores[0] as Store).transaction('p1', (tx) => tx.execute({ sql: 'select $1, $2', parameters })),
    ).rejects.toThrow(TypeError);
  }
});

test('credentials with a NUL in them are unknown, as any others that nobody has', async () => {
  const sandbox = await openSandbox();
  const { status, body } = await sandbox.send('GET', '/customers', {
    authorization: basic('sand\u0000box', 'sandbox'),
  });
  expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
});

test('connections that are cut, idle or inside a unit, are 503 at most, and the sandbox goes on by itself', async () => {
  const { url, stores } = await openStores(1);
  const [store] = stores as [Store];
  const sandbox = await openSandbox({ store });
  const admin = await connect(url);
  const cut = () =>
    admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  const within = store.transaction('p1', async (tx) => {
    await addSecret(tx, 'lost');
    await cut();
    await addSecret(tx, 'lost as well');
  });
  await expect(within).rejects.toThrow(StorageUnavailable);
  expect(await secrets(store)).not.toContain('lost');

  const create = () => sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
  const answers = create().then(async (first) => [first, ...(await Promise.all(Array.from({ length: 20 }, create)))]);
  await cut();
  const statuses = (await answers).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  await expect.poll(async () => (await create()).status).toBe(201);
  const { body } = await sandbox.send('GET', '/customers');
  expect(body.totalCount).toBeGreaterThanOrEqual(3 + statuses.filter((status) => status === 201).length);
});

test("a unit in a process that hangs doesn't block others forever", async () => {
  const { url } = await openStores(1);
  const client = await connect(url);
  const store = await openPostgres(url, { log });
  onTestFinished(() => store.close());
  const settings = await store.transaction('p1', (tx) =>
    say(
      tx,
      `select current_setting('lock_timeout') as wait, current_setting('idle_in_transaction_session_timeout') as idle`,
    ),
  );
  expect(settings.rows).toEqual([{ wait: '30s', idle: '30s' }]);
  // Set for the transaction only, because a pooler may give the connection to another client afterwards.
  const after = await store.read((reader) => say(reader, `select current_setting('lock_timeout') as wait`));
  expect(after.rows).toEqual([{ wait: '0' }]);
  expect((await client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
});

test('the sandbox of a program shares a database too', async () => {
  const database = await makeDatabase();
  const [one, other] = await Promise.all([createSandbox({ database }), createSandbox({ database })]);
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const body = JSON.stringify({ customerType: 'INDIVIDUAL' });
  const made = await one.fetch('/customers', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  const { id } = (await made.json()) as { id: string };
  expect((await other.fetch(`/customers/${id}`, { headers })).status).toBe(200);
  await expect(createSandbox({ database, file: 'x' })).rejects.toThrow(/two places/);
});
