/**
 * Promise: an agent can be renamed, paused and resumed, with effect from the next request. A paused agent can read but
 * start nothing, and its payments under way continue (D32, D33).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { nobody } from '../support/scenes/payments.ts';
import { idsOf, makeAgent, openWaiting, whoAmI } from '../support/scenes/platformAgents.ts';

testCommonRefusals('updateAgent', '/agents/Agent:none');

test.each<[body: object]>([
  [{ name: 'Other' }],
  [{ isPaused: true }],
  [{ isPaused: false }],
  [{ name: '😀'.repeat(255), isPaused: true }],
])('%j changes that, and nothing else but the time', async (body) => {
  const sandbox = await openSandbox();
  const { agent } = await makeAgent(sandbox, await newCustomer(sandbox));
  await sandbox.advance(60);
  const answer = await sandbox.send('PATCH', `/agents/${agent.id}`, { body });
  const expected = { ...agent, ...body, updatedAt: '2025-10-13T09:01:00.000Z' };
  expect([answer.status, answer.body]).toEqual([200, expected]);
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body).toEqual(expected);
});

test('its usage, token and code stay as they are', async () => {
  const sandbox = await openSandbox();
  const { agent, act } = await openAgentStage(sandbox);
  await act(2500);
  const before = await agent.look();
  const { body } = await sandbox.send('PATCH', `/agents/${agent.id}`, { body: { name: 'Other' } });
  expect(body).toEqual({ ...before, name: 'Other' });
  expect((await whoAmI(sandbox, agent.accessToken)).body).toMatchObject({ id: agent.id, name: 'Other' });
});

describe('a pause', () => {
  test('holds from the next request on and until it is over: nothing starts, everything reads', async () => {
    const sandbox = await openSandbox();
    const { agent, transferOut, balance, bankId, accountId } = await openAgentStage(sandbox);
    await agent.pause(true);
    expectRefusal(await transferOut(1), 403, 'AGENT_PAUSED');
    const side = { source: { accountId: bankId }, destination: { accountId }, amount: 1 };
    expectRefusal(await agent.send('POST', '/transfer-in', { body: side }), 403, 'AGENT_PAUSED');
    for (const path of ['', '/actions', '/transactions', '/internal-accounts', '/external-accounts']) {
      expect([path, (await agent.send('GET', path)).status]).toEqual([path, 200]);
    }
    expect(await balance()).toBe(100_000);
    await agent.pause(false);
    expect((await transferOut(1)).status).toBe(201);
    expect(sandbox.log).toEqual([]);
  });

  test('what waits goes on waiting; it can be rejected, and approved once the pause is over', async () => {
    const { sandbox, agent, act, action, answer, balance } = await openWaiting();
    const other = await act(100);
    await agent.pause(true);
    expect(await idsOf(sandbox, `/agents/approvals?agentId=${agent.id}`)).toEqual([other.id, action.id]);
    expect((await answer(other, 'reject')).body.status).toBe('REJECTED');
    await agent.pause(false);
    expect((await answer(action, 'approve')).body.status).toBe('APPROVED');
    expect(await balance()).toBe(97_500);
  });

  test('payments under way take their course', async () => {
    const sandbox = await openSandbox();
    const { agent, act, balance } = await openAgentStage(sandbox, {}, '005');
    const action = await act(2500);
    await agent.pause(true);
    expect(await balance()).toBe(97_500);
    await sandbox.advance(30);
    expect(await balance()).toBe(100_000);
    expect((await agent.send('GET', `/actions/${action.id}`)).body.status).toBe('FAILED');
  });
});

test.each<[body: unknown, place: string]>([
  [{}, ''],
  [[], ''],
  [{ name: '' }, '/name'],
  [{ name: 'a'.repeat(256) }, '/name'],
  [{ name: null }, '/name'],
  [{ isPaused: null }, '/isPaused'],
  [{ isPaused: 'true' }, '/isPaused'],
  [{ name: 'a', customerId: 'Customer:none' }, '/customerId'],
  [{ policy: {} }, '/policy'],
  [{ isConnected: false }, '/isConnected'],
])('%j is 400 at its place, and changes nothing', async (body, place) => {
  const sandbox = await openSandbox();
  const { agent } = await makeAgent(sandbox, await newCustomer(sandbox));
  await sandbox.advance(1);
  const refused = expectRefusal(await sandbox.send('PATCH', `/agents/${agent.id}`, { body }), 400, 'INVALID_INPUT');
  expect(faultPlaces(refused)).toEqual([`body ${place}`]);
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body).toEqual(agent);
});

test('the agent of a deleted customer can be changed', async () => {
  const sandbox = await openSandbox();
  const customerId = await newCustomer(sandbox);
  const { agent } = await makeAgent(sandbox, customerId);
  await deleteCustomer(sandbox, customerId);
  expect((await sandbox.send('PATCH', `/agents/${agent.id}`, { body: { isPaused: true } })).status).toBe(200);
});

test('one that is unknown, deleted or of another platform is 404', async () => {
  const sandbox = await openSandbox();
  const elsewhere = await openPlatform(sandbox);
  const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
  const ended = await makeAgent(sandbox, await newCustomer(sandbox));
  expect((await sandbox.send('DELETE', `/agents/${ended.agent.id}`)).status).toBe(204);
  for (const id of ['Customer:none', nobody('Agent'), foreign.agent.id, ended.agent.id]) {
    const answer = await sandbox.send('PATCH', `/agents/${id}`, { body: { isPaused: true } });
    expectRefusal(answer, 404, 'AGENT_NOT_FOUND');
  }
  expect((await elsewhere.send('GET', `/agents/${foreign.agent.id}`)).body).toEqual(foreign.agent);
});
