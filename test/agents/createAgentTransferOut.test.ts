/**
 * Promise: an agent's request pays out at most once. The action says whether it succeeded, waits or failed. A refused
 * request moves and counts nothing (D30, D32, D33, D73, D78, D82).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import {
  agentState,
  empty,
  openStranger,
  readAction,
  strangers,
  testAgentOperation,
  transferBody,
  used,
} from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { mustAdd, usdcRequest } from '../support/scenes/externalAccounts.ts';
import { at, fund, updateCustomer } from '../support/scenes/payments.ts';
import { expectSound, readTransaction } from '../support/scenes/transfers.ts';

const path = '/transfer-out';
testAgentOperation('createAgentTransferOut', ({ accountId, bankId }) => ({
  path,
  options: { body: transferBody(accountId, bankId) },
}));

async function open(policy: object = {}, suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  await sandbox.advance(1);
  return { sandbox, stage, agent: stage.agent };
}

/** The fields of an agent's transfer that are the same for every outcome. */
const always = ({ agent, customerId, accountId, bankId }: Awaited<ReturnType<typeof openAgentStage>>) => ({
  id: expect.stringMatching(/^AgentAction:[0-9a-f-]{36}$/),
  agentId: agent.id,
  customerId,
  platformCustomerId: expect.stringMatching(/./),
  type: 'TRANSFER_OUT',
  transferDetails: { amount: 2500, currency: 'USD', sourceAccountId: accountId, destinationAccountId: bankId },
  createdAt: at(1),
  updatedAt: at(1),
});

test('at once: the action, whole, is APPROVED, the money is off the balance and counted', async () => {
  const { sandbox, stage, agent } = await open();
  const answer = await agent.send('POST', path, { body: transferBody(stage.accountId, stage.bankId, 2500, 'WIRE') });
  const { transaction } = answer.body;
  expect([answer.status, answer.body]).toEqual([201, { ...always(stage), status: 'APPROVED', transaction }]);
  expect(transaction).toMatchObject({ type: 'OUTGOING', status: 'COMPLETED', agentId: agent.id, settledAt: at(1) });
  expect(transaction.destination).toMatchObject({ accountId: stage.bankId, paymentRail: 'WIRE' });
  expect(await readTransaction(sandbox, transaction.id)).toEqual(transaction);
  expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
  await expectSound(sandbox);
});

test('waiting: nothing is reserved, and the platform pays by approving', async () => {
  const { sandbox, stage, agent } = await open({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const action = await stage.act(2500);
  expect(action).toEqual({ ...always(stage), status: 'PENDING_APPROVAL' });
  expect([await stage.balance(), await used(agent)]).toEqual([100_000, [0, 0]]);
  await sandbox.advance(1);
  const { body } = await stage.answer(action, 'approve');
  const { transaction } = body;
  expect(body).toEqual({ ...action, status: 'APPROVED', transaction, updatedAt: at(2) });
  expect(transaction).toMatchObject({ status: 'COMPLETED', agentId: agent.id, createdAt: at(2) });
  expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
});

test.each([
  ['at once', 'AUTO'],
  ['when it is approved', 'APPROVAL_REQUIRED'],
])('with too little money %s: FAILED, with a FAILED transaction, and nothing counts', async (_name, mode) => {
  const { sandbox, stage, agent } = await open({ defaultExecutionMode: mode });
  await empty(sandbox, stage, 97_501);
  let action = await stage.act(2500);
  if (mode === 'APPROVAL_REQUIRED') action = (await stage.answer(action, 'approve')).body;
  const { transaction } = action;
  expect(action).toEqual({ ...always(stage), status: 'FAILED', transaction });
  expect(transaction).toMatchObject({ status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS', agentId: agent.id });
  expect(transaction).not.toHaveProperty('settledAt');
  await fund(sandbox, stage.accountId, 1);
  expect(await readAction(agent, action)).toEqual(action);
  expect([await stage.balance(), await used(agent)]).toEqual([2500, [0, 0]]);
  await expectSound(sandbox);
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
    const action = await stage.act(2500);
    const isPaid = status === 'APPROVED';
    expect([action.status, action.transaction?.status]).toEqual([status, isPaid ? 'COMPLETED' : 'FAILED']);
    expect(action.transaction?.failureReason).toBe(failureReason);
    for (const seconds of [0, 30, 3600]) {
      await sandbox.advance(seconds);
      expect(await readAction(agent, action)).toEqual(action);
      expect([await stage.balance(), await used(agent)]).toEqual(isPaid ? [97_500, [1, 2500]] : [100_000, [0, 0]]);
    }
    await expectSound(sandbox);
  });

  test('005 is APPROVED and counted, and after 30 seconds FAILED, with money and usage given back', async () => {
    const { sandbox, stage, agent } = await open({}, '005');
    const action = await stage.act(2500);
    expect([action.status, action.transaction?.status]).toEqual(['APPROVED', 'PENDING']);
    await sandbox.advance(29.999);
    expect(await readAction(agent, action)).toEqual(action);
    expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
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
    for (const body of [transferBody(accountId, stage.bankId), transferBody(stage.accountId, bankId)]) {
      expectRefusal(await agent.send('POST', path, { body }), 404, 'ACCOUNT_NOT_FOUND');
    }
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test.each<[string, object, string[]]>([
    ['nothing said', {}, ['body /amount', 'body /destination', 'body /source']],
    ['no sum', transferBody('InternalAccount:a', 'ExternalAccount:a', 0), ['body /amount']],
    ['an external source', transferBody('ExternalAccount:a', 'ExternalAccount:a'), ['body /source/accountId']],
    [
      'an internal destination',
      transferBody('InternalAccount:a', 'InternalAccount:a'),
      ['body /destination/accountId'],
    ],
  ])('%s: 400 at its place', async (_name, body, places) => {
    const { sandbox, stage, agent } = await open();
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await agent.send('POST', path, { body }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('a wallet, another currency, a closed account and a rail that is not there: 400', async () => {
    const { sandbox, stage, agent } = await open();
    const { customerId, accountId, bankId } = stage;
    const own = await accountsOf(sandbox, customerId);
    const idOf = (currency: string) => own.find(({ balance }) => balance.currency.code === currency)?.id ?? '';
    const coins = await mustAdd(sandbox, usdcRequest('coins', { customerId }));
    const refuses = async (body: object, code: 'INVALID_INPUT' | 'INVALID_CURRENCY', place: string) => {
      const before = await agentState(sandbox, stage);
      const refused = expectRefusal(await agent.send('POST', path, { body }), 400, code);
      expect(faultPlaces(refused)).toEqual([`body /${place}`]);
      expect(await agentState(sandbox, stage)).toEqual(before);
    };
    await refuses(transferBody(idOf('USDB'), bankId), 'INVALID_INPUT', 'source/accountId');
    await refuses(transferBody(accountId, coins.id), 'INVALID_CURRENCY', 'destination/accountId');
    await refuses(transferBody(accountId, bankId, 2500, 'SEPA'), 'INVALID_INPUT', 'destination/paymentRail');
    await updateCustomer(sandbox, customerId, { currencies: ['USD'] });
    await refuses(transferBody(idOf('USDC'), coins.id), 'INVALID_INPUT', 'source/accountId');
  });

  test.each(['UNVERIFIED', 'PENDING', 'REJECTED'])(
    'a customer who is %s: 403, before the policy',
    async (kycStatus) => {
      const { sandbox, stage, agent } = await open();
      await updateCustomer(sandbox, stage.customerId, { kycStatus });
      await agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
      const before = await agentState(sandbox, stage);
      expectRefusal(await stage.transferOut(2500), 403, 'USER_NOT_READY');
      expect(await agentState(sandbox, stage)).toEqual(before);
    },
  );

  test('what the policy does not permit: 403 with the field', async () => {
    const { sandbox, stage, agent } = await open({ spendingLimits: { currency: 'USD', perTransactionLimit: 2499 } });
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await stage.transferOut(2500), 403, 'POLICY_VIOLATION');
    expect(refused).toMatchObject({
      reason: 'perTransactionLimit',
      details: { limit: 2499, used: 0, amount: 2500, currency: 'USD' },
    });
    expect(await agentState(sandbox, stage)).toEqual(before);
    await agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
    const other = expectRefusal(await stage.transferOut(2500), 403, 'POLICY_VIOLATION');
    expect(other).toMatchObject({ reason: 'allowedAccountIds', details: { accountId: stage.accountId } });
  });
});
