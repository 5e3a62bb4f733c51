/**
 * Promise: an agent deletes one external account of its customer for good. Payments that are under way continue, and
 * actions that wait with the account fail (D33, D40, D79).
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openStranger, readAction, strangers, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import {
  externalAccountsPath,
  listExternal,
  mustAdd,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';
import { expectSound } from '../support/scenes/transfers.ts';

testAgentOperation('deleteAgentExternalAccount', ({ bankId }) => ({ path: `/external-accounts/${bankId}` }));

async function open(policy: object = {}, suffix = '777') {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  const remove = (id = stage.bankId) => stage.agent.send('DELETE', `/external-accounts/${id}`);
  return { sandbox, stage, remove };
}

test('it is gone, no matter who added it, and may be added again', async () => {
  const { sandbox, stage, remove } = await open();
  const { agent, customerId, bankId } = stage;
  const coins = await mustAdd(sandbox, usdcRequest('coins', { customerId }));
  const answer = await remove();
  expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([204, undefined, null]);
  expect(await listExternal(sandbox, `customerId=${customerId}`)).toEqual([coins]);
  expectRefusal(await agent.send('GET', `/external-accounts/${bankId}`), 404, 'ACCOUNT_NOT_FOUND');
  expectRefusal(await sandbox.send('GET', `${externalAccountsPath}/${bankId}`), 404, 'ACCOUNT_NOT_FOUND');
  expectRefusal(await remove(), 404, 'ACCOUNT_NOT_FOUND');
  const again = await agent.send('POST', '/external-accounts', { body: usdRequest('123456777') });
  expect([again.status, again.body.id === bankId]).toEqual([201, false]);
  expect((await remove(again.body.id)).status).toBe(204);
});

test.each(strangers)('that of %s is 404, before the permission, and stays', async (whose) => {
  const { sandbox, remove } = await open({ permissions: [] });
  const { bankId } = await openStranger(sandbox, whose);
  const before = await listExternal(sandbox);
  expectRefusal(await remove(bankId), 404, 'ACCOUNT_NOT_FOUND');
  expect(await listExternal(sandbox)).toEqual(before);
});

test.each(['InternalAccount:none', 'none', '%00'])('%s is 404', async (id) => {
  expectRefusal(await (await open()).remove(id), 404, 'ACCOUNT_NOT_FOUND');
});

test('at once, one of several succeeds', async () => {
  const { remove } = await open();
  const answers = await Promise.all(Array.from({ length: 5 }, () => remove()));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
});

test('a payment that is under way goes on, and its action shows the result', async () => {
  const { sandbox, stage, remove } = await open({}, '005');
  const action = await stage.act(2500);
  expect(action).toMatchObject({ status: 'APPROVED', transaction: { status: 'PENDING' } });
  expect((await remove()).status).toBe(204);
  expect(await readAction(stage.agent, action)).toEqual(action);
  await sandbox.advance(30);
  expect(await readAction(stage.agent, action)).toMatchObject({ status: 'FAILED', transaction: { status: 'FAILED' } });
  expect(await stage.balance()).toBe(100_000);
  await expectSound(sandbox);
});

test('an action that waits on it fails when it is approved', async () => {
  const { stage, remove } = await open({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const action = await stage.act(2500);
  expect((await remove()).status).toBe(204);
  expect(await readAction(stage.agent, action)).toEqual(action);
  const { status, body } = await stage.answer(action, 'approve');
  expect([status, body.status, 'transaction' in body]).toEqual([200, 'FAILED', false]);
  expect(await stage.balance()).toBe(100_000);
});

test('the rule of an account that is deleted stays in the policy and permits nothing (D81)', async () => {
  const { stage, remove } = await open();
  const accountRules = [{ accountId: stage.bankId, perTransactionLimit: 2500 }];
  await stage.agent.changePolicy({ accountRestrictions: { accountRules } });
  expect((await remove()).status).toBe(204);
  expect((await stage.agent.look()).policy.accountRestrictions).toMatchObject({ accountRules });
  expectRefusal(await stage.transferOut(2500), 404, 'ACCOUNT_NOT_FOUND');
});
