/**
 * Promise: an agent's request collects money at most once. The action says whether it succeeded, waits or failed. It
 * counts when the money arrives. A refused request moves and counts nothing (D30, D32, D33, D73, D78, D82).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import {
  actionsOf,
  agentState,
  openStranger,
  readAction,
  strangers,
  testAgentOperation,
  transferBody,
  transferInAs,
  used,
} from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { mustAdd, usdcRequest } from '../support/scenes/externalAccounts.ts';
import { at, payIn, updateCustomer } from '../support/scenes/payments.ts';
import { expectSound, readTransaction } from '../support/scenes/transfers.ts';

const path = '/transfer-in';
testAgentOperation('createAgentTransferIn', ({ accountId, bankId }) => ({
  path,
  options: { body: transferBody(bankId, accountId) },
}));

async function open(policy: object = {}, suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  await sandbox.advance(1);
  return { sandbox, stage, agent: stage.agent };
}

const always = ({ agent, customerId, accountId, bankId }: Awaited<ReturnType<typeof openAgentStage>>) => ({
  id: expect.stringMatching(/^AgentAction:[0-9a-f-]{36}$/),
  agentId: agent.id,
  customerId,
  platformCustomerId: expect.stringMatching(/./),
  type: 'TRANSFER_IN',
  transferDetails: { amount: 2500, currency: 'USD', sourceAccountId: bankId, destinationAccountId: accountId },
  createdAt: at(1),
  updatedAt: at(1),
});

test('at once: the action, whole, is APPROVED, the money has arrived and is counted', async () => {
  const { sandbox, stage, agent } = await open();
  const { status, body } = await transferInAs(stage);
  const { transaction } = body;
  expect([status, body]).toEqual([201, { ...always(stage), status: 'APPROVED', transaction }]);
  expect(transaction).toMatchObject({ type: 'INCOMING', status: 'COMPLETED', agentId: agent.id, settledAt: at(1) });
  expect(transaction).toMatchObject({ customerId: stage.customerId, receivedAmount: { amount: 2500 } });
  expect(await readTransaction(sandbox, transaction.id)).toEqual(transaction);
  expect([await stage.balance(), await used(agent)]).toEqual([102_500, [1, 2500]]);
  await expectSound(sandbox);
});

test('waiting: nothing has moved until the platform approves', async () => {
  const { stage, agent } = await open({ approvalThresholds: { currency: 'USD', amount: 2499 } });
  const { body: action } = await transferInAs(stage);
  expect(action).toEqual({ ...always(stage), status: 'PENDING_APPROVAL' });
  expect([await stage.balance(), await used(agent)]).toEqual([100_000, [0, 0]]);
  const { body } = await stage.answer(action, 'approve');
  expect(body).toEqual({ ...action, status: 'APPROVED', transaction: body.transaction });
  expect(body.transaction).toMatchObject({ type: 'INCOMING', status: 'COMPLETED', agentId: agent.id });
  expect([await stage.balance(), await used(agent)]).toEqual([102_500, [1, 2500]]);
});

test('a customer who may not send may collect (D39)', async () => {
  const { sandbox, stage } = await open();
  await updateCustomer(sandbox, stage.customerId, { kycStatus: 'REJECTED' });
  expect((await transferInAs(stage)).body.status).toBe('APPROVED');
  expectRefusal(await stage.transferOut(2500), 403, 'USER_NOT_READY');
});

test('a wallet may receive: nobody needs to sign', async () => {
  const { sandbox, stage, agent } = await open();
  const wallet = (await accountsOf(sandbox, stage.customerId)).find(({ type }) => type === 'EMBEDDED_WALLET');
  const accountInfo = { accountType: 'SPARK_WALLET', address: `spark1${'a'.repeat(60)}` };
  const coins = await mustAdd(sandbox, { currency: 'USDB', customerId: stage.customerId, accountInfo });
  const body = transferBody(coins.id, wallet?.id ?? '', 1_000_000);
  const answer = await agent.send('POST', path, { body });
  expect([answer.status, answer.body.status]).toEqual([201, 'APPROVED']);
  expect(await used(agent)).toEqual([1, 100]);
});

test('more than the account can hold: FAILED without a transaction, and nothing counts (D33)', async () => {
  const { sandbox, stage, agent } = await open();
  await payIn(sandbox, stage.customerId, 'USD', 9_000_000_000_000_000 - 100_000);
  const { status, body } = await transferInAs(stage);
  const failure = { code: 'AMOUNT_OUT_OF_RANGE', message: expect.stringContaining('90000000000000.00 USD') };
  expect([status, body]).toEqual([201, { ...always(stage), status: 'FAILED', failure }]);
  expect([await stage.balance(), await used(agent)]).toEqual([9_000_000_000_000_000, [0, 0]]);
});

describe('outcomes by the identifier (D30)', () => {
  test.each([
    ['001', 'APPROVED', undefined],
    ['002', 'FAILED', 'INSUFFICIENT_FUNDS'],
    ['003', 'FAILED', 'ACCOUNT_CLOSED'],
    ['004', 'FAILED', 'REJECTED_BY_BANK'],
    ['006', 'APPROVED', undefined],
    ['007', 'APPROVED', undefined],
  ])('%s is %s at once and stays so', async (suffix, status, failureReason) => {
    const { sandbox, stage, agent } = await open({}, suffix);
    const { body: action } = await transferInAs(stage);
    const isPaid = status === 'APPROVED';
    expect([action.status, action.transaction.status]).toEqual([status, isPaid ? 'COMPLETED' : 'FAILED']);
    expect(action.transaction.failureReason).toBe(failureReason);
    for (const seconds of [0, 30, 3600]) {
      await sandbox.advance(seconds);
      expect(await readAction(agent, action)).toEqual(action);
      expect([await stage.balance(), await used(agent)]).toEqual(isPaid ? [102_500, [1, 2500]] : [100_000, [0, 0]]);
    }
    await expectSound(sandbox);
  });

  test('005 is APPROVED and counted, and after 30 seconds FAILED, with the usage given back', async () => {
    const { sandbox, stage, agent } = await open({}, '005');
    const { body: action } = await transferInAs(stage);
    expect([action.status, action.transaction.status]).toEqual(['APPROVED', 'PENDING']);
    await sandbox.advance(29.999);
    expect(await readAction(agent, action)).toEqual(action);
    expect([await stage.balance(), await used(agent)]).toEqual([100_000, [1, 2500]]);
    await sandbox.advance(0.001);
    const failed = { status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: at(31) };
    const transaction = { ...action.transaction, ...failed };
    expect(await readAction(agent, action)).toEqual({ ...action, status: 'FAILED', updatedAt: at(31), transaction });
    expect([await stage.balance(), await used(agent)]).toEqual([100_000, [0, 0]]);
    await expectSound(sandbox);
  });
});

describe('what is refused leaves everything as it was', () => {
  test.each(strangers)('the accounts of %s: 404 on each side, before the permission', async (whose) => {
    const { sandbox, stage, agent } = await open({ permissions: [] });
    const { accountId, bankId } = await openStranger(sandbox, whose);
    const before = await agentState(sandbox, stage);
    for (const body of [transferBody(bankId, stage.accountId), transferBody(stage.bankId, accountId)]) {
      expectRefusal(await agent.send('POST', path, { body }), 404, 'ACCOUNT_NOT_FOUND');
    }
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test.each<[string, object, string[]]>([
    ['nothing said', {}, ['body /amount', 'body /destination', 'body /source']],
    ['no sum', transferBody('ExternalAccount:a', 'InternalAccount:a', 0), ['body /amount']],
    ['an internal source', transferBody('InternalAccount:a', 'InternalAccount:a'), ['body /source/accountId']],
    [
      'an external destination',
      transferBody('ExternalAccount:a', 'ExternalAccount:a'),
      ['body /destination/accountId'],
    ],
  ])('%s: 400 at its place', async (_name, body, places) => {
    const { sandbox, stage, agent } = await open();
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await agent.send('POST', path, { body }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('another currency and a closed account: 400', async () => {
    const { sandbox, stage, agent } = await open();
    const { customerId, accountId } = stage;
    const dollars = (await accountsOf(sandbox, customerId)).find(({ balance }) => balance.currency.code === 'USDC');
    const coins = await mustAdd(sandbox, usdcRequest('coins', { customerId }));
    const before = await agentState(sandbox, stage);
    const mismatch = await agent.send('POST', path, { body: transferBody(coins.id, accountId) });
    expectRefusal(mismatch, 400, 'INVALID_CURRENCY');
    expect(await agentState(sandbox, stage)).toEqual(before);
    await updateCustomer(sandbox, customerId, { currencies: ['USD'] });
    const closed = await agent.send('POST', path, { body: transferBody(coins.id, dollars?.id ?? '') });
    expect(faultPlaces(expectRefusal(closed, 400, 'INVALID_INPUT'))).toEqual(['body /destination/accountId']);
    expect(await actionsOf(agent)).toEqual([]);
  });

  test('what the policy does not permit: 403 with the field', async () => {
    const { sandbox, stage, agent } = await open({ spendingLimits: { currency: 'USD', perTransactionLimit: 2499 } });
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await transferInAs(stage), 403, 'POLICY_VIOLATION');
    expect(refused).toMatchObject({ reason: 'perTransactionLimit', details: { limit: 2499, amount: 2500 } });
    expect(await agentState(sandbox, stage)).toEqual(before);
    await agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
    const other = expectRefusal(await transferInAs(stage), 403, 'POLICY_VIOLATION');
    expect(other).toMatchObject({ reason: 'allowedAccountIds', details: { accountId: stage.accountId } });
  });
});
