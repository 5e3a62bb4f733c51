/**
 * Promise: the platform can get a new code at any time. It replaces a code that wasn't redeemed, and disconnects no
 * program (D34).
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent, redeem } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { nobody } from '../support/scenes/payments.ts';
import { makeAgent, openTransparent, whoAmI } from '../support/scenes/platformAgents.ts';

testCommonRefusals('createAgentDeviceCode', '/agents/Agent:none/device-codes');

test('a code, whole: for 24 hours from now', async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  await sandbox.advance(60.001);
  const { status, headers, body } = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
  expect([status, body]).toEqual([
    201,
    {
      code: expect.stringMatching(/^AGENT-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      agentId: agent.id,
      expiresAt: '2025-10-14T09:01:00.001Z',
      redeemed: false,
    },
  ]);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body.code).not.toBe(deviceCode.code);
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body).toEqual(agent);
});

test('it replaces the code before, however often, and only the last works', async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const codes = [deviceCode.code];
  for (let count = 0; count < 3; count += 1) {
    codes.push((await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body.code);
  }
  expect(new Set(codes).size).toBe(4);
  const last = codes.pop() ?? '';
  for (const code of codes) {
    const refused = expectRefusal(
      await sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null }),
      400,
      'DEVICE_CODE_INVALID',
    );
    expect(refused.reason).toBe('replaced');
  }
  await redeem(sandbox, last);
});

test('two at once: both are made, and exactly one works', async () => {
  const sandbox = await openSandbox();
  const { agent } = await makeAgent(sandbox, await newCustomer(sandbox));
  const ask = () => sandbox.send('POST', `/agents/${agent.id}/device-codes`);
  const made = await Promise.all([ask(), ask()]);
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
  const redeemed = await Promise.all(
    made.map(({ body }) => sandbox.send('POST', `/agents/device-codes/${body.code}/redeem`, { authorization: null })),
  );
  expect(redeemed.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('a connected program stays connected until the new code is redeemed, paused or not', async () => {
  const sandbox = await openSandbox();
  const agent = await openAgent(sandbox, await newCustomer(sandbox));
  await agent.pause(true);
  const made = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
  expect(made.status).toBe(201);
  await sandbox.advance(2 * 86_400);
  expect((await agent.look()).isConnected).toBe(true);
  expect((await whoAmI(sandbox, agent.accessToken)).status).toBe(200);
});

test('no other agent of the customer loses its code', async () => {
  const sandbox = await openSandbox();
  const customerId = await newCustomer(sandbox);
  const [one, other] = [await makeAgent(sandbox, customerId), await makeAgent(sandbox, customerId)];
  must(await sandbox.send('POST', `/agents/${one.agent.id}/device-codes`));
  await redeem(sandbox, other.deviceCode.code);
});

test('an agent of a deleted customer gets one as well: it still reads (D79)', async () => {
  const sandbox = await openSandbox();
  const customerId = await newCustomer(sandbox);
  const { agent } = await makeAgent(sandbox, customerId);
  await deleteCustomer(sandbox, customerId);
  const { status, body } = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
  expect(status).toBe(201);
  expect((await whoAmI(sandbox, await redeem(sandbox, body.code))).status).toBe(200);
});

test('it is kept as a hash only', async () => {
  const { sandbox, kept } = await openTransparent();
  const { agent } = await makeAgent(sandbox, await newCustomer(sandbox));
  const { code } = (await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body;
  expect(await kept()).toContain(agent.id);
  expect(await kept()).not.toContain(code);
});

test('an agent that is unknown, deleted or of another platform is 404, and so is an id of another form', async () => {
  const sandbox = await openSandbox();
  const elsewhere = await openPlatform(sandbox);
  const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
  const ended = await makeAgent(sandbox, await newCustomer(sandbox));
  expect((await sandbox.send('DELETE', `/agents/${ended.agent.id}`)).status).toBe(204);
  for (const id of ['Customer:none', nobody('Agent'), foreign.agent.id, ended.agent.id]) {
    expectRefusal(await sandbox.send('POST', `/agents/${id}/device-codes`), 404, 'AGENT_NOT_FOUND');
  }
  await redeem(sandbox, foreign.deviceCode.code);
});
