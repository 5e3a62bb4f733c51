/**
 * Promise: an agent's request with an Idempotency-Key makes one action that counts once, however often it is repeated
 * and with whichever access token. Keys belong to one agent. A key keeps a refusal of the action, but not a refusal
 * because of a pause or a missing permission (D10, D82).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { expectReplay, isReplay, otherKey } from '../support/requests/idempotency.ts';
import { kinds, names, openKeyed, withKey } from '../support/scenes/agentKeys.ts';
import { actionsOf, empty, transferBody, used } from '../support/scenes/agentOperations.ts';
import { type AgentStage, openAgent, redeem } from '../support/scenes/agents.ts';
import { fund } from '../support/scenes/payments.ts';

describe.each(names)('%s', (name) => {
  test('case 83: two agents of one customer with one key are independent', async () => {
    const { sandbox, stage, agent, send } = await openKeyed(name);
    const sibling = { ...stage, agent: await openAgent(sandbox, stage.customerId) };
    const theirs = await kinds[name].prepare(sibling);
    const [first, second] = [await send(), await theirs(withKey())];
    expect([isReplay(second), second.body.agentId]).toEqual([false, sibling.agent.id]);
    expectReplay(await send(), first);
    expectReplay(await theirs(withKey()), second);
    for (const one of [agent, sibling.agent]) expect(await used(one)).toEqual([1, 2500]);
    expect(await stage.balance()).toBe(100_000 + 2 * kinds[name].change);
  });

  test('a key outlives the access token: after a new redemption it is a repetition (D82)', async () => {
    const { sandbox, stage, agent, send, paid } = await openKeyed(name);
    const first = await send();
    const { body } = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
    const authorization = `Bearer ${await redeem(sandbox, body.code)}`;
    expectRefusal(await send(), 401, 'UNAUTHORIZED');
    expectReplay(await send({ authorization }), first);
    expect(await stage.balance()).toBe(paid);
  });

  test.each([
    ['AGENT_PAUSED', (one: AgentStage['agent']) => one.pause(true), (one: AgentStage['agent']) => one.pause(false)],
    [
      'FORBIDDEN',
      (one: AgentStage['agent']) => one.changePolicy({ permissions: [] }),
      (one: AgentStage['agent']) => one.changePolicy({ permissions: ['CREATE_TRANSFERS', 'EXECUTE_QUOTES'] }),
    ],
  ] as const)('case 82: after %s the key is free, and repeats the success from then on', async (code, spoil, mend) => {
    const { agent, send } = await openKeyed(name);
    await spoil(agent);
    for (let round = 0; round < 2; round += 1) expectRefusal(await send(), 403, code);
    await mend(agent);
    const right = await send();
    expect([right.body.status, isReplay(right)]).toEqual(['APPROVED', false]);
    await spoil(agent);
    expectReplay(await send(), right);
    expect(await used(agent)).toEqual([1, 2500]);
  });

  test('what the policy refused is refused again, whatever the policy permits since', async () => {
    const { agent, send } = await openKeyed(name);
    await agent.changePolicy({ spendingLimits: { perTransactionLimit: 2499 } });
    const refused = await send();
    expectRefusal(refused, 403, 'POLICY_VIOLATION');
    await agent.changePolicy({ spendingLimits: { perTransactionLimit: 2500 } });
    expectReplay(await send(), refused);
    expect([await actionsOf(agent), await used(agent)]).toEqual([[], [0, 0]]);
    expect((await send(withKey(otherKey))).body.status).toBe('APPROVED');
  });

  test.each([
    ['waits and was approved since', 'approve'],
    ['waits and was rejected since', 'reject'],
  ] as const)('what %s is the first answer again', async (_name, verdict) => {
    const { stage, agent, send } = await openKeyed(name, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const waiting = await send();
    expect((await stage.answer(waiting.body, verdict)).status).toBe(200);
    expectReplay(await send(), waiting);
    expect(await actionsOf(agent)).toHaveLength(1);
  });

  test('what was APPROVED and FAILED later is the first answer again, and counts no more', async () => {
    const { sandbox, stage, agent, send } = await openKeyed(name, {}, '005');
    const first = await send();
    expect(first.body.status).toBe('APPROVED');
    await sandbox.advance(30);
    expectReplay(await send(), first);
    expect([await stage.balance(), await used(agent)]).toEqual([100_000, [0, 0]]);
  });
});

test.each(['createAgentTransferOut', 'executeAgentQuote'] as const)(
  '%s: what FAILED for want of money is kept; another key acts once there is enough',
  async (name) => {
    const { sandbox, stage, agent, send } = await openKeyed(name);
    await empty(sandbox, stage, 100_000);
    const failed = await send();
    expect(failed.body.status).toBe('FAILED');
    await fund(sandbox, stage.accountId, 2500);
    expectReplay(await send(), failed);
    expect([await stage.balance(), await used(agent)]).toEqual([2500, [0, 0]]);
    expect((await send(withKey(otherKey))).body.status).toBe('APPROVED');
    expect([await stage.balance(), await used(agent)]).toEqual([0, [1, 2500]]);
  },
);

test.each([
  ['createAgentTransferOut', '/transfer-out'],
  ['createAgentTransferIn', '/transfer-in'],
] as const)(
  'case 82: %s corrected after a fault of form is carried out with the same key; after a refusal that is 422',
  async (name, path) => {
    const policy = { spendingLimits: { currency: 'USD', perTransactionLimit: 2500 } };
    const { stage, agent, send } = await openKeyed(name, policy);
    const [source, destination] =
      name === 'createAgentTransferOut' ? [stage.accountId, stage.bankId] : [stage.bankId, stage.accountId];
    const sendSum = (amount: number) =>
      agent.send('POST', path, { body: transferBody(source, destination, amount), ...withKey() });
    expectRefusal(await sendSum(0), 400, 'INVALID_INPUT');
    const right = await sendSum(2500);
    expect([right.status, isReplay(right)]).toEqual([201, false]);
    expectRefusal(await sendSum(2499), 422, 'IDEMPOTENCY_KEY_REUSED');
    expectReplay(await send(), right);
    expect(await used(agent)).toEqual([1, 2500]);
    const sendOther = (amount: number) =>
      agent.send('POST', path, { body: transferBody(source, destination, amount), ...withKey(otherKey) });
    expectRefusal(await sendOther(2501), 403, 'POLICY_VIOLATION');
    expectRefusal(await sendOther(2500), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await used(agent)).toEqual([1, 2500]);
  },
);

test('case 83: the platform with the same key and body is independent of the agent', async () => {
  const { sandbox, stage, send } = await openKeyed('createAgentTransferOut');
  const first = await send();
  const body = transferBody(stage.accountId, stage.bankId);
  const own = await sandbox.send('POST', '/transfer-out', { body, ...withKey() });
  expect([own.status, isReplay(own), own.body.type]).toEqual([201, false, 'OUTGOING']);
  expectReplay(await send(), first);
  expect(await stage.balance()).toBe(95_000);
});
