/**
 * Promise: anyone with a device code can redeem it for an access token, once, within 24 hours, without credentials. The
 * token is shown only this time, stored as a hash, and replaces the previous one (D11, D34).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { basic, must, openSandbox, type SendOptions, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage, redeem } from '../support/scenes/agents.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import {
  expectTokenRefused,
  fullPolicy,
  makeAgent,
  openTransparent,
  whoAmI,
} from '../support/scenes/platformAgents.ts';

const ask = (sandbox: TestSandbox, code: string, options: SendOptions = {}) =>
  sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null, ...options });
const open = async () => {
  const sandbox = await openSandbox();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const newCode = async () => (await sandbox.send('POST', `/agents/${agent.id}/device-codes`)).body.code;
  return { sandbox, agent, code: deviceCode.code, newCode };
};
const expectInvalid = async (sandbox: TestSandbox, code: string, reason: string) => {
  const refused = expectRefusal(await ask(sandbox, code), 400, 'DEVICE_CODE_INVALID');
  expect(refused.reason).toBe(reason);
  expect(JSON.stringify(refused)).not.toContain(code);
};

test('a connection, whole, with the whole policy', async () => {
  const sandbox = await openSandbox();
  const { customerId, accountId, bankId } = await openAgentStage(sandbox);
  const policy = fullPolicy(accountId, bankId);
  const { agent, deviceCode } = await makeAgent(sandbox, customerId, { policy });
  await sandbox.advance(60);
  const { status, headers, body } = await ask(sandbox, deviceCode.code);
  expect([status, body]).toEqual([
    200,
    {
      agentId: agent.id,
      agentName: 'Bill payer',
      accessToken: expect.stringMatching(/^agent_[0-9a-f]{64}$/),
      policy,
    },
  ]);
  expect(headers.get('cache-control')).toBe('no-store');
  const connected = { ...agent, isConnected: true, updatedAt: '2025-10-13T09:01:00.000Z' };
  expect((await whoAmI(sandbox, body.accessToken)).body).toMatchObject({ id: agent.id });
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body).toEqual(connected);
});

describe('credentials that are sent with the code are ignored', () => {
  test.each<[name: string, options: SendOptions]>([
    ['no body', {}],
    ['a body', { body: { code: 'other', agentId: 1 } }],
    ["a body that isn't JSON", { text: '{' }],
    ['a body of another type', { text: 'x', headers: { 'content-type': 'text/plain' } }],
    ['good credentials', { authorization: basic('sandbox', 'sandbox') }],
    ['bad credentials', { authorization: basic('sandbox', 'wrong') }],
    ['nonsense as credentials', { authorization: 'Nonsense' }],
  ])('%s', async (_name, options) => {
    const { sandbox, code } = await open();
    expect((await ask(sandbox, code, options)).status).toBe(200);
  });

  test("another platform's credentials do not choose the platform: the code does", async () => {
    const { sandbox, agent, code } = await open();
    const other = await openPlatform(sandbox);
    const { status, body } = await ask(sandbox, code, { authorization: basic(other.clientId, other.clientSecret) });
    expect([status, body.agentId]).toEqual([200, agent.id]);
  });
});

describe('it works once', () => {
  test('a second time is 400, and the token of the first works on', async () => {
    const { sandbox, code } = await open();
    const token = await redeem(sandbox, code);
    await expectInvalid(sandbox, code, 'redeemed');
    await sandbox.advance(2 * 86_400);
    await expectInvalid(sandbox, code, 'redeemed');
    expect((await whoAmI(sandbox, token)).status).toBe(200);
  });

  test('ten at once: one has the token', async () => {
    const { sandbox, code } = await open();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(sandbox, code)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(answer, 400, 'DEVICE_CODE_INVALID');
    }
    expect((await whoAmI(sandbox, winners[0]?.body.accessToken)).status).toBe(200);
  });
});

test('it works a millisecond before 24 hours are over', async () => {
  const { sandbox, code } = await open();
  await sandbox.advance(86_399.999);
  await redeem(sandbox, code);
});

test('it works no more when 24 hours are over, and a new one does', async () => {
  const { sandbox, agent, code, newCode } = await open();
  await sandbox.advance(86_400);
  await expectInvalid(sandbox, code, 'expired');
  expect((await sandbox.send('GET', `/agents/${agent.id}`)).body.isConnected).toBe(false);
  const another = await newCode();
  await expectInvalid(sandbox, code, 'replaced');
  await redeem(sandbox, another);
});

test('a second code ends the token of the first when it is redeemed, and not before', async () => {
  const { sandbox, code, newCode } = await open();
  const first = await redeem(sandbox, code);
  const another = await newCode();
  await expectInvalid(sandbox, code, 'redeemed');
  expect((await whoAmI(sandbox, first)).status).toBe(200);
  const second = await redeem(sandbox, another);
  expect(second).not.toBe(first);
  expectTokenRefused(await whoAmI(sandbox, first));
  expect((await whoAmI(sandbox, second)).status).toBe(200);
});

test('a paused agent can be connected, and stays paused', async () => {
  const { sandbox, agent, code } = await open();
  must(await sandbox.send('PATCH', `/agents/${agent.id}`, { body: { isPaused: true } }));
  await redeem(sandbox, code);
  const { isPaused, isConnected } = (await sandbox.send('GET', `/agents/${agent.id}`)).body;
  expect([isPaused, isConnected]).toEqual([true, true]);
});

test('the token is shown this once, and kept and logged as a hash only', async () => {
  const { sandbox, kept } = await openTransparent();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const token = await redeem(sandbox, deviceCode.code);
  const answers = [await whoAmI(sandbox, token), await ask(sandbox, deviceCode.code)];
  for (const path of ['/agents', `/agents/${agent.id}`, `/agents/device-codes/${deviceCode.code}/status`]) {
    answers.push(await sandbox.send('GET', path));
  }
  const seen = JSON.stringify([answers.map(({ body }) => body), await kept()]);
  expect(seen).toContain(agent.id);
  expect(seen).not.toContain(token.slice('agent_'.length));
  expect(await kept()).not.toContain(deviceCode.code);
});

test('an unknown code is 404 whatever its form, and so is one of a deleted agent', async () => {
  const { sandbox, agent, code } = await open();
  expect((await sandbox.send('DELETE', `/agents/${agent.id}`)).status).toBe(204);
  for (const unknown of [code, 'AGENT-0000-0000', code.toLowerCase(), `${code}0`, 'none', '%00', 'x'.repeat(1000)]) {
    expectRefusal(await ask(sandbox, unknown), 404, 'DEVICE_CODE_NOT_FOUND');
  }
});

test('an unknown query parameter is 400, and the code is still good', async () => {
  const { sandbox, code } = await open();
  const answer = await sandbox.send('POST', `/agents/device-codes/${code}/redeem?surprise=1`, { authorization: null });
  expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['query /surprise']);
  await redeem(sandbox, code);
});

test('codes and tokens of several platforms of one seed differ, and each leads to its own', async () => {
  const sandbox = await openSandbox();
  const platforms = [sandbox, await openPlatform(sandbox), await openPlatform(sandbox)];
  const tokens = new Set<string>();
  for (const platform of platforms) {
    const { agent, deviceCode } = await makeAgent(platform, await newCustomer(platform));
    const { body } = await ask(sandbox, deviceCode.code);
    expect(body.agentId).toBe(agent.id);
    tokens.add(body.accessToken);
  }
  expect(tokens.size).toBe(3);
});
