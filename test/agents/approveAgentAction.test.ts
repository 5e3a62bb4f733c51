/** Promise: an approved action is carried out once, and counts for the day of its approval (D32, D33, D78). */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent, openAgentStage, type TestAgent } from '../support/scenes/agents.ts';
import { magic, openSignedInWallet, signAndSend } from '../support/scenes/builders.ts';
import { bankAccount, fromAccount, fund, nobody, toAccount } from '../support/scenes/payments.ts';
import { askFirst, openWaiting, openWaitingQuote } from '../support/scenes/platformAgents.ts';
import { expectSound, readTransaction } from '../support/scenes/transfers.ts';

testCommonRefusals('approveAgentAction', '/agents/Agent:none/actions/AgentAction:none/approve');

const seenByAgent = async (agent: TestAgent, id: string) => (await agent.send('GET', `/actions/${id}`)).body;
describe('what is still permitted is carried out', () => {
  test('a transfer out, whole: counted today, whenever it was asked for', async () => {
    const { sandbox, customerId, agent, action, accountId, bankId, answer, balance } = await openWaiting();
    expect(await balance()).toBe(100_000);
    await sandbox.advance(86_400);
    const { status, body } = await answer(action, 'approve');
    const { platformCustomerId } = (await sandbox.send('GET', `/customers/${customerId}`)).body;
    expect([status, body]).toEqual([
      200,
      {
        id: action.id,
        agentId: agent.id,
        customerId,
        platformCustomerId,
        status: 'APPROVED',
        type: 'TRANSFER_OUT',
        transferDetails: { amount: 2500, currency: 'USD', sourceAccountId: accountId, destinationAccountId: bankId },
        transaction: await readTransaction(sandbox, body.transaction.id),
        createdAt: '2025-10-13T09:00:00.000Z',
        updatedAt: '2025-10-14T09:00:00.000Z',
      },
    ]);
    expect(body.transaction).toMatchObject({ agentId: agent.id, createdAt: '2025-10-14T09:00:00.000Z' });
    expect(await seenByAgent(agent, action.id)).toEqual(body);
    expect(await balance()).toBe(97_500);
    const usage = { dailyTransactionCount: 1, dailySpend: 2500, dailyResetDate: '2025-10-15', monthlySpend: 2500 };
    expect((await agent.look()).usage).toMatchObject(usage);
    await expectSound(sandbox);
  });

  test('a transfer in', async () => {
    const { agent, answer, accountId, bankId, balance } = await openWaiting();
    const body = { source: { accountId: bankId }, destination: { accountId }, amount: 700 };
    const action = (await agent.send('POST', '/transfer-in', { body })).body;
    const approved = (await answer(action, 'approve')).body;
    expect(approved).toMatchObject({ status: 'APPROVED', type: 'TRANSFER_IN', transaction: { type: 'INCOMING' } });
    expect(await balance()).toBe(100_700);
  });

  test('a quote', async () => {
    const { sandbox, agent, action, answer, balance, quote } = await openWaitingQuote();
    const { status, body } = await answer(action, 'approve');
    expect([status, body]).toMatchObject([200, { status: 'APPROVED', quote: { id: quote.id, status: 'COMPLETED' } }]);
    expect(body.transaction).toEqual(await readTransaction(sandbox, quote.transactionId));
    expect(body.transaction.agentId).toBe(agent.id);
    expect(await balance()).toBe(97_500);
  });

  test("a wallet's signature counts for the approval, also once its session has ended (D33)", async () => {
    const sandbox = await openSandbox();
    const { customer, accountId, session } = await openSignedInWallet(sandbox);
    await fund(sandbox, accountId, 5_000_000);
    const agent = await openAgent(sandbox, customer.id, askFirst);
    const destination = toAccount(await bankAccount(sandbox, '777', customer.id));
    const body = {
      source: fromAccount(accountId),
      destination,
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000_000,
    };
    const quote = (await agent.send('POST', '/quotes', { body })).body;
    const headers = { 'Service-Wallet-Signature': magic.walletSignature };
    const action = (await agent.send('POST', `/quotes/${quote.id}/execute`, { headers })).body;
    expect(action.status).toBe('PENDING_APPROVAL');
    expect((await signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`)).status).toBe(204);
    const answer = await sandbox.send('POST', `/agents/${agent.id}/actions/${action.id}/approve`);
    expect([answer.status, answer.body.status]).toEqual([200, 'APPROVED']);
  });

  test('a lower threshold, or a mode that asks, does not ask twice', async () => {
    const { agent, action, answer } = await openWaiting({ approvalThresholds: { currency: 'USD', amount: 100 } });
    await agent.changePolicy({ ...askFirst, approvalThresholds: { amount: 0 } });
    expect((await answer(action, 'approve')).body.status).toBe('APPROVED');
  });
});

describe('an action that does not wait is 409', () => {
  test.each(['approve', 'reject'] as const)('after %s', async (first) => {
    const { agent, action, answer, balance } = await openWaiting();
    const answered = (await answer(action, first)).body;
    const left = await balance();
    expectRefusal(await answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
    expect([await seenByAgent(agent, action.id), await balance()]).toEqual([answered, left]);
  });

  test('carried out at once, failed, or on a quote that has expired', async () => {
    const stage = await openAgentStage(await openSandbox());
    for (const action of [await stage.act(1), await stage.act(100_001)]) {
      expectRefusal(await stage.answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
    }
    const { sandbox, action, answer } = await openWaitingQuote();
    await sandbox.advance(300);
    expectRefusal(await answer(action, 'approve'), 409, 'ACTION_NOT_PENDING');
  });
});

describe('at once', () => {
  test('ten approvals: one is 200, the others 409, and the money moved once', async () => {
    const { sandbox, agent, action, answer, balance } = await openWaiting();
    const answers = await Promise.all(Array.from({ length: 10 }, () => answer(action, 'approve')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const one of answers.filter(({ status }) => status !== 200)) expectRefusal(one, 409, 'ACTION_NOT_PENDING');
    expect(await balance()).toBe(97_500);
    expect((await agent.look()).usage).toMatchObject({ dailyTransactionCount: 1, dailySpend: 2500 });
    await expectSound(sandbox);
  });

  test.each([[['approve', 'reject'] as const], [['reject', 'approve'] as const]])(
    '%j: exactly one wins',
    async (verdicts) => {
      const { agent, action, answer, balance } = await openWaiting();
      const answers = await Promise.all(verdicts.map((verdict) => answer(action, verdict)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = answers.find(({ status }) => status === 200)?.body;
      expect(await seenByAgent(agent, action.id)).toEqual(winner);
      expect(await balance()).toBe(winner.status === 'APPROVED' ? 97_500 : 100_000);
    },
  );

  test('several actions never pass the limit, nor spend more than there is', async () => {
    const { act, action, answer, balance, agent } = await openWaiting({
      ...askFirst,
      spendingLimits: { currency: 'USD', perTransactionLimit: 2500, dailyLimit: 7499 },
    });
    const all = [action, ...(await Promise.all([act(2500), act(2500), act(2500)]))];
    const answers = await Promise.all(all.map((one) => answer(one, 'approve')));
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['APPROVED', 'APPROVED', 'FAILED', 'FAILED']);
    expect(await balance()).toBe(95_000);
    expect((await agent.look()).usage.dailySpend).toBe(5000);
  });
});

test('an action of another agent, customer or platform is 404, and waits on', async () => {
  const { sandbox, customerId, agent, action, balance } = await openWaiting();
  const sibling = await openAgent(sandbox, customerId, askFirst);
  const stranger = await openWaiting(askFirst, '777', sandbox);
  const approve = (agentId: string, actionId: string, on = sandbox) =>
    on.send('POST', `/agents/${agentId}/actions/${actionId}/approve`);
  for (const id of [sibling.id, stranger.agent.id]) {
    expectRefusal(await approve(id, action.id), 404, 'ACTION_NOT_FOUND');
  }
  for (const id of [nobody('AgentAction'), stranger.action.id, 'Quote:none']) {
    expectRefusal(await approve(agent.id, id), 404, 'ACTION_NOT_FOUND');
  }
  expectRefusal(await approve(nobody('Agent'), action.id), 404, 'AGENT_NOT_FOUND');
  expectRefusal(await approve(agent.id, action.id, await openPlatform(sandbox)), 404, 'AGENT_NOT_FOUND');
  expect(await seenByAgent(agent, action.id)).toEqual(action);
  expect(await balance()).toBe(100_000);
});
