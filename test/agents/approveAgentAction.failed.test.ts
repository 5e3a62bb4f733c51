/**
 * Promise: if an approved action isn't permitted any more or can't be carried out, it becomes FAILED without an error
 * and without a movement of money (D32, D33, D78).
 */
import { describe, expect, test } from 'vitest';
import { maxAmount } from '../../mocks/sandbox/payments/currencies.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { fund, payIn, updateCustomer } from '../support/scenes/payments.ts';
import { askFirst, openWaiting, openWaitingQuote, type Waiting } from '../support/scenes/platformAgents.ts';
import { expectSound, moneyState } from '../support/scenes/transfers.ts';

const seenByAgent = async (agent: Waiting['agent'], id: string) => (await agent.send('GET', `/actions/${id}`)).body;
const payOut = async (
  { sandbox, accountId, bankId }: Pick<Waiting, 'sandbox' | 'accountId' | 'bankId'>,
  amount: number,
) => {
  const body = { source: { accountId }, destination: { accountId: bankId }, amount };
  expect((await sandbox.send('POST', '/transfer-out', { body })).status).toBe(201);
};

const by = (reason: string) => ['POLICY_VIOLATION', reason] as const;

test('during a pause the approval is 409 and the action waits; after it, it is approved', async () => {
  const waiting = await openWaiting();
  const { sandbox, agent, action, answer } = waiting;
  await agent.pause(true);
  const before = await moneyState(sandbox);
  const refused = expectRefusal(await answer(action, 'approve'), 409, 'CONFLICT');
  expect([refused.reason, refused.message]).toEqual([
    'agentPaused',
    expect.stringContaining(`PATCH /agents/${agent.id}`),
  ]);
  expect(await moneyState(sandbox)).toEqual(before);
  expect(await seenByAgent(agent, action.id)).toEqual(action);
  await agent.pause(false);
  expect((await answer(action, 'approve')).body).toMatchObject({ status: 'APPROVED' });
  // A pause doesn't affect an action that was already answered.
  await agent.pause(true);
  expectRefusal(await answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
});

describe('what is not permitted any more is FAILED, without a transaction, and says why', () => {
  const policy =
    (update: (waiting: Waiting) => object) =>
    async (waiting: Waiting): Promise<void> =>
      void (await waiting.agent.changePolicy(update(waiting)));

  test.each<[name: string, change: (waiting: Waiting) => Promise<unknown>, code: string, reason?: string]>([
    ['the permission gone', policy(() => ({ permissions: ['CREATE_QUOTES', 'EXECUTE_QUOTES'] })), 'FORBIDDEN'],
    [
      'a lower perTransactionLimit',
      policy(() => ({ spendingLimits: { perTransactionLimit: 2499 } })),
      ...by('perTransactionLimit'),
    ],
    ['a dailyLimit', policy(() => ({ spendingLimits: { dailyLimit: 2499 } })), ...by('dailyLimit')],
    [
      'a dailyTransactionLimit',
      policy(() => ({ spendingLimits: { dailyTransactionLimit: 0 } })),
      ...by('dailyTransactionLimit'),
    ],
    ['a monthlyLimit', policy(() => ({ spendingLimits: { monthlyLimit: 2499 } })), ...by('monthlyLimit')],
    [
      'a limit in another currency',
      policy(() => ({ spendingLimits: { currency: 'EUR', perTransactionLimit: 2151 } })),
      ...by('perTransactionLimit'),
    ],
    [
      "a limit in an account's rule",
      policy(({ bankId }) => ({
        accountRestrictions: { accountRules: [{ accountId: bankId, perTransactionLimit: 2499 }] },
      })),
      ...by('accountRules.perTransactionLimit'),
    ],
    [
      'a source that is not allowed',
      policy(() => ({ accountRestrictions: { allowedAccountIds: [] } })),
      ...by('allowedAccountIds'),
    ],
    [
      'the external account deleted',
      async ({ sandbox, bankId }) =>
        expect((await sandbox.send('DELETE', `/customers/external-accounts/${bankId}`)).status).toBe(204),
      'ACCOUNT_NOT_FOUND',
    ],
    [
      'KYC that was REJECTED',
      ({ sandbox, customerId }) => updateCustomer(sandbox, customerId, { kycStatus: 'REJECTED' }),
      'USER_NOT_READY',
    ],
    [
      'the customer deleted',
      async (waiting) => {
        await payOut(waiting, 100_000);
        await deleteCustomer(waiting.sandbox, waiting.customerId);
      },
      'CUSTOMER_DELETED',
    ],
    [
      'the account closed',
      async (waiting) => {
        await payOut(waiting, 100_000);
        await updateCustomer(waiting.sandbox, waiting.customerId, { currencies: ['EUR'] });
      },
      'INVALID_INPUT',
    ],
  ])('%s', async (_name, change, code, reason) => {
    const waiting = await openWaiting();
    const { sandbox, agent, action, answer } = waiting;
    await change(waiting);
    const [before, seen] = [await moneyState(sandbox), await agent.look()];
    await sandbox.advance(1);
    const { status, body } = await answer(action, 'approve');
    const failure = { code, message: expect.any(String), ...(reason === undefined ? {} : { reason }) };
    const failed = { ...action, status: 'FAILED', failure, updatedAt: '2025-10-13T09:00:01.000Z' };
    expect([status, body]).toEqual([200, failed]);
    // A new request would get the same refusal.
    const submitted = await waiting.transferOut(2500);
    expect([submitted.body.code, submitted.body.message, submitted.body.reason]).toEqual([
      body.failure.code,
      body.failure.message,
      body.failure.reason,
    ]);
    expect(await seenByAgent(agent, action.id)).toEqual(failed);
    expect(await moneyState(sandbox)).toEqual(before);
    expect(await agent.look()).toEqual(seen);
    expectRefusal(await answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
  });

  test('the limits that other actions have used up meanwhile', async () => {
    const { agent, act, action, answer, balance } = await openWaiting({
      ...askFirst,
      spendingLimits: { currency: 'USD', perTransactionLimit: 3000, dailyLimit: 5000 },
    });
    const [second, third] = [await act(2500), await act(1)];
    expect((await answer(action, 'approve')).body.status).toBe('APPROVED');
    expect((await answer(second, 'approve')).body.status).toBe('APPROVED');
    expect((await answer(third, 'approve')).body.status).toBe('FAILED');
    expect(await balance()).toBe(95_000);
    expect((await agent.look()).usage).toMatchObject({ dailyTransactionCount: 2, dailySpend: 5000 });
  });
});

describe("an action that can't be carried out is FAILED", () => {
  test('too little money: a transfer leaves a FAILED transaction', async () => {
    const waiting = await openWaiting();
    await payOut(waiting, 97_501);
    const { status, body } = await waiting.answer(waiting.action, 'approve');
    const transaction = { status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS', agentId: waiting.agent.id };
    expect([status, body]).toMatchObject([200, { status: 'FAILED', transaction }]);
    expect(await waiting.balance()).toBe(2499);
    expect((await waiting.agent.look()).usage).toMatchObject({ dailyTransactionCount: 0, monthlySpend: 0 });
    await expectSound(waiting.sandbox);
  });

  test('too little money: a quote stays PENDING, and a new action executes it', async () => {
    const waiting = await openWaitingQuote();
    await payOut(waiting, 97_501);
    const { status, body } = await waiting.answer(waiting.action, 'approve');
    const failure = { code: 'INSUFFICIENT_FUNDS', message: expect.stringContaining('24.99 USD (2499)') };
    expect([status, body]).toEqual([200, { ...waiting.action, status: 'FAILED', failure }]);
    await fund(waiting.sandbox, waiting.accountId, 1);
    const again = (await waiting.agent.send('POST', `/quotes/${waiting.quote.id}/execute`)).body;
    expect((await waiting.answer(again, 'approve')).body.status).toBe('APPROVED');
    expect(await waiting.balance()).toBe(0);
  });

  test('a bank that refuses, at once or later', async () => {
    const refused = await openWaiting(askFirst, '004');
    const { body } = await refused.answer(refused.action, 'approve');
    expect(body).toMatchObject({
      status: 'FAILED',
      transaction: { status: 'FAILED', failureReason: 'REJECTED_BY_BANK' },
    });

    const late = await openWaiting(askFirst, '005');
    expect((await late.answer(late.action, 'approve')).body.status).toBe('APPROVED');
    expect(await late.balance()).toBe(97_500);
    await late.sandbox.advance(30);
    const transaction = { status: 'FAILED', failureReason: 'TIMED_OUT' };
    expect(await seenByAgent(late.agent, late.action.id)).toMatchObject({ status: 'FAILED', transaction });
    expect(await late.balance()).toBe(100_000);
    expect((await late.agent.look()).usage).toMatchObject({ dailyTransactionCount: 0, monthlySpend: 0 });
  });

  test('a quote that the platform executed meanwhile: the money moved once', async () => {
    const { sandbox, agent, quote, action, answer, balance } = await openWaitingQuote();
    expect((await sandbox.send('POST', `/quotes/${quote.id}/execute`)).status).toBe(200);
    const { status, body } = await answer(action, 'approve');
    expect([status, body.status, 'transaction' in body]).toEqual([200, 'FAILED', false]);
    expect(body.failure).toMatchObject({ code: 'QUOTE_NOT_PENDING' });
    expect(await balance()).toBe(97_500);
    expect((await agent.look()).usage).toMatchObject({ dailyTransactionCount: 0, monthlySpend: 0 });
  });
});

test('money that the account could not hold any more does not come in', async () => {
  const { sandbox, agent, customerId, accountId, bankId, answer } = await openWaiting();
  const body = { source: { accountId: bankId }, destination: { accountId }, amount: 2500 };
  const action = (await agent.send('POST', '/transfer-in', { body })).body;
  expect(action).toMatchObject({ type: 'TRANSFER_IN', status: 'PENDING_APPROVAL' });
  await payIn(sandbox, customerId, 'USD', maxAmount - 100_000 - 2499);
  const before = await moneyState(sandbox);
  expect((await answer(action, 'approve')).body).toMatchObject({
    status: 'FAILED',
    failure: { code: 'AMOUNT_OUT_OF_RANGE' },
  });
  expect(await moneyState(sandbox)).toEqual(before);
  await expectSound(sandbox);
});
