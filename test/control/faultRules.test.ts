/**
 * Promise: a fault rule imitates a faulty network or server: for the operations that it names, as often as it says, and
 * only on its own platform (docs/how-to/faults.md).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { bundle, expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { runInProcess } from '../support/process/inProcess.ts';
import { openPort } from '../support/process/server.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { listTransactions, openOwner } from '../support/scenes/transfers.ts';

const plant = async (sandbox: TestSandbox, ...rules: readonly object[]) => {
  const answer = await sandbox.control('PUT', '/faults', { body: { rules } });
  expect([answer.status, answer.body]).toEqual([200, { rules }]);
};
const planted = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/faults')).body.rules;
const list = (sandbox: TestSandbox) => sandbox.send('GET', '/customers');
const makeCustomer = (sandbox: TestSandbox) =>
  sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
const countCustomers = async (sandbox: TestSandbox) => (await list(sandbox)).body.totalCount;

describe('status', () => {
  test('refuses as the contract says, as often as the rule says, and does nothing; then everything is as before', async () => {
    const sandbox = await openSandbox();
    const before = await countCustomers(sandbox);
    await plant(sandbox, { operation: 'createCustomer', status: 503, times: 2 });
    for (const left of [[{ operation: 'createCustomer', status: 503, times: 1 }], []]) {
      expectRefusal(await makeCustomer(sandbox), 503, 'STORAGE_UNAVAILABLE');
      expect(await planted(sandbox)).toEqual(left);
    }
    expect((await makeCustomer(sandbox)).status).toBe(201);
    expect(await countCustomers(sandbox)).toBe(before + 1);
  });

  test('without times until it is taken away, on reads that were answered before as well', async () => {
    const sandbox = await openSandbox();
    for (let number = 0; number < 2; number += 1) expect((await list(sandbox)).status).toBe(200);
    await plant(sandbox, { operation: '*', status: 500 });
    for (let number = 0; number < 3; number += 1) expectRefusal(await list(sandbox), 500, 'INTERNAL_ERROR');
    must(await sandbox.control('DELETE', '/faults'));
    expect((await list(sandbox)).status).toBe(200);
  });

  test("with the code that is asked for, the contract's first example of it, and the headers that go with it", async () => {
    const sandbox = await openSandbox();
    const wallet = (await sandbox.send('GET', '/customers/internal-accounts?type=EMBEDDED_WALLET')).body.data[0];
    await plant(sandbox, { operation: 'createQuote', status: 404, code: 'ACCOUNT_NOT_FOUND', times: 1 });
    const body = {
      source: { sourceType: 'ACCOUNT', accountId: wallet.id },
      destination: { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:x' },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    };
    const refused = expectRefusal(await sandbox.send('POST', '/quotes', { body }), 404, 'ACCOUNT_NOT_FOUND');
    expect(refused).toEqual(bundle.components.examples.accountNotFound.value);
    await plant(sandbox, { operation: 'challengeCredential', status: 429 });
    const { data } = (await sandbox.send('GET', `/auth/credentials?accountId=${wallet.id}`)).body;
    const id = data[0]?.id ?? 'AuthMethod:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';
    const answer = await sandbox.send('POST', `/auth/credentials/${id}/challenge`, { body: {} });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test('is not what a key remembers: the same request is carried out once the fault is over', async () => {
    const sandbox = await openSandbox();
    const owner = await openOwner('000', {}, sandbox);
    await plant(sandbox, { operation: 'createTransferOut', status: 500, times: 1 });
    const body = { source: { accountId: owner.internalId }, destination: { accountId: owner.externalId }, amount: 700 };
    const headers = { 'Idempotency-Key': '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff' };
    const answers = [];
    for (let number = 0; number < 2; number += 1) {
      answers.push(await sandbox.send('POST', '/transfer-out', { body, headers }));
    }
    expect(answers.map(({ status }) => status)).toEqual([500, 201]);
    expect(await owner.balance()).toBe(99_300);
  });
});

describe('drop', () => {
  test('before: nothing was done; after: all of it was, and a repetition with the same key gets the lost answer', async () => {
    const sandbox = await openSandbox();
    const owner = await openOwner('000', {}, sandbox);
    const body = { source: { accountId: owner.internalId }, destination: { accountId: owner.externalId }, amount: 700 };
    const headers = { 'Idempotency-Key': '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff' };
    const pay = () => sandbox.send('POST', '/transfer-out', { body, headers });
    await plant(sandbox, { operation: 'createTransferOut', drop: 'before', times: 1 });
    await expect(pay()).rejects.toThrow(TypeError);
    expect(await owner.balance()).toBe(100_000);
    await plant(sandbox, { operation: 'createTransferOut', drop: 'after', times: 1 });
    await expect(pay()).rejects.toThrow(/dropped by a fault rule/);
    expect(await owner.balance()).toBe(99_300);
    const again = await pay();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await listTransactions(sandbox, 'type=OUTGOING')).toHaveLength(1);
  });

  test('on a port the connection ends without a byte', async () => {
    const server = await openPort(await openSandbox());
    const authorization = `Basic ${btoa('sandbox:sandbox')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ rules: [{ operation: 'listCustomers', drop: 'after', times: 1 }] });
    await fetch(`http://localhost:${server.port}/__sandbox/faults`, { method: 'PUT', headers, body });
    await expect(fetch(`${server.base}/customers`, { headers })).rejects.toThrow(/fetch failed/);
    expect((await fetch(`${server.base}/customers`, { headers })).status).toBe(200);
  });
});

test('delayMs: the answer is the same, so much later; with a status as well', async () => {
  const waits: number[] = [];
  const sandbox = await openSandbox({ wait: async (milliseconds) => void waits.push(milliseconds) });
  const answer = (await list(sandbox)).body;
  const rules = [
    { operation: 'listCustomers', delayMs: 1500, times: 1 },
    { operation: 'listCustomers', delayMs: 60_000, status: 500, times: 1 },
  ];
  await plant(sandbox, ...rules);
  expect((await list(sandbox)).body).toEqual(answer);
  expect(waits).toEqual([1500]);
  expectRefusal(await list(sandbox), 500, 'INTERNAL_ERROR');
  expect((await list(sandbox)).body).toEqual(answer);
  expect(waits).toEqual([1500, 60_000]);
});

describe('the journal', () => {
  const readJournal = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/journal')).body.data;
  const person = { customerType: 'INDIVIDUAL' };

  test('has the rule on each exchange that it acted on, and on no other', async () => {
    const sandbox = await openSandbox({ wait: async () => {} });
    const rules = [
      { operation: 'listCustomers', status: 503, times: 1 },
      { operation: 'listCustomers', delayMs: 1500, times: 1 },
      { operation: 'listCustomers', delayMs: 1500, status: 500, times: 1 },
    ];
    await plant(sandbox, ...rules);
    for (const status of [503, 200, 500, 200]) must(await list(sandbox), status);
    const entries = (await readJournal(sandbox)).reverse();
    expect(entries.map(({ fault }: { fault?: object }) => fault)).toEqual([...rules, undefined]);
    expect(entries.map(({ response }: { response: { status: number } }) => response.status)).toEqual([
      503, 200, 500, 200,
    ]);
    expect(entries[3]).not.toHaveProperty('fault');
    for (const { response } of entries) expect(response).not.toHaveProperty('withheld');
  });

  test('drop before: no reply, and none is withheld', async () => {
    const sandbox = await openSandbox();
    const rule = { operation: 'createCustomer', drop: 'before', times: 1 };
    await plant(sandbox, rule);
    await expect(makeCustomer(sandbox)).rejects.toThrow(TypeError);
    expect((await readJournal(sandbox))[0]).toMatchObject({ operationId: 'createCustomer', fault: rule });
    expect((await readJournal(sandbox))[0].response).toEqual({ status: 0, headers: {} });
  });

  test('drop after: no reply, and beside it the one that the app did not get, secrets masked', async () => {
    const sandbox = await openSandbox();
    const rule = { operation: '*', drop: 'after', times: 2 };
    await plant(sandbox, rule);
    await expect(makeCustomer(sandbox)).rejects.toThrow(TypeError);
    const body = { name: 'Second', permissions: ['VIEW'] };
    await expect(sandbox.send('POST', '/tokens', { body })).rejects.toThrow(TypeError);
    const [token, customer] = await readJournal(sandbox);
    expect([customer.fault, token.fault]).toEqual([rule, { ...rule, times: 1 }]);
    expect(customer.response).toEqual({
      status: 0,
      headers: {},
      withheld: {
        status: 201,
        headers: expect.objectContaining({ 'Content-Type': 'application/json' }),
        body: expect.objectContaining(person),
      },
    });
    expect(token.response.withheld.body.clientSecret).toMatch(/^[a1]{64}$/);
    const { body: judged } = await sandbox.control('GET', `/journal/${customer.id}`);
    expect(judged).toEqual({ ...customer, findings: [] });
  });

  test('as an archive: status 0 with a comment, which the kit counts as no reply and finds nothing in', async () => {
    const sandbox = await openSandbox();
    await plant(sandbox, { operation: '*', drop: 'after', times: 1 }, { operation: '*', drop: 'before', times: 1 });
    await expect(makeCustomer(sandbox)).rejects.toThrow(TypeError);
    await expect(makeCustomer(sandbox)).rejects.toThrow(TypeError);
    must(await list(sandbox));
    const { body: har } = await sandbox.control('GET', '/journal?format=har');
    const [after, before, last] = har.log.entries;
    expect(after).toMatchObject({
      comment: 'A fault rule of the control surface acted on this request.',
      _fault: { operation: '*', drop: 'after' },
      _withheld: { status: 201, content: { mimeType: 'application/json' } },
      response: { status: 0, headers: [], content: { size: 0 }, comment: expect.stringContaining('no reply was sent') },
    });
    expect(before).not.toHaveProperty('_withheld');
    expect(last).not.toHaveProperty('comment');
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'faults.har'), JSON.stringify(har));
    const checked = await runInProcess(['check', join(folder, 'faults.har')]);
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('2 without a reply')]);
  });

  test('an exchange is noted when its delay is over, as it is then answered', async () => {
    const delay = Promise.withResolvers<void>();
    const sandbox = await openSandbox({ wait: () => delay.promise });
    await plant(sandbox, { operation: 'listCustomers', delayMs: 1000, drop: 'after', times: 1 });
    const asked = list(sandbox);
    await vi.waitFor(async () => expect(await planted(sandbox)).toEqual([]));
    expect(await readJournal(sandbox)).toEqual([]);
    delay.resolve();
    await expect(asked).rejects.toThrow(TypeError);
    expect((await readJournal(sandbox))[0].response).toMatchObject({ status: 0, withheld: { status: 200 } });
  });
});

test('the first rule that fits counts, another operation and another platform notice nothing', async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  await plant(
    sandbox,
    { operation: 'listCustomers', status: 500, times: 1 },
    { operation: '*', status: 503, times: 1 },
  );
  expect([(await list(other)).status, (await list(sandbox)).status]).toEqual([200, 500]);
  expect((await sandbox.send('GET', '/agents')).status).toBe(503);
  expect([(await sandbox.send('GET', '/agents')).status, (await list(sandbox)).status]).toEqual([200, 200]);
});

test('a request without access, or outside the contract, gets no fault and uses none up', async () => {
  const sandbox = await openSandbox();
  const rules = [{ operation: '*', status: 500, times: 1 }];
  await plant(sandbox, ...rules);
  expect((await sandbox.send('GET', '/customers', { authorization: null })).status).toBe(401);
  expect((await sandbox.send('GET', '/customers?limit=0')).status).toBe(400);
  expect((await sandbox.send('GET', '/nothing')).status).toBe(404);
  expect(await planted(sandbox)).toEqual(rules);
});

test('of a hundred requests at once a rule for ten meets ten', async () => {
  const sandbox = await openSandbox();
  await plant(sandbox, { operation: 'listCustomers', status: 503, times: 10 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => list(sandbox)));
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(90);
});

test('rules are the platform’s: a reset ends them', async () => {
  const sandbox = await openSandbox();
  await plant(sandbox, { operation: '*', drop: 'before' });
  expect((await sandbox.control('POST', '/reset')).status).toBe(204);
  expect((await list(sandbox)).status).toBe(200);
});

test.each<[name: string, rule: object, place: string]>([
  ['an unknown operation', { operation: 'nothing', status: 500 }, '/operation'],
  ['__proto__', { operation: '__proto__', status: 500 }, '/operation'],
  ['nothing to go wrong', { operation: '*', times: 1 }, ''],
  ['a success', { operation: 'listCustomers', status: 200 }, '/status'],
  ['a status that the operation does not declare', { operation: 'listCustomers', status: 429 }, '/status'],
  ['one that not all declare', { operation: '*', status: 404 }, '/status'],
  ['a code of another status', { operation: 'listCustomers', status: 400, code: 'FORBIDDEN' }, '/code'],
  ['a code alone', { operation: 'listCustomers', code: 'FORBIDDEN', delayMs: 1 }, '/code'],
  ['an answer and none', { operation: 'listCustomers', status: 500, drop: 'after' }, '/drop'],
  ['no time at all', { operation: '*', delayMs: 0 }, '/delayMs'],
  ['over a minute', { operation: '*', delayMs: 60_001 }, '/delayMs'],
  ['never', { operation: '*', status: 500, times: 0 }, '/times'],
  ['another way to drop', { operation: '*', drop: 'now' }, '/drop'],
  ['something else', { operation: '*', status: 500, path: '/x' }, '/path'],
])('refused, and what was planted stays: %s', async (_name, rule, place) => {
  const sandbox = await openSandbox();
  const rules = [{ operation: 'listAgents', delayMs: 1 }];
  await plant(sandbox, ...rules);
  const answer = await sandbox.control('PUT', '/faults', { body: { rules: [rule] } });
  expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`body /rules/0${place}`]);
  expect(await planted(sandbox)).toEqual(rules);
});
