/**
 * Promise: an agent's execution of a quote moves its money at most once. The action says what happened, and counts
 * unless it fails. If a check fails, the request is refused, and quote, money and usage stay as they were (D32, D33,
 * D78, D80).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  actionsOf,
  agentQuote,
  agentState,
  empty,
  executeAs,
  mustExecuteAs,
  mustQuoteAs,
  readAction,
  testAgentOperation,
  used,
} from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';
import {
  at,
  execute,
  fromOutside,
  fund,
  nobody,
  readQuote,
  readTransaction,
  updateCustomer,
} from '../support/scenes/payments.ts';
import { expectSound, listTransactions } from '../support/scenes/transfers.ts';

testAgentOperation('executeAgentQuote', async (stage) => ({
  path: `/quotes/${(await mustQuoteAs(stage)).id}/execute`,
}));

const waits = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

/** A stage with a quote of 2500 cents to a bank account with this suffix, one second later. */
async function open(policy: object = {}, suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  const quote = await mustQuoteAs(stage);
  await sandbox.advance(1);
  const { agent } = stage;
  return { sandbox, stage, agent, quote, run: () => mustExecuteAs(agent, quote) };
}

test('at once: the action, whole, is APPROVED, the money has moved and is counted', async () => {
  const { sandbox, stage, agent, quote, run } = await open();
  const customer = (await sandbox.send('GET', `/customers/${stage.customerId}`)).body;
  const action = await run();
  expect(action).toEqual({
    id: expect.stringMatching(/^AgentAction:[0-9a-f-]{36}$/),
    agentId: agent.id,
    customerId: stage.customerId,
    platformCustomerId: customer.platformCustomerId,
    status: 'APPROVED',
    type: 'EXECUTE_QUOTE',
    quote: { ...quote, status: 'COMPLETED' },
    transaction: await readTransaction(sandbox, quote.transactionId),
    createdAt: at(1),
    updatedAt: at(1),
  });
  expect(action.transaction).toMatchObject({ status: 'COMPLETED', agentId: agent.id, settledAt: at(1) });
  expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
  await expectSound(sandbox);
});

test('waiting: nothing has moved and nothing is reserved, until the platform approves', async () => {
  const { sandbox, stage, agent, quote, run } = await open(waits);
  const action = await run();
  expect([action.status, action.quote, 'transaction' in action]).toEqual(['PENDING_APPROVAL', quote, false]);
  expect([await stage.balance(), await used(agent)]).toEqual([100_000, [0, 0]]);
  await sandbox.advance(2);
  const { status, body } = await stage.answer(action, 'approve');
  expect([status, body]).toMatchObject([200, { status: 'APPROVED', updatedAt: at(3), quote: { status: 'COMPLETED' } }]);
  expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
});

test('without the money: FAILED, the quote is as it was, and a new action executes it once there is enough', async () => {
  const { sandbox, stage, agent, quote, run } = await open();
  await empty(sandbox, stage, 97_501);
  const failed = await run();
  expect([failed.status, failed.quote, 'transaction' in failed]).toEqual(['FAILED', quote, false]);
  expect([await stage.balance(), await used(agent)]).toEqual([2499, [0, 0]]);
  await fund(sandbox, stage.accountId, 1);
  expect(await run()).toMatchObject({ status: 'APPROVED', transaction: { status: 'COMPLETED' } });
  const first = await readAction(agent, failed);
  expect([first.status, 'transaction' in first]).toEqual(['FAILED', false]);
  expect([await stage.balance(), await used(agent)]).toEqual([0, [1, 2500]]);
});

test('approved without the money: FAILED as well, and the quote can be executed by a new action', async () => {
  const { sandbox, stage, agent, run } = await open(waits);
  const action = await run();
  await empty(sandbox, stage, 100_000);
  expect((await stage.answer(action, 'approve')).body).toMatchObject({
    status: 'FAILED',
    quote: { status: 'PENDING' },
  });
  await fund(sandbox, stage.accountId, 2500);
  expect((await stage.answer(await run(), 'approve')).body.status).toBe('APPROVED');
  expect([await stage.balance(), await used(agent)]).toEqual([0, [1, 2500]]);
});

describe('outcomes by the identifier (D30)', () => {
  type Row = [suffix: string, action: string, first: string, balance: number, last: string, after: number, due: number];
  const rows: Row[] = [
    ['001', 'APPROVED', 'COMPLETED', 97_500, 'APPROVED COMPLETED', 97_500, 1],
    ['002', 'FAILED', 'FAILED', 100_000, 'FAILED FAILED', 100_000, 1],
    ['003', 'APPROVED', 'PROCESSING', 97_500, 'APPROVED COMPLETED', 97_500, 1],
    ['004', 'FAILED', 'FAILED', 100_000, 'FAILED FAILED', 100_000, 1],
    ['005', 'APPROVED', 'COMPLETED', 97_500, 'FAILED FAILED', 100_000, 31],
    ['006', 'FAILED', 'FAILED', 100_000, 'FAILED FAILED', 100_000, 1],
    ['007', 'FAILED', 'FAILED', 97_500, 'FAILED FAILED', 97_500, 1],
  ];
  test.each(rows)('%s: %s, %s', async (suffix, status, payment, balance, last, after, due) => {
    const { sandbox, stage, agent, quote, run } = await open({}, suffix);
    const action = await run();
    expect([action.status, action.quote.status, action.transaction?.status]).toEqual([status, payment, payment]);
    expect(action.transaction?.id).toBe(quote.transactionId);
    const isCounted = status === 'APPROVED';
    expect([await stage.balance(), await used(agent)]).toEqual([balance, isCounted ? [1, 2500] : [0, 0]]);
    await sandbox.advance(29.999);
    expect((await readAction(agent, action)).status).toBe(status);
    await sandbox.advance(360);
    const read = await readAction(agent, action);
    expect([`${read.status} ${read.transaction?.status}`, read.updatedAt]).toEqual([last, at(due)]);
    expect([await stage.balance(), await used(agent)]).toEqual([
      after,
      last.startsWith('APPROVED') ? [1, 2500] : [0, 0],
    ]);
    expectRefusal(await executeAs(agent, quote), 409, 'QUOTE_NOT_PENDING');
    await expectSound(sandbox);
  });
});

describe('what is refused leaves everything as it was', () => {
  test('a quote of somebody else is 404, before pause and permission', async () => {
    const { sandbox, stage, agent } = await open({ permissions: ['CREATE_QUOTES'] });
    const sibling = { ...stage, agent: await openAgent(sandbox, stage.customerId) };
    const abroad = await openAgentStage(await openPlatform(sandbox));
    const theirs = await mustQuoteAs(abroad);
    const platforms = await sandbox.send('POST', '/quotes', { body: agentQuote(stage) });
    const ids = [(await mustQuoteAs(sibling)).id, theirs.id, platforms.body.id, nobody('Quote'), 'x', '%00'];
    await agent.pause(true);
    const before = await agentState(sandbox, stage);
    for (const id of ids) expectRefusal(await executeAs(agent, { id }), 404, 'QUOTE_NOT_FOUND');
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('one that starts when it is paid from outside is 400', async () => {
    const { sandbox, stage, agent } = await open();
    const quote = await mustQuoteAs(stage, { source: fromOutside('USD') });
    const before = await agentState(sandbox, stage);
    expectRefusal(await executeAs(agent, quote), 400, 'INVALID_INPUT');
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('one that was executed, has expired or waits is 409', async () => {
    const { sandbox, stage, agent, quote, run } = await open({
      approvalThresholds: { currency: 'USD', amount: 2500 },
    });
    const waiting = await mustQuoteAs(stage, { lockedCurrencyAmount: 2501 });
    await run();
    const action = await mustExecuteAs(agent, waiting);
    const before = await agentState(sandbox, stage);
    expectRefusal(await executeAs(agent, quote), 409, 'QUOTE_NOT_PENDING');
    expectRefusal(await executeAs(agent, waiting), 409, 'CONFLICT');
    expect(await agentState(sandbox, stage)).toEqual(before);
    expect((await stage.answer(action, 'reject')).status).toBe(200);
    const again = await mustExecuteAs(agent, waiting);
    expect(again.status).toBe('PENDING_APPROVAL');
    await sandbox.advance(300);
    expectRefusal(await executeAs(agent, waiting), 409, 'QUOTE_EXPIRED');
    expect(await actionsOf(agent)).toHaveLength(3);
  });

  test.each<[string, object, string, object]>([
    ['an account', { accountRestrictions: { allowedAccountIds: [] } }, 'allowedAccountIds', {}],
    ['a limit', { spendingLimits: { dailyLimit: 2499 } }, 'dailyLimit', { limit: 2499, used: 0, amount: 2500 }],
    ['the number', { spendingLimits: { dailyTransactionLimit: 0 } }, 'dailyTransactionLimit', { limit: 0, used: 0 }],
  ])('%s that the policy has forbidden since: 403', async (_name, update, reason, details) => {
    const { sandbox, stage, agent, quote } = await open();
    await agent.changePolicy(update);
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await executeAs(agent, quote), 403, 'POLICY_VIOLATION');
    expect(refused).toMatchObject({ reason, details });
    expect(await agentState(sandbox, stage)).toEqual(before);
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
  });

  test('a customer who may not send any more: 403', async () => {
    const { sandbox, stage, agent, quote } = await open();
    await updateCustomer(sandbox, stage.customerId, { kycStatus: 'REJECTED' });
    const before = await agentState(sandbox, stage);
    expectRefusal(await executeAs(agent, quote), 403, 'USER_NOT_READY');
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test("a key that isn't a UUID: 400", async () => {
    const { agent, quote } = await open();
    const answer = await executeAs(agent, quote, { headers: { 'Idempotency-Key': 'x' } });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['header /Idempotency-Key']);
  });
});

describe('while it waits', () => {
  test('the platform may execute the quote; then the approval is FAILED, and the money has moved once', async () => {
    const { sandbox, stage, agent, quote, run } = await open(waits);
    const action = await run();
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect((await readAction(agent, action)).status).toBe('PENDING_APPROVAL');
    const { status, body } = await stage.answer(action, 'approve');
    expect([status, body.status, body.quote.status, 'transaction' in body]).toEqual([
      200,
      'FAILED',
      'COMPLETED',
      false,
    ]);
    expect([await stage.balance(), await used(agent)]).toEqual([97_500, [0, 0]]);
    expect(await listTransactions(sandbox, `customerId=${stage.customerId}&type=OUTGOING`)).toHaveLength(1);
  });

  test.each([0, 1, 86_400])('the quote expires: FAILED by itself at that moment, seen %i s later', async (later) => {
    const { sandbox, stage, agent, quote, run } = await open(waits);
    const action = await run();
    await sandbox.advance(298.999);
    expect(await readAction(agent, action)).toEqual(action);
    await sandbox.advance(0.001 + later);
    const failure = { code: 'QUOTE_EXPIRED', message: expect.stringContaining(quote.id) };
    const expired = { quote: { ...quote, status: 'EXPIRED' }, failure };
    const failed = { ...action, status: 'FAILED', ...expired, updatedAt: quote.expiresAt };
    expectRefusal(await stage.answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
    expectRefusal(await stage.answer(action, 'reject'), 409, 'ACTION_NOT_PENDING');
    expect(await readAction(agent, action)).toEqual(failed);
    expect(await stage.balance()).toBe(100_000);
  });
});

test('of ten at once one executes, and the others are 409', async () => {
  const { stage, agent, quote } = await open();
  const answers = await Promise.all(Array.from({ length: 10 }, () => executeAs(agent, quote)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  expect([await stage.balance(), await used(agent)]).toEqual([97_500, [1, 2500]]);
});
