/**
 * Promise: if the answer to a commit is lost, the reply says that the outcome isn't known, and how to find out. A client that
 * follows it pays once. If a database is gone without a word, requests wait for a limited time (D44).
 */
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../mocks/sandbox/node/postgres/postgres.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { expectReplay, key, type Plan, plans, post } from '../support/requests/idempotency.ts';
import { makeDatabase } from '../support/sandbox/database.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { type Relay, startRelay } from '../support/sandbox/relay.ts';
import { expectSound, listTransactions, openOwner } from '../support/scenes/transfers.ts';

const log = { info: () => {}, error: () => {} };

// Each sum of these is far below a minute, after which the driver itself gives up.
const short = { connect: 1000, silence: 20, answer: 1000, every: 20 };

/** A store behind a relay. */
async function openBehindRelay(options: Partial<PostgresOptions> = {}) {
  const relay: Relay = await startRelay(await makeDatabase());
  const store = await openPostgres(relay.url, { log, ...options });
  onTestFinished(() => store.close());
  return { relay, store };
}

test('a payment whose commit was lost: repeated with its key, the money moves once', async () => {
  const { relay, store } = await openBehindRelay();
  const owner = await openOwner('000', {}, await openSandbox({ store }));
  const plan = (await plans['createTransferOut']?.(owner)) as Plan;
  const before = await listTransactions(owner.sandbox, `customerId=${owner.customerId}`);
  relay.loseCommits();
  const lost = await post(owner.sandbox, plan, key);
  relay.mend();
  const refused = expectRefusal(lost, 503, 'STORAGE_UNAVAILABLE');
  expect(refused).toMatchObject({
    reason: 'outcomeUnknown',
    message:
      "It isn't known whether this was carried out. Send it again with the same Idempotency-Key, or read what it changes first.",
  });
  expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
  const again = await post(owner.sandbox, plan, key);
  expect(again.status).toBe(201);
  expectReplay(again, { ...again, headers: new Headers() });
  const after = await listTransactions(owner.sandbox, `customerId=${owner.customerId}`);
  expect(after).toHaveLength(before.length + 1);
  await expectSound(owner.sandbox);
});

test('without a key, and for an operation that takes none, it says what to read first', async () => {
  const { relay, store } = await openBehindRelay();
  const owner = await openOwner('000', {}, await openSandbox({ store }));
  const execution = (await plans['executeQuote']?.(owner)) as Plan;
  const { sandbox } = owner;
  const individual = { customerType: 'INDIVIDUAL' };
  const { totalCount } = (await sandbox.send('GET', '/customers')).body;
  const requests: [path: string, body: object | undefined, advice: string][] = [
    ['/customers', individual, 'Before you send it again, read GET /customers.'],
    [execution.path, undefined, 'Before you send it again, read GET /quotes/{quoteId}.'],
  ];
  for (const [path, body, advice] of requests) {
    relay.loseCommits();
    const refused = expectRefusal(await sandbox.send('POST', path, { body }), 503, 'STORAGE_UNAVAILABLE');
    relay.mend();
    expect([refused.reason, refused.message]).toEqual([
      'outcomeUnknown',
      `It isn't known whether this was carried out. ${advice}`,
    ]);
  }
  relay.loseCommits();
  const control = await sandbox.control('POST', '/reset');
  relay.mend();
  expect(expectRefusal(control, 503, 'STORAGE_UNAVAILABLE').message).toBe(
    "It isn't known whether this was carried out. Before you send it again, read what it changes.",
  );
  expect((await sandbox.send('GET', '/customers')).body.totalCount).toBeLessThanOrEqual(totalCount);
});

test('a connection that is lost before the commit: nothing was carried out, and the reply says so', async () => {
  const { relay, store } = await openBehindRelay({ patience: short });
  const sandbox = await openSandbox({ store });
  relay.fallSilent();
  const refused = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
  expect(expectRefusal(refused, 503, 'STORAGE_UNAVAILABLE')).not.toHaveProperty('reason');
  expect(refused.headers.get('retry-after')).toBe('5');
});

test('a database that is gone without a word: those who wait are refused together', async () => {
  const { relay, store } = await openBehindRelay({ patience: short });
  await store.transaction('p', async () => {});
  relay.fallSilent();
  const waiting = Array.from({ length: 5 }, () => store.transaction('p', async () => {}));
  for (const outcome of await Promise.allSettled(waiting)) {
    expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(StorageUnavailable);
  }
  await expect(store.read((reader) => reader.execute({ sql: 'select 1', parameters: [] }))).rejects.toThrow(
    StorageUnavailable,
  );
  relay.mend();
  await expect(store.transaction('p', async () => 'back')).resolves.toBe('back');
});

test('a statement that takes long is not cut off while the server answers', async () => {
  const { store } = await openBehindRelay({ patience: { ...short, answer: 10_000 } });
  const slow = store.transaction('p', (tx) => tx.execute({ sql: 'select pg_sleep(0.4)', parameters: [] }));
  await expect(slow).resolves.toBeDefined();
});
