/**
 * Promise: a world's external accounts and agents are the same as if made through the interface, completely or not at
 * all. A device code that is known in advance is valid on one platform only, and a reset makes it valid again (D43,
 * D54, D78).
 */
import { describe, expect, test } from 'vitest';
import { systemChance } from '../../mocks/sandbox/tools/chance.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type PlatformRequest } from '../support/sandbox/platforms.ts';
import { redeem, widePolicy } from '../support/scenes/agents.ts';
import { listExternal, usdRequest } from '../support/scenes/externalAccounts.ts';
import { expectTokenRefused, idsOf, openTransparent, whoAmI } from '../support/scenes/platformAgents.ts';

const person = { customerType: 'INDIVIDUAL', email: 'ada@example.com' };
const agent = (fields: object = {}) => ({ name: 'Bill payer', policy: widePolicy, ...fields });
const worldOf = (...customers: object[]) => ({
  world: { customers: customers.map((fields) => ({ customer: person, ...fields })) },
});
const make = (sandbox: TestSandbox, body: object) =>
  sandbox.control('POST', '/platforms', { body, authorization: null });
const agentsOf = async (platform: TestSandbox) => (await platform.send('GET', '/agents')).body.data;
const tryRedeem = (sandbox: TestSandbox, code: string) =>
  sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null });

describe('a world', () => {
  test('has the external accounts and agents that were asked for, of the customer, in order', async () => {
    const sandbox = await openSandbox();
    const policy = { ...widePolicy, approvalThresholds: { currency: 'EUR', amount: 5 } };
    const world = worldOf(
      { externalAccounts: [usdRequest('1'), usdRequest('2', { platformAccountId: 'second' })] },
      {
        customer: { customerType: 'BUSINESS', email: 'shop@example.com' },
        accounts: [{ currency: 'USD', balance: 500 }],
        externalAccounts: [usdRequest('1')],
        agents: [agent({ deviceCode: 'AGENT-TEST-0001' }), agent({ name: 'Second', policy })],
      },
    );
    const platform = await openPlatform(sandbox, world as PlatformRequest);
    const { data } = (await platform.send('GET', '/customers')).body;
    const [shop, ada] = data.map(({ id }: { id: string }) => id);
    expect(
      (await listExternal(platform)).map(({ customerId, platformAccountId }) => [customerId, platformAccountId]),
    ).toEqual([
      [shop, undefined],
      [ada, 'second'],
      [ada, undefined],
    ]);
    const [second, first] = await agentsOf(platform);
    expect(second).toMatchObject({ name: 'Second', customerId: shop, isConnected: false, isPaused: false });
    expect(second.policy).toEqual({ ...policy, defaultExecutionMode: 'AUTO' });
    expect(first).toMatchObject({ name: 'Bill payer', customerId: shop, usage: { monthlySpend: 0 } });
    const token = await redeem(sandbox, 'AGENT-TEST-0001');
    expect((await whoAmI(sandbox, token)).body).toMatchObject({ id: first.id });
  });

  test('keeps a code as a hash, and it expires as any other', async () => {
    const { sandbox, kept } = await openTransparent();
    const world = worldOf({ agents: [agent({ deviceCode: 'AGENT-TEST-0001' })] });
    const platform = await openPlatform(sandbox, world as PlatformRequest);
    await platform.advance(86_399.999);
    const path = '/agents/device-codes/AGENT-TEST-0001/status';
    expect((await platform.send('GET', path)).body).toEqual({ code: 'AGENT-TEST-0001', redeemed: false });
    expectRefusal(await sandbox.send('GET', path), 404, 'DEVICE_CODE_NOT_FOUND');
    await platform.advance(0.001);
    expectRefusal(await tryRedeem(sandbox, 'AGENT-TEST-0001'), 400, 'DEVICE_CODE_INVALID');
    expect(await kept()).toContain(platform.platformId);
  });

  test('that is ready-made has an agent of its own, whose code nobody knows; a new one connects it', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox, { world: 'ready-made' });
    const [[theirs], [ours]] = [await agentsOf(platform), await agentsOf(sandbox)];
    expect(theirs).toEqual({ ...ours, id: theirs.id, customerId: theirs.customerId });
    expect([theirs.id === ours.id, theirs.customerId === ours.customerId]).toEqual([false, false]);
    const { code } = (await platform.send('POST', `/agents/${theirs.id}/device-codes`)).body;
    expect((await whoAmI(sandbox, await redeem(sandbox, code))).body.id).toBe(theirs.id);
  });
});

describe('what is refused has made nothing', () => {
  const at = '/world/customers/0';
  test.each<[name: string, body: object, code: 'INVALID_INPUT' | 'INVALID_CURRENCY', places: string[]]>([
    [
      'an invalid external account',
      worldOf({ externalAccounts: [{}] }),
      'INVALID_INPUT',
      [`${at}/externalAccounts/0/accountInfo`, `${at}/externalAccounts/0/currency`],
    ],
    [
      'one of another form',
      worldOf({ externalAccounts: [usdRequest('1'), usdRequest('')] }),
      'INVALID_INPUT',
      [`${at}/externalAccounts/1/accountInfo/accountNumber`],
    ],
    [
      'one of another currency',
      worldOf({}, { externalAccounts: [usdRequest('1', { currency: 'EUR' })] }),
      'INVALID_CURRENCY',
      ['/world/customers/1/externalAccounts/0/currency'],
    ],
    ['no list of them', worldOf({ externalAccounts: {} }), 'INVALID_INPUT', [`${at}/externalAccounts`]],
    ['an invalid agent', worldOf({ agents: [{}] }), 'INVALID_INPUT', [`${at}/agents/0/name`, `${at}/agents/0/policy`]],
    [
      'a field of a policy',
      worldOf({ agents: [agent(), agent({ policy: { ...widePolicy, permissions: ['ALL'] } })] }),
      'INVALID_INPUT',
      [`${at}/agents/1/policy/permissions/0`],
    ],
    [
      'an unknown field',
      worldOf({ agents: [agent({ isPaused: true })] }),
      'INVALID_INPUT',
      [`${at}/agents/0/isPaused`],
    ],
    [
      'an unknown currency of limits',
      worldOf({
        agents: [agent({ policy: { ...widePolicy, spendingLimits: { currency: 'XYZ', perTransactionLimit: 1 } } })],
      }),
      'INVALID_CURRENCY',
      [`${at}/agents/0/policy/spendingLimits/currency`],
    ],
    [
      'a customer of an agent',
      worldOf({ agents: [agent({ customerId: 'Customer:a' })] }),
      'INVALID_INPUT',
      [`${at}/agents/0/customerId`],
    ],
    [
      'a customer of an external account',
      worldOf({ externalAccounts: [usdRequest('1', { customerId: 'Customer:a' })] }),
      'INVALID_INPUT',
      [`${at}/externalAccounts/0/customerId`],
    ],
    [
      'a code of another form',
      worldOf({ agents: [agent({ deviceCode: 'AGENT-demo-2025' })] }),
      'INVALID_INPUT',
      [`${at}/agents/0/deviceCode`],
    ],
    [
      'a code that is null',
      worldOf({ agents: [agent({ deviceCode: null })] }),
      'INVALID_INPUT',
      [`${at}/agents/0/deviceCode`],
    ],
    [
      'a code of another platform',
      worldOf({}, { agents: [agent(), agent({ deviceCode: 'AGENT-DEMO-2025' })] }),
      'INVALID_INPUT',
      ['/world/customers/1/agents/1/deviceCode'],
    ],
    [
      'one code for two agents',
      worldOf({ agents: [agent({ deviceCode: 'AGENT-TEST-0001' }), agent({ deviceCode: 'AGENT-TEST-0001' })] }),
      'INVALID_INPUT',
      [`${at}/agents/1/deviceCode`],
    ],
    [
      'more agents than a customer can have',
      worldOf({ agents: Array.from({ length: 101 }, () => agent()) }),
      'INVALID_INPUT',
      [`${at}/agents`],
    ],
  ])('%s: 400 at its place', async (_name, body, code, places) => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(await make(sandbox, body), 400, code);
    expect(faultPlaces(refused)).toEqual(places.map((place) => `body ${place}`));
    await expectNothingMade(sandbox);
  });

  test('one external account twice is 409 and names the second', async () => {
    const sandbox = await openSandbox();
    const twice = worldOf({ externalAccounts: [usdRequest('1'), usdRequest('1')] });
    expect(expectRefusal(await make(sandbox, twice), 409, 'CONFLICT').message).toContain(`${at}/externalAccounts/1`);
    await expectNothingMade(sandbox);
  });

  test('an account that a policy names cannot be there yet: 404 that names the agent', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.send('GET', '/customers/internal-accounts?limit=1');
    const allowedAccountIds = [body.data[0].id];
    const policy = { ...widePolicy, accountRestrictions: { allowedAccountIds } };
    const refused = expectRefusal(
      await make(sandbox, worldOf({ agents: [agent({ policy })] })),
      404,
      'ACCOUNT_NOT_FOUND',
    );
    expect(refused.message).toContain(`${at}/agents/0`);
    await expectNothingMade(sandbox);
  });

  test('of two platforms with one code at once, one is made', async () => {
    const sandbox = await openSandbox();
    const world = worldOf({ agents: [agent({ deviceCode: 'AGENT-TEST-0001' })] });
    const answers = await Promise.all([make(sandbox, world), make(sandbox, world)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    await redeem(sandbox, 'AGENT-TEST-0001');
  });

  /** With one seed, the first platform always gets the same name. If that name is still free, no platform was made. */
  async function expectNothingMade(sandbox: TestSandbox): Promise<void> {
    const first = (await make(await openSandbox(), {})).body;
    expect((await make(sandbox, {})).body).toEqual(first);
    expect((await tryRedeem(sandbox, 'AGENT-TEST-0001')).status).toBe(404);
    expect((await tryRedeem(sandbox, 'AGENT-DEMO-2025')).status).toBe(200);
  }
});

describe('the default platform', () => {
  const code = 'AGENT-DEMO-2025';

  test('has an agent that the code connects, once', async () => {
    const sandbox = await openSandbox();
    const [{ id }] = await agentsOf(sandbox);
    expect((await whoAmI(sandbox, await redeem(sandbox, code))).body.id).toBe(id);
    expect(expectRefusal(await tryRedeem(sandbox, code), 400, 'DEVICE_CODE_INVALID').reason).toBe('redeemed');
  });

  test('reset: the agent is as at first, its token has ended, and the code is good again', async () => {
    const sandbox = await openSandbox();
    const [first] = await agentsOf(sandbox);
    const external = await listExternal(sandbox);
    for (let time = 0; time < 3; time += 1) {
      const token = await redeem(sandbox, code);
      must(await sandbox.send('PATCH', `/agents/${first.id}`, { body: { name: 'Other', isPaused: true } }));
      must(await sandbox.send('DELETE', `/customers/external-accounts/${external[0]?.id}`));
      expect((await sandbox.control('POST', '/reset')).status).toBe(204);
      expectTokenRefused(await whoAmI(sandbox, token));
      expect(await agentsOf(sandbox)).toEqual([first]);
      expect(await listExternal(sandbox)).toEqual(external);
      expect((await sandbox.send('GET', `/agents/device-codes/${code}/status`)).body.redeemed).toBe(false);
    }
  });

  test('reset: an older token stays refused when the code is redeemed again', async () => {
    // A seeded run would start with the same token again.
    const sandbox = await openSandbox({ chance: systemChance });
    const before = await redeem(sandbox, code);
    must(await sandbox.control('POST', '/reset'));
    const token = await redeem(sandbox, code);
    expect(token).not.toBe(before);
    expectTokenRefused(await whoAmI(sandbox, before));
    expect((await whoAmI(sandbox, token)).status).toBe(200);
  });

  test('reset brings a deleted agent back, and takes made ones and what waits away', async () => {
    const sandbox = await openSandbox();
    const [first] = await agentsOf(sandbox);
    expect((await sandbox.send('DELETE', `/agents/${first.id}`)).status).toBe(204);
    const body = agent({ customerId: first.customerId });
    const made = (await sandbox.send('POST', '/agents', { body })).body;
    must(await sandbox.control('POST', '/reset'));
    expect(await agentsOf(sandbox)).toEqual([first]);
    expectRefusal(await tryRedeem(sandbox, made.deviceCode.code), 404, 'DEVICE_CODE_NOT_FOUND');
    await redeem(sandbox, code);
  });
});

test('a platform that was made: reset makes its code good again, its end frees it for another', async () => {
  const sandbox = await openSandbox();
  const code = 'AGENT-TEST-0001';
  const world = worldOf({
    externalAccounts: [usdRequest('1')],
    agents: [agent({ deviceCode: code })],
  }) as PlatformRequest;
  const platform = await openPlatform(sandbox, world);
  const [first] = await agentsOf(platform);
  const token = await redeem(sandbox, code);
  expect((await platform.control('POST', '/reset')).status).toBe(204);
  expectTokenRefused(await whoAmI(sandbox, token));
  expect(await agentsOf(platform)).toEqual([first]);
  const again = await redeem(sandbox, code);
  expectRefusal(await make(sandbox, world), 400, 'INVALID_INPUT');
  expect((await platform.control('DELETE', '/platform')).status).toBe(204);
  expectTokenRefused(await whoAmI(sandbox, again));
  expectRefusal(await tryRedeem(sandbox, code), 404, 'DEVICE_CODE_NOT_FOUND');
  const next = await openPlatform(sandbox, world);
  expect((await tryRedeem(sandbox, code)).body.agentId).toBe((await agentsOf(next))[0].id);
  expect(await idsOf(next, '/agents')).toHaveLength(1);
});

test('a code that went to another platform meanwhile does not stand in the way of a reset', async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.send('GET', '/agents');
  expect((await sandbox.send('DELETE', `/agents/${body.data[0].id}`)).status).toBe(204);
  const other = await openPlatform(
    sandbox,
    worldOf({ agents: [agent({ deviceCode: 'AGENT-DEMO-2025' })] }) as PlatformRequest,
  );
  expect((await sandbox.control('POST', '/reset')).status).toBe(204);
  expect((await sandbox.send('GET', '/agents')).body.data).toHaveLength(1);
  const theirs = (await other.send('GET', '/agents')).body.data[0].id;
  const redeemed = await sandbox.send('POST', '/agents/device-codes/AGENT-DEMO-2025/redeem', { authorization: null });
  expect([redeemed.status, redeemed.body.agentId]).toEqual([200, theirs]);
});
