/**
 * Promise: an agent sees all its actions with their current states, each once, newest first, and no other agent's
 * actions (D79).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  actionsOf,
  mustExecuteAs,
  mustQuoteAs,
  openAgentList,
  ownAccounts,
  readAction,
  testAgentOperation,
  transferBody,
  transferInAs,
} from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';

testAgentOperation('listAgentActions', () => ({ path: '/actions' }));

const threshold = { approvalThresholds: { currency: 'USD', amount: 10 } };
const payOut = async (sandbox: TestSandbox, amount: number): Promise<void> => {
  const body = transferBody(...(await ownAccounts(sandbox)), amount);
  expect((await sandbox.send('POST', '/agents/me/transfer-out', { body })).status).toBe(201);
};
testList({
  path: '/agents/me/actions',
  none: 'status=REJECTED',
  some: 'status=PENDING_APPROVAL',
  add: (sandbox) => payOut(sandbox, 11),
  addOther: (sandbox) => payOut(sandbox, 10),
  otherPath: '/customers',
  open: () => openAgentList(threshold),
});

/** An agent with an action of every type and status, one second apart, oldest first. */
async function open() {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, threshold);
  const steps = [
    () => stage.act(10),
    async () => (await transferInAs(stage, 9)).body,
    async () => mustExecuteAs(stage.agent, await mustQuoteAs(stage, { lockedCurrencyAmount: 8 })),
    () => stage.act(11),
    async () => mustExecuteAs(stage.agent, await mustQuoteAs(stage, { lockedCurrencyAmount: 11 })),
    async () => (await stage.answer(await stage.act(12), 'reject', { reason: 'No' })).body,
    async () => (await stage.answer(await stage.act(100_000), 'approve')).body,
  ];
  const made = [];
  for (const step of steps) {
    await sandbox.advance(1);
    made.push(await step());
  }
  return { sandbox, stage, made };
}

test('every kind of action is there once, the newest first, as it is when read alone', async () => {
  const { stage, made } = await open();
  const all = await actionsOf(stage.agent);
  expect(all.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'TRANSFER_OUT FAILED',
    'TRANSFER_OUT REJECTED',
    'EXECUTE_QUOTE PENDING_APPROVAL',
    'TRANSFER_OUT PENDING_APPROVAL',
    'EXECUTE_QUOTE APPROVED',
    'TRANSFER_IN APPROVED',
    'TRANSFER_OUT APPROVED',
  ]);
  expect(all).toEqual(made.toReversed());
  for (const one of all) expect(await readAction(stage.agent, one)).toEqual(one);
});

describe('filters', () => {
  test.each(['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'])('status=%s', async (status) => {
    const { stage, made } = await open();
    const found = made.filter((action) => action.status === status).toReversed();
    expect(found).not.toEqual([]);
    expect(await actionsOf(stage.agent, `status=${status}`)).toEqual(found);
  });

  test('what is due has happened: a quote that expired, a payment that failed', async () => {
    const sandbox = await openSandbox();
    const { agent, act } = await openAgentStage(sandbox, {}, '005');
    const late = await act(2500);
    expect(await actionsOf(agent, 'status=APPROVED')).toEqual([late]);
    await sandbox.advance(30);
    expect(await actionsOf(agent, 'status=APPROVED')).toEqual([]);
    expect((await actionsOf(agent, 'status=FAILED')).map(({ id }) => id)).toEqual([late.id]);
  });

  test('an action that waits on a quote is no longer waiting once that has expired', async () => {
    const { sandbox, stage, made } = await open();
    await sandbox.advance(300);
    const waiting = await actionsOf(stage.agent, 'status=PENDING_APPROVAL');
    expect(waiting).toEqual([made[3]]);
  });

  test.each(['status=DONE', 'status=', 'agentId=Agent:none', 'customerId=Customer:none', 'sortOrder=asc'])(
    '%s is 400 and names the parameter',
    async (query) => {
      const { agent } = await openAgentStage(await openSandbox());
      const refused = expectRefusal(await agent.send('GET', `/actions?${query}`), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([`query /${query.split('=')[0]}`]);
    },
  );
});

test("another agent of the same customer has a list of its own, and cursors don't cross", async () => {
  const { sandbox, stage } = await open();
  const sibling = await openAgent(sandbox, stage.customerId);
  expect(await actionsOf(sibling)).toEqual([]);
  const body = transferBody(stage.accountId, stage.bankId, 5);
  const made = await sibling.send('POST', '/transfer-out', { body });
  expect(await actionsOf(sibling)).toEqual([made.body]);
  expect(await actionsOf(stage.agent)).toHaveLength(7);
  const { nextCursor } = (await stage.agent.send('GET', '/actions?limit=1')).body;
  expectRefusal(await sibling.send('GET', `/actions?cursor=${nextCursor}`), 400, 'INVALID_INPUT');
});
