/**
 * Promise: an agent with VIEW_TRANSACTIONS reads a transaction of its customer like the platform, no matter who started
 * it. Any other transaction isn't found, with or without the permission (D32, D79).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  mustQuoteAs,
  openStranger,
  testAgentOperation,
  transferBody,
  transferInAs,
} from '../support/scenes/agentOperations.ts';
import { type AgentStage, everyPermission, openAgent, openAgentStage } from '../support/scenes/agents.ts';
import { at, fund } from '../support/scenes/payments.ts';
import { listTransactions, readTransaction } from '../support/scenes/transfers.ts';

const pathOf = (id: string | undefined) => `/transactions/${id}`;
testAgentOperation('getAgentTransaction', async ({ act }) => ({ path: pathOf((await act(2500)).transaction?.id) }));

const newest = async (sandbox: TestSandbox, { customerId }: AgentStage) =>
  (await listTransactions(sandbox, `customerId=${customerId}`))[0];

describe('reading', () => {
  const makers: [string, (stage: AgentStage, sandbox: TestSandbox) => Promise<unknown>, whose: boolean][] = [
    ['a transfer out of its own', (stage) => stage.act(2500), true],
    ['a transfer in of its own', (stage) => transferInAs(stage), true],
    ['that of a quote that nobody executed', (stage) => mustQuoteAs(stage), true],
    [
      "the platform's",
      ({ accountId, bankId }, sandbox) =>
        sandbox.send('POST', '/transfer-out', { body: transferBody(accountId, bankId) }),
      false,
    ],
    ['money that came from outside', ({ accountId }, sandbox) => fund(sandbox, accountId, 1), false],
  ];
  test.each(makers)('%s, as the platform does', async (_name, make, isOwn) => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox);
    await make(stage, sandbox);
    const made = await newest(sandbox, stage);
    const { status, body } = await stage.agent.send('GET', pathOf(made?.id));
    expect([status, body, body.agentId]).toEqual([200, made, isOwn ? stage.agent.id : undefined]);
  });

  test("another agent's of the same customer", async () => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox);
    const { transaction } = await stage.act(2500);
    const sibling = await openAgent(sandbox, stage.customerId);
    const { status, body } = await sibling.send('GET', pathOf(transaction?.id));
    expect([status, body]).toEqual([200, transaction]);
  });

  test('what is due has happened, at the moment it was due', async () => {
    const sandbox = await openSandbox();
    const { agent, act } = await openAgentStage(sandbox, {}, '005');
    const { transaction } = await act(2500);
    await sandbox.advance(29.999);
    expect((await agent.send('GET', pathOf(transaction?.id))).body).toEqual(transaction);
    await sandbox.advance(86_400);
    const { body } = await agent.send('GET', pathOf(transaction?.id));
    expect(body).toEqual({ ...transaction, status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: at(30) });
    expect(await readTransaction(sandbox, body.id)).toEqual(body);
  });
});

describe.each([
  ['with the permission', everyPermission],
  ['without it, for 404 comes before 403', []],
])('404 %s', (_name, permissions) => {
  test('for those of another customer, the platform and another platform', async () => {
    const sandbox = await openSandbox();
    const { agent } = await openAgentStage(sandbox, { permissions });
    const other = await openAgentStage(sandbox);
    const elsewhere = await openPlatform(sandbox);
    const abroad = await openAgentStage(elsewhere);
    const { accountId } = await openStranger(sandbox, 'the platform');
    await fund(sandbox, accountId, 7);
    const [platforms] = await listTransactions(sandbox, `accountIdentifier=${accountId}`);
    const ids = [(await newest(sandbox, other))?.id, (await newest(elsewhere, abroad))?.id, platforms?.id];
    for (const id of ids) {
      expect(id).toMatch(/^Transaction:/);
      expectRefusal(await agent.send('GET', pathOf(id)), 404, 'TRANSACTION_NOT_FOUND');
    }
  });

  test.each(['Transaction:none', 'Transaction:', 'Quote:a', 'none', '%00'])('for %s', async (id) => {
    const { agent } = await openAgentStage(await openSandbox(), { permissions });
    expectRefusal(await agent.send('GET', pathOf(id)), 404, 'TRANSACTION_NOT_FOUND');
  });
});

test('what pays another customer of the platform is two transactions, and each sees its own', async () => {
  const sandbox = await openSandbox();
  const [payer, receiver] = [await openAgentStage(sandbox), await openAgentStage(sandbox)];
  const body = {
    source: { sourceType: 'ACCOUNT', accountId: payer.accountId },
    destination: { destinationType: 'ACCOUNT', accountId: receiver.accountId },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 2500,
    immediatelyExecute: true,
  };
  expect((await sandbox.send('POST', '/quotes', { body })).status).toBe(201);
  const [sent, got] = [await newest(sandbox, payer), await newest(sandbox, receiver)];
  expect([sent?.type, got?.type]).toEqual(['OUTGOING', 'INCOMING']);
  expect((await payer.agent.send('GET', pathOf(sent?.id))).status).toBe(200);
  expect((await receiver.agent.send('GET', pathOf(got?.id))).status).toBe(200);
  expectRefusal(await payer.agent.send('GET', pathOf(got?.id)), 404, 'TRANSACTION_NOT_FOUND');
  expectRefusal(await receiver.agent.send('GET', pathOf(sent?.id)), 404, 'TRANSACTION_NOT_FOUND');
});
