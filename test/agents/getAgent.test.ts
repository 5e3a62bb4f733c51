/** Promise: the platform reads the current state of an agent, with its usage of today and this month in UTC (D78). */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { nobody } from '../support/scenes/payments.ts';
import { askFirst, fullPolicy, makeAgent } from '../support/scenes/platformAgents.ts';

testCommonRefusals('getAgent', '/agents/Agent:none');

test('an agent, whole, as it was made', async () => {
  const sandbox = await openSandbox();
  const { customerId, accountId, bankId } = await openAgentStage(sandbox);
  const { agent } = await makeAgent(sandbox, customerId, { policy: fullPolicy(accountId, bankId) });
  await sandbox.advance(60);
  const { status, body } = await sandbox.send('GET', `/agents/${agent.id}`);
  expect([status, body]).toEqual([200, agent]);
});

test("usage starts again with each UTC day and month, read or not; counting isn't a change of the agent", async () => {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox);
  const { updatedAt } = await stage.agent.look();
  const used = async () => {
    const { usage, ...agent } = await stage.agent.look();
    expect(agent.updatedAt).toBe(updatedAt);
    const { dailyTransactionCount, dailySpend, dailyResetDate, monthlySpend, monthlyResetMonth } = usage;
    return [dailyTransactionCount, dailySpend, dailyResetDate, monthlySpend, monthlyResetMonth];
  };
  await stage.act(100);
  await stage.act(20);
  expect(await used()).toEqual([2, 120, '2025-10-14', 120, '2025-11']);
  // Tests begin at 9:00, so this is just before midnight.
  await sandbox.advance(15 * 3600 - 0.001);
  expect(await used()).toEqual([2, 120, '2025-10-14', 120, '2025-11']);
  await sandbox.advance(0.001);
  expect(await used()).toEqual([0, 0, '2025-10-15', 120, '2025-11']);
  await stage.act(3);
  expect(await used()).toEqual([1, 3, '2025-10-15', 123, '2025-11']);
  await sandbox.advance(18 * 86_400);
  expect(await used()).toEqual([0, 0, '2025-11-02', 0, '2025-12']);
});

test("a waiting, rejected or failed action isn't counted; one that fails later is given back", async () => {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, {}, '005');
  const spent = async () => (await stage.agent.look()).usage.monthlySpend;
  expect((await stage.act(100_001)).status).toBe('FAILED');
  expect(await spent()).toBe(0);
  await stage.act(100);
  expect(await spent()).toBe(100);
  await stage.agent.changePolicy(askFirst);
  const waiting = await stage.act(50);
  expect(await spent()).toBe(100);
  await stage.answer(waiting, 'reject');
  expect(await spent()).toBe(100);
  await sandbox.advance(30);
  expect((await stage.agent.look()).usage).toMatchObject({ dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 });
});

test('the agent of a deleted customer is still there', async () => {
  const sandbox = await openSandbox();
  const customerId = await newCustomer(sandbox);
  const { agent } = await makeAgent(sandbox, customerId);
  await deleteCustomer(sandbox, customerId);
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body).toEqual(agent);
});

test('one that is unknown, deleted or of another platform is 404, and so is an id of another form', async () => {
  const sandbox = await openSandbox();
  const elsewhere = await openPlatform(sandbox);
  const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
  const ended = await makeAgent(sandbox, await newCustomer(sandbox));
  expect((await sandbox.send('DELETE', `/agents/${ended.agent.id}`)).status).toBe(204);
  const malformed = ['Customer:none', 'Agent:', 'Agent:a_b', `Agent:${'a'.repeat(65)}`];
  for (const id of [...malformed, nobody('Agent'), foreign.agent.id, ended.agent.id]) {
    expectRefusal(await sandbox.send('GET', `/agents/${id}`), 404, 'AGENT_NOT_FOUND');
  }
});
