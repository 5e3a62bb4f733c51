/** Promise: a rejection refuses an action for good, with its reason. Nothing is moved or counted (D33, D78). */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';
import { fromAccount, nobody, toAccount } from '../support/scenes/payments.ts';
import { askFirst, idsOf, openWaiting } from '../support/scenes/platformAgents.ts';
import { moneyState } from '../support/scenes/transfers.ts';

testCommonRefusals('rejectAgentAction', '/agents/Agent:none/actions/AgentAction:none/reject');

test.each<[name: string, body: object | undefined, shown: object]>([
  ['with a reason', { reason: 'Not this month.' }, { rejectionReason: 'Not this month.' }],
  ['with the longest reason', { reason: '😀'.repeat(500) }, { rejectionReason: '😀'.repeat(500) }],
  ['without a reason', {}, {}],
  ['without a body', undefined, {}],
])('%s: the action, whole, as the agent sees it too; nothing moved and nothing counted', async (_name, body, shown) => {
  const { sandbox, agent, action, answer } = await openWaiting();
  const [before, seen] = [await moneyState(sandbox), await agent.look()];
  await sandbox.advance(60);
  const rejected = await answer(action, 'reject', body);
  const expected = { ...action, status: 'REJECTED', ...shown, updatedAt: '2025-10-13T09:01:00.000Z' };
  expect([rejected.status, rejected.body]).toEqual([200, expected]);
  expect((await agent.send('GET', `/actions/${action.id}`)).body).toEqual(expected);
  expect(await moneyState(sandbox)).toEqual(before);
  expect(await agent.look()).toEqual(seen);
  expect(await idsOf(sandbox, '/agents/approvals')).toEqual([]);
});

test.each<[body: unknown, place: string]>([
  [{ reason: '' }, '/reason'],
  [{ reason: null }, '/reason'],
  [{ reason: 5 }, '/reason'],
  [{ reason: 'a'.repeat(501) }, '/reason'],
  [{ rejectionReason: 'x' }, '/rejectionReason'],
  [[], ''],
  [null, ''],
])('%j is 400 at its place, and the action waits on', async (body, place) => {
  const { sandbox, action, agent } = await openWaiting();
  const answer = await sandbox.send('POST', `/agents/${agent.id}/actions/${action.id}/reject`, { body });
  expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`body ${place}`]);
  expect(await idsOf(sandbox, '/agents/approvals')).toEqual([action.id]);
});

describe('an action that does not wait is 409 and stays what it is', () => {
  test.each(['approve', 'reject'] as const)('after %s', async (first) => {
    const { agent, action, answer } = await openWaiting();
    const answered = (await answer(action, first, first === 'reject' ? { reason: 'First.' } : undefined)).body;
    expectRefusal(await answer(action, 'reject', { reason: 'Second.' }), 409, 'ACTION_NOT_PENDING');
    expect((await agent.send('GET', `/actions/${action.id}`)).body).toEqual(answered);
  });

  test('one that was carried out at once, and one that failed', async () => {
    const stage = await openAgentStage(await openSandbox());
    for (const action of [await stage.act(1), await stage.act(100_001)]) {
      expectRefusal(await stage.answer(action, 'reject'), 409, 'ACTION_NOT_PENDING');
    }
  });

  test('of two at once one is 200, and its reason stays', async () => {
    const { agent, action, answer } = await openWaiting();
    const answers = await Promise.all(['a', 'b'].map((reason) => answer(action, 'reject', { reason })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const kept = answers.find(({ status }) => status === 200)?.body;
    expect((await agent.send('GET', `/actions/${action.id}`)).body).toEqual(kept);
  });
});

test('a quote whose execution was rejected stays PENDING, and can be asked for again', async () => {
  const sandbox = await openSandbox();
  const { agent, accountId, bankId, answer } = await openAgentStage(sandbox, askFirst);
  const sides = { source: fromAccount(accountId), destination: toAccount(bankId) };
  const body = { ...sides, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 };
  const quote = (await agent.send('POST', '/quotes', { body })).body;
  const execute = () => agent.send('POST', `/quotes/${quote.id}/execute`);
  const action = (await execute()).body;
  expectRefusal(await answer({ id: 'AgentAction:none' }, 'reject'), 404, 'ACTION_NOT_FOUND');
  const rejected = await answer(action, 'reject', { reason: 'No.' });
  expect(rejected.body).toEqual({ ...action, status: 'REJECTED', rejectionReason: 'No.' });
  expect(rejected.body.quote).toEqual(quote);
  const again = (await execute()).body;
  expect([again.status, again.id === action.id]).toEqual(['PENDING_APPROVAL', false]);
  await sandbox.advance(300);
  expect((await agent.send('GET', `/actions/${action.id}`)).body.status).toBe('REJECTED');
  expect((await agent.send('GET', `/actions/${again.id}`)).body.status).toBe('FAILED');
});

test('an action of another agent, customer or platform is 404, and waits on', async () => {
  const { sandbox, customerId, agent, action } = await openWaiting();
  const sibling = await openAgent(sandbox, customerId, askFirst);
  const stranger = await openWaiting(askFirst, '777', sandbox);
  const reject = (agentId: string, actionId: string, on = sandbox) =>
    on.send('POST', `/agents/${agentId}/actions/${actionId}/reject`);
  for (const id of [sibling.id, stranger.agent.id]) {
    expectRefusal(await reject(id, action.id), 404, 'ACTION_NOT_FOUND');
  }
  for (const id of [nobody('AgentAction'), stranger.action.id, 'Quote:none']) {
    expectRefusal(await reject(agent.id, id), 404, 'ACTION_NOT_FOUND');
  }
  expectRefusal(await reject(nobody('Agent'), action.id), 404, 'AGENT_NOT_FOUND');
  expectRefusal(await reject(agent.id, action.id, await openPlatform(sandbox)), 404, 'AGENT_NOT_FOUND');
  expect(await idsOf(sandbox, '/agents/approvals')).toEqual([stranger.action.id, action.id]);
});
