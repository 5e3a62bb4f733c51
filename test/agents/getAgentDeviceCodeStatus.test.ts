/**
 * Promise: as long as the agent exists, the platform that created a code can read whether it was redeemed, and nothing
 * else (D34).
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { redeem } from '../support/scenes/agents.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { makeAgent } from '../support/scenes/platformAgents.ts';

testCommonRefusals('getAgentDeviceCodeStatus', '/agents/device-codes/AGENT-0000-0000/status');

const ask = (sandbox: TestSandbox, code: string) => sandbox.send('GET', `/agents/device-codes/${code}/status`);

test('not redeemed, then redeemed, for good', async () => {
  const sandbox = await openSandbox();
  const { deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const { code } = deviceCode;
  const before = await ask(sandbox, code);
  expect([before.status, before.body]).toEqual([200, { code, redeemed: false }]);
  await redeem(sandbox, code);
  for (const seconds of [0, 2 * 86_400]) {
    await sandbox.advance(seconds);
    expect((await ask(sandbox, code)).body).toEqual({ code, redeemed: true });
  }
});

test('one that was replaced or has expired is simply not redeemed', async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const { code } = (await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body;
  await sandbox.advance(365 * 86_400);
  for (const asked of [deviceCode.code, code]) {
    expect((await ask(sandbox, asked)).body).toEqual({ code: asked, redeemed: false });
  }
});

test('one that was redeemed stays so when another is made and redeemed', async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  await redeem(sandbox, deviceCode.code);
  const { code } = (await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body;
  const statuses = async () => [
    (await ask(sandbox, deviceCode.code)).body.redeemed,
    (await ask(sandbox, code)).body.redeemed,
  ];
  expect(await statuses()).toEqual([true, false]);
  await redeem(sandbox, code);
  expect(await statuses()).toEqual([true, true]);
});

test('a code that is unknown, of a deleted agent or of another platform is 404', async () => {
  const sandbox = await openSandbox();
  const elsewhere = await openPlatform(sandbox);
  const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
  const ended = await makeAgent(sandbox, await newCustomer(sandbox));
  await redeem(sandbox, ended.deviceCode.code);
  expect((await sandbox.send('DELETE', `/agents/${ended.agent.id}`)).status).toBe(204);
  for (const code of ['AGENT-0000-0000', foreign.deviceCode.code, ended.deviceCode.code]) {
    const refused = expectRefusal(await ask(sandbox, code), 404, 'DEVICE_CODE_NOT_FOUND');
    expect(JSON.stringify(refused)).not.toContain(code);
  }
  expect((await ask(elsewhere, foreign.deviceCode.code)).status).toBe(200);
});

test.each(['AGENT-0000', 'agent-0000-0000', 'AGENT-000a-0000', 'AGENT-0000-00000', 'none', 'AGENT-0000-0000%0A'])(
  'a code of another form names nothing either: %s is 404 (D45)',
  async (code) => {
    expectRefusal(await ask(await openSandbox(), code), 404, 'DEVICE_CODE_NOT_FOUND');
  },
);
