/**
 * Promise: an agent reads an external account of its customer like the platform. Any other account isn't found (D79).
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openStranger, strangers, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { externalAccountsPath, usdcRequest } from '../support/scenes/externalAccounts.ts';

testAgentOperation('getAgentExternalAccount', ({ bankId }) => ({ path: `/external-accounts/${bankId}` }));

test.each(['the platform', 'the agent'])('one that %s added, as it was added', async (who) => {
  const sandbox = await openSandbox();
  const { agent, customerId } = await openAgentStage(sandbox);
  const body = usdcRequest('coins');
  const added =
    who === 'the agent'
      ? await agent.send('POST', '/external-accounts', { body })
      : await sandbox.send('POST', externalAccountsPath, { body: { ...body, customerId } });
  expect([added.status, added.body.customerId]).toEqual([201, customerId]);
  await sandbox.advance(86_400);
  const answer = await agent.send('GET', `/external-accounts/${added.body.id}`);
  expect([answer.status, answer.body]).toEqual([200, added.body]);
});

test('one that the policy does not allow', async () => {
  const { agent, bankId } = await openAgentStage(await openSandbox());
  await agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
  expect((await agent.send('GET', `/external-accounts/${bankId}`)).body.id).toBe(bankId);
});

test.each(strangers)('404 for that of %s', async (whose) => {
  const sandbox = await openSandbox();
  const { agent } = await openAgentStage(sandbox);
  const { bankId } = await openStranger(sandbox, whose);
  expectRefusal(await agent.send('GET', `/external-accounts/${bankId}`), 404, 'ACCOUNT_NOT_FOUND');
});

test("404 for an internal account, for what isn't an id, and for one that was deleted", async () => {
  const sandbox = await openSandbox();
  const { agent, accountId, bankId } = await openAgentStage(sandbox);
  for (const id of [accountId, 'none', 'ExternalAccount:', '%00']) {
    expectRefusal(await agent.send('GET', `/external-accounts/${id}`), 404, 'ACCOUNT_NOT_FOUND');
  }
  expect((await sandbox.send('DELETE', `${externalAccountsPath}/${bankId}`)).status).toBe(204);
  expectRefusal(await agent.send('GET', `/external-accounts/${bankId}`), 404, 'ACCOUNT_NOT_FOUND');
});
