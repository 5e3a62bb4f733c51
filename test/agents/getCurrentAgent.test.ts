/**
 * Promise: an agent reads the same about itself as the platform: its current policy and usage, and never its access
 * token (D78, D79).
 */
import { expect, test } from 'vitest';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { actionsOf, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { everyPermission, openAgentStage } from '../support/scenes/agents.ts';

testAgentOperation('getCurrentAgent', () => ({ path: '' }));

const open = async (policy: object = {}, sandbox?: TestSandbox) => {
  const used = sandbox ?? (await openSandbox());
  const stage = await openAgentStage(used, policy);
  const read = async () => {
    const { status, body } = await stage.agent.send('GET', '');
    expect([status, body]).toEqual([200, await stage.agent.look()]);
    return body;
  };
  return { sandbox: used, stage, read };
};

test('the agent, whole', async () => {
  const { stage, read } = await open();
  expect(await read()).toEqual({
    id: stage.agent.id,
    name: 'Bill payer',
    customerId: stage.customerId,
    isPaused: false,
    isConnected: true,
    policy: {
      permissions: everyPermission,
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 100_000_000 },
    },
    usage: {
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: '2025-10-14',
      monthlySpend: 0,
      monthlyResetMonth: '2025-11',
    },
    createdAt: '2025-10-13T09:00:00.000Z',
    updatedAt: '2025-10-13T09:00:00.000Z',
  });
  expect(JSON.stringify(await read())).not.toContain(stage.agent.accessToken);
});

test('a change of the platform shows at once', async () => {
  const { stage, read } = await open();
  await stage.agent.pause(true);
  expect(await read()).toMatchObject({ isPaused: true });
  await stage.agent.changePolicy({ permissions: [], spendingLimits: { dailyLimit: 5 } });
  expect(await read()).toMatchObject({ policy: { permissions: [], spendingLimits: { dailyLimit: 5 } } });
});

test('usage is of this day and month by UTC, also if nothing was asked for since', async () => {
  const { sandbox, stage, read } = await open();
  await stage.act(2500);
  await stage.act(500);
  const { updatedAt } = await read();
  expect((await read()).usage).toMatchObject({ dailyTransactionCount: 2, dailySpend: 3000, monthlySpend: 3000 });
  await sandbox.advance(15 * 3600 - 0.001);
  expect((await read()).usage).toMatchObject({ dailyResetDate: '2025-10-14', dailySpend: 3000 });
  await sandbox.advance(0.001);
  expect(await read()).toMatchObject({
    usage: { dailyTransactionCount: 0, dailySpend: 0, dailyResetDate: '2025-10-15', monthlySpend: 3000 },
    updatedAt,
  });
  await sandbox.advance(18 * 86_400);
  expect((await read()).usage).toMatchObject({ monthlySpend: 0, monthlyResetMonth: '2025-12' });
});

test('each agent reads itself, also where two have one customer and one name', async () => {
  const { sandbox, stage, read } = await open();
  const other = await open({ permissions: [] }, sandbox);
  await stage.act(2500);
  expect([(await read()).id, (await other.read()).id]).toEqual([stage.agent.id, other.stage.agent.id]);
  expect(await other.read()).toMatchObject({ usage: { dailySpend: 0 }, policy: { permissions: [] } });
  expect(await actionsOf(other.stage.agent)).toEqual([]);
});
