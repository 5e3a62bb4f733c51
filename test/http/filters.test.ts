/**
 * Promise: every filter has an effect and accepts every value in the contract. A filtered list has no entry with
 * another value.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

const transactionStatuses = ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'EXPIRED'];

describe('a status', () => {
  test.each(transactionStatuses)('%s narrows the transactions, of the platform and of an agent', async (status) => {
    const sandbox = await openSandbox();
    const { agent } = await openAgentStage(sandbox);
    const answers = [
      await sandbox.send('GET', `/transactions?status=${status}`),
      await agent.send('GET', `/transactions?status=${status}`),
    ];
    for (const { status: code, body } of answers) {
      expect(code).toBe(200);
      for (const one of body.data) expect(one.status).toBe(status);
    }
  });

  test('APPROVED narrows the verifications', async () => {
    const sandbox = await openSandbox();
    const { status, body } = await sandbox.send('GET', '/verifications?verificationStatus=APPROVED');
    expect(status).toBe(200);
    for (const one of body.data) expect(one.verificationStatus).toBe('APPROVED');
  });
});

const dates = ['created', 'updated'].flatMap((what) => [
  `${what}After=2030-01-01T00:00:00Z`,
  `${what}Before=2020-01-01T00:00:00Z`,
]);

test.each([
  ['/customers', 'customerType=BUSINESS'],
  ['/customers/internal-accounts', 'type=EMBEDDED_WALLET'],
  ['/customers/external-accounts', 'customerId=CUSTOMER'],
  ['/platform/internal-accounts', 'currency=USD'],
  ['/platform/internal-accounts', 'type=INTERNAL_CRYPTO'],
  ['/agents', 'isPaused=true'],
  ['/agents', 'isConnected=true'],
  ['/agents/approvals', 'startDate=2030-01-01T00:00:00Z'],
  ['/agents/approvals', 'endDate=2020-01-01T00:00:00Z'],
  ...['/customers', '/tokens', '/agents'].flatMap((path) => dates.map((date): [string, string] => [path, date])),
])('%s?%s is a part of the whole', async (path, filter) => {
  const sandbox = await openSandbox();
  const { id } = (await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } })).body;
  const { agent, accountId, bankId } = await openAgentStage(sandbox, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const body = { source: { accountId }, destination: { accountId: bankId }, amount: 100 };
  must(await agent.send('POST', '/transfer-out', { body }), 201);
  const whole = await sandbox.send('GET', path);
  const part = await sandbox.send('GET', `${path}?${filter.replace('CUSTOMER', id)}`);
  expect([whole.status, part.status]).toEqual([200, 200]);
  expect(part.body.totalCount).toBeLessThan(whole.body.totalCount);
  const ids = whole.body.data.map((one: { id: string }) => one.id);
  for (const one of part.body.data) expect(ids).toContain(one.id);
});

test('the pages of a platform account list follow one another', async () => {
  const sandbox = await openSandbox();
  const read = async (query: string) => (await sandbox.send('GET', `/platform/internal-accounts?limit=1${query}`)).body;
  const first = await read('');
  const second = await read(`&cursor=${first.nextCursor}`);
  expect(second.data[0].id).not.toBe(first.data[0].id);
});

test.each([
  ['customerId', 'Customer:none', 404],
  ['senderUmaAddress', '$sender@pay.example', 200],
  ['senderUmaAddress', 'sender', 400],
])('a receiver looked up with %s=%s: %i', async (name, value, expected) => {
  const sandbox = await openSandbox();
  const { bankId } = await openAgentStage(sandbox);
  for (const receiver of ['uma/$success.usd@pay.example', `external-account/${bankId}`]) {
    expect((await sandbox.send('GET', `/receiver/${receiver}`)).status).toBe(200);
    expect((await sandbox.send('GET', `/receiver/${receiver}?${name}=${value}`)).status).toBe(expected);
  }
});

test('faults of a query are listed in order: first names that do not fit, then values', async () => {
  const answer = await (await openSandbox()).send('GET', '/customers?limit=0&surprise=1');
  const pointers = ['/surprise', '/limit'].map((pointer) => ({ pointer }));
  expect(expectRefusal(answer, 400, 'INVALID_INPUT')).toMatchObject({ details: { errors: pointers } });
});
