/**
 * Promise: an agent polls an action to learn its state. The reply has only the fields that apply at that time. Another
 * agent's action isn't found (D33, D79).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  empty,
  mustExecuteAs,
  mustQuoteAs,
  readAction,
  testAgentOperation,
  transferInAs,
} from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';
import { at, readQuote, readTransaction } from '../support/scenes/payments.ts';

testAgentOperation('getAgentAction', async ({ act }) => ({ path: `/actions/${(await act(2500)).id}` }));

const waits = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

async function open(policy: object = {}, suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  const quoted = await mustQuoteAs(stage);
  await sandbox.advance(1);
  return { sandbox, stage, quoted };
}

const start = {
  TRANSFER_OUT: ({ stage }: Awaited<ReturnType<typeof open>>) => stage.act(2500),
  TRANSFER_IN: async ({ stage }: Awaited<ReturnType<typeof open>>) => (await transferInAs(stage)).body,
  EXECUTE_QUOTE: ({ stage, quoted }: Awaited<ReturnType<typeof open>>) => mustExecuteAs(stage.agent, quoted),
} as const;
const types = Object.keys(start) as (keyof typeof start)[];

describe.each(types)('%s', (type) => {
  /** The fields of every such action, whatever its status. */
  const openAction = async (policy: object = {}, suffix?: string) => {
    const scene = await open(policy, suffix);
    const { sandbox, stage, quoted } = scene;
    const action = await start[type](scene);
    const [source, destination] =
      type === 'TRANSFER_IN' ? [stage.bankId, stage.accountId] : [stage.accountId, stage.bankId];
    const ends = { sourceAccountId: source, destinationAccountId: destination };
    const always = async () => ({
      id: expect.stringMatching(/^AgentAction:[0-9a-f-]{36}$/),
      type,
      agentId: stage.agent.id,
      customerId: stage.customerId,
      platformCustomerId: expect.stringMatching(/./),
      ...(type === 'EXECUTE_QUOTE'
        ? { quote: await readQuote(sandbox, quoted.id) }
        : { transferDetails: { amount: 2500, currency: 'USD', ...ends } }),
      createdAt: at(1),
    });
    return { ...scene, action, always };
  };

  test('carried out at once: with its transaction', async () => {
    const { sandbox, stage, action, always } = await openAction();
    const { transaction } = action;
    expect(action).toEqual({ ...(await always()), status: 'APPROVED', updatedAt: at(1), transaction });
    expect(transaction).toMatchObject({ status: 'COMPLETED', agentId: stage.agent.id, customerId: stage.customerId });
    expect(await readTransaction(sandbox, transaction?.id ?? '')).toEqual(transaction);
    await sandbox.advance(86_400);
    expect(await readAction(stage.agent, action)).toEqual(action);
  });

  test('waiting: without a transaction, and so when it was rejected, with the reason', async () => {
    const { sandbox, stage, action, always } = await openAction(waits);
    expect(action).toEqual({ ...(await always()), status: 'PENDING_APPROVAL', updatedAt: at(1) });
    expect(await readAction(stage.agent, action)).toEqual(action);
    await sandbox.advance(5);
    expect((await stage.answer(action, 'reject', { reason: 'Not this one' })).status).toBe(200);
    const rejected = { status: 'REJECTED', updatedAt: at(6), rejectionReason: 'Not this one' };
    expect(await readAction(stage.agent, action)).toEqual({ ...(await always()), ...rejected });
  });

  test('rejected without a reason', async () => {
    const { stage, action, always } = await openAction(waits);
    expect((await stage.answer(action, 'reject')).status).toBe(200);
    expect(await readAction(stage.agent, action)).toEqual({
      ...(await always()),
      status: 'REJECTED',
      updatedAt: at(1),
    });
  });

  test('approved: with its transaction from then on', async () => {
    const { sandbox, stage, action, always } = await openAction(waits);
    await sandbox.advance(5);
    expect((await stage.answer(action, 'approve')).status).toBe(200);
    const read = await readAction(stage.agent, action);
    const { transaction } = read;
    expect(read).toEqual({ ...(await always()), status: 'APPROVED', updatedAt: at(6), transaction });
    expect(transaction).toMatchObject({ status: 'COMPLETED', agentId: stage.agent.id });
  });

  test('005: APPROVED, and FAILED with its transaction at the very moment', async () => {
    const { sandbox, stage, action, always } = await openAction({}, '005');
    expect(action.status).toBe('APPROVED');
    await sandbox.advance(29.999);
    expect(await readAction(stage.agent, action)).toEqual(action);
    await sandbox.advance(500);
    const read = await readAction(stage.agent, action);
    const { transaction } = read;
    expect(read).toEqual({ ...(await always()), status: 'FAILED', updatedAt: at(31), transaction });
    expect(transaction).toMatchObject({ id: action.transaction?.id, status: 'FAILED', updatedAt: at(31) });
  });

  test('404 for every other agent', async () => {
    const { sandbox, stage, action } = await openAction();
    const others = [
      await openAgent(sandbox, stage.customerId),
      (await openAgentStage(sandbox)).agent,
      (await openAgentStage(await openPlatform(sandbox))).agent,
    ];
    for (const other of others) {
      expectRefusal(await other.send('GET', `/actions/${action.id}`), 404, 'ACTION_NOT_FOUND');
    }
  });
});

test('a transfer without the money has a FAILED transaction, a quote has none', async () => {
  const { sandbox, stage, quoted } = await open();
  await empty(sandbox, stage, 100_000);
  const transfer = await stage.act(2500);
  const quote = await mustExecuteAs(stage.agent, quoted);
  expect(transfer).toMatchObject({
    status: 'FAILED',
    transaction: { status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS' },
  });
  expect([quote.status, quote.quote.status, 'transaction' in quote]).toEqual(['FAILED', 'PENDING', false]);
  for (const action of [transfer, quote]) expect(await readAction(stage.agent, action)).toEqual(action);
});

test.each(['AgentAction:none', 'AgentAction:', 'Transaction:a', 'none', '%00'])('%s is 404', async (id) => {
  const { agent } = await openAgentStage(await openSandbox());
  expectRefusal(await agent.send('GET', `/actions/${id}`), 404, 'ACTION_NOT_FOUND');
});
