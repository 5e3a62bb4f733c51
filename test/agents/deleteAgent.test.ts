/**
 * Promise: a deleted agent is gone at once, with its token and codes. Its waiting actions fail, and its started
 * payments continue (D81).
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent, openAgentStage, redeem } from '../support/scenes/agents.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { fromAccount, nobody, toAccount } from '../support/scenes/payments.ts';
import {
  askFirst,
  expectTokenRefused,
  idsOf,
  makeAgent,
  openWaiting,
  whoAmI,
} from '../support/scenes/platformAgents.ts';
import { expectSound, listTransactions, readTransaction } from '../support/scenes/transfers.ts';

testCommonRefusals('deleteAgent', '/agents/Agent:none');

const remove = async (sandbox: Awaited<ReturnType<typeof openSandbox>>, id: string) => {
  const { status, body } = await sandbox.send('DELETE', `/agents/${id}`);
  expect([status, body]).toEqual([204, undefined]);
};

test('it is 404 from then on, wherever it is named, and so is deleting it again', async () => {
  const { sandbox, agent, action, answer } = await openWaiting();
  await remove(sandbox, agent.id);
  const path = `/agents/${agent.id}`;
  for (const answered of [
    await sandbox.send('GET', path),
    await sandbox.send('PATCH', path, { body: { name: 'x' } }),
    await sandbox.send('PATCH', `${path}/policy`, { body: { permissions: [] } }),
    await sandbox.send('POST', `${path}/device-codes`),
    await sandbox.send('DELETE', path),
    await answer(action, 'approve'),
    await answer(action, 'reject'),
  ]) {
    expectRefusal(answered, 404, 'AGENT_NOT_FOUND');
  }
  expect(await idsOf(sandbox, '/agents')).not.toContain(agent.id);
});

test('its token is refused at once, on everything, and only its own', async () => {
  const sandbox = await openSandbox();
  const { agent, transferOut, customerId, balance } = await openAgentStage(sandbox);
  const other = await openAgent(sandbox, customerId);
  await remove(sandbox, agent.id);
  expectTokenRefused(await whoAmI(sandbox, agent.accessToken));
  expectTokenRefused(await transferOut(100));
  expectTokenRefused(await agent.send('GET', '/actions'));
  expect(await balance()).toBe(100_000);
  expect((await whoAmI(sandbox, other.accessToken)).status).toBe(200);
});

test('its codes are unknown, redeemed or not', async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  await redeem(sandbox, deviceCode.code);
  const { code } = (await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body;
  await remove(sandbox, agent.id);
  for (const gone of [deviceCode.code, code]) {
    const path = `/agents/device-codes/${gone}`;
    expectRefusal(await sandbox.send('GET', `${path}/status`), 404, 'DEVICE_CODE_NOT_FOUND');
    const redeemed = await sandbox.send('POST', `${path}/redeem`, { authorization: null });
    expectRefusal(redeemed, 404, 'DEVICE_CODE_NOT_FOUND');
  }
});

test('what waited is not to be approved any more, and moves nothing; what others wait for stays', async () => {
  const { sandbox, customerId, agent, act, balance, accountId, bankId } = await openWaiting();
  await act(100);
  const other = await openAgent(sandbox, customerId, askFirst);
  const body = { source: { accountId }, destination: { accountId: bankId }, amount: 7 };
  const waiting = (await other.send('POST', '/transfer-out', { body })).body;
  await remove(sandbox, agent.id);
  expect(await idsOf(sandbox, '/agents/approvals')).toEqual([waiting.id]);
  expect(await idsOf(sandbox, `/agents/approvals?customerId=${customerId}`)).toEqual([waiting.id]);
  expect(await idsOf(sandbox, `/agents/approvals?agentId=${agent.id}`)).toEqual([]);
  expect(await balance()).toBe(100_000);
});

test('its transactions stay, and its finished ones as they are', async () => {
  const sandbox = await openSandbox();
  const { agent, act, balance } = await openAgentStage(sandbox);
  const { transaction } = await act(2500);
  const before = await readTransaction(sandbox, transaction?.id ?? '');
  await remove(sandbox, agent.id);
  await sandbox.advance(86_400);
  expect(await readTransaction(sandbox, before.id)).toEqual(before);
  expect(before).toMatchObject({ agentId: agent.id });
  expect((await listTransactions(sandbox, `customerId=${agent.customerId}&type=OUTGOING`)).map(({ id }) => id)).toEqual(
    [before.id],
  );
  expect(await balance()).toBe(97_500);
});

test('a payment under way fails later as it would have, with the money back and no fault', async () => {
  const sandbox = await openSandbox();
  const { agent, act, balance } = await openAgentStage(sandbox, {}, '005');
  const { transaction } = await act(2500);
  await remove(sandbox, agent.id);
  expect(await balance()).toBe(97_500);
  await sandbox.advance(30);
  const ended = await readTransaction(sandbox, transaction?.id ?? '');
  expect(ended).toMatchObject({ status: 'FAILED', failureReason: 'TIMED_OUT' });
  expect(await balance()).toBe(100_000);
  await expectSound(sandbox);
  expect(sandbox.log).toEqual([]);
});

test('a quote that waited expires as it would have, and the platform may execute one before', async () => {
  const sandbox = await openSandbox();
  const { agent, accountId, bankId, balance } = await openAgentStage(sandbox, askFirst);
  const body = {
    source: fromAccount(accountId),
    destination: toAccount(bankId),
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 100,
  };
  const quotes = [await agent.send('POST', '/quotes', { body }), await agent.send('POST', '/quotes', { body })];
  const [one, other] = quotes.map((made) => made.body.id);
  for (const id of [one, other]) {
    expect((await agent.send('POST', `/quotes/${id}/execute`)).body).toMatchObject({ status: 'PENDING_APPROVAL' });
  }
  await remove(sandbox, agent.id);
  expect((await sandbox.send('POST', `/quotes/${one}/execute`)).status).toBe(200);
  await sandbox.advance(3600);
  expect((await sandbox.send('GET', `/quotes/${other}`)).body.status).toBe('EXPIRED');
  expect(await balance()).toBe(99_900);
  expect(sandbox.log).toEqual([]);
});

test('deleting while it acts: what is answered is done, and nothing breaks', async () => {
  const sandbox = await openSandbox();
  const { agent, transferOut, balance } = await openAgentStage(sandbox);
  const [one, gone, two] = await Promise.all([
    transferOut(100),
    sandbox.send('DELETE', `/agents/${agent.id}`),
    transferOut(100),
  ]);
  expect(gone.status).toBe(204);
  const done = [one, two].filter(({ status }) => status === 201).length;
  for (const { status } of [one, two]) expect([201, 401]).toContain(status);
  expect(await balance()).toBe(100_000 - 100 * done);
  expect(sandbox.log).toEqual([]);
});

test('two deletions at once: one is 204, the other 404', async () => {
  const sandbox = await openSandbox();
  const { agent } = await makeAgent(sandbox, await newCustomer(sandbox));
  const answers = await Promise.all([0, 1].map(() => sandbox.send('DELETE', `/agents/${agent.id}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
});

test('one that is unknown or of another platform is 404', async () => {
  const sandbox = await openSandbox();
  const elsewhere = await openPlatform(sandbox);
  const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
  for (const id of ['Customer:none', nobody('Agent'), foreign.agent.id]) {
    expectRefusal(await sandbox.send('DELETE', `/agents/${id}`), 404, 'AGENT_NOT_FOUND');
  }
  expect((await elsewhere.send('GET', `/agents/${foreign.agent.id}`)).body).toEqual(foreign.agent);
});
