/**
 * Promise: an agent is created with exactly the requested policy, for an existing customer and that customer's
 * accounts, and with a code that is never shown again. A refused request creates nothing (D32, D34, D78, D81).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage, widePolicy } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { mustAdd, newCustomer, usdRequest } from '../support/scenes/externalAccounts.ts';
import { nobody } from '../support/scenes/payments.ts';
import {
  askForAgent,
  fullPolicy,
  idsOf,
  makeAgent,
  openTransparent,
  withValue,
} from '../support/scenes/platformAgents.ts';

testCommonRefusals('createAgent', '/agents');

test('an agent, whole: its policy, nothing used, and a code for 24 hours', async () => {
  const sandbox = await openSandbox();
  const { customerId, accountId, bankId } = await openAgentStage(sandbox);
  await sandbox.advance(60);
  const policy = fullPolicy(accountId, bankId);
  const { status, body } = await askForAgent(sandbox, customerId, { policy });
  const at = '2025-10-13T09:01:00.000Z';
  expect([status, body]).toEqual([
    201,
    {
      agent: {
        id: expect.stringMatching(/^Agent:[0-9a-f-]{36}$/),
        name: 'Bill payer',
        customerId,
        isPaused: false,
        isConnected: false,
        policy,
        usage: {
          dailyTransactionCount: 0,
          dailySpend: 0,
          dailyResetDate: '2025-10-14',
          monthlySpend: 0,
          monthlyResetMonth: '2025-11',
        },
        createdAt: at,
        updatedAt: at,
      },
      deviceCode: {
        code: expect.stringMatching(/^AGENT-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
        agentId: body.agent.id,
        expiresAt: '2025-10-14T09:01:00.000Z',
        redeemed: false,
      },
    },
  ]);
  expect((await sandbox.send('GET', `/agents/${body.agent.id}`)).body).toEqual(body.agent);
});

describe('parts of a policy', () => {
  const least = { permissions: [], spendingLimits: { currency: 'USD', perTransactionLimit: 0 } };
  const shown = { ...least, defaultExecutionMode: 'AUTO' };
  const most = {
    currency: 'BTC',
    perTransactionLimit: 9_000_000_000_000_000,
    dailyLimit: 0,
    dailyTransactionLimit: 1_000_000_000,
    monthlyLimit: 9_000_000_000_000_000,
  };
  const rules = { accountRules: [{ accountId: 'BANK', perTransactionLimit: 0 }] };

  test.each<[name: string, given: object, shown: object]>([
    ['the least', least, shown],
    ['no restrictions', { ...least, accountRestrictions: {} }, shown],
    ['no rules', { ...least, accountRestrictions: { accountRules: [] } }, shown],
    [
      'APPROVAL_REQUIRED',
      { ...least, defaultExecutionMode: 'APPROVAL_REQUIRED' },
      { ...least, defaultExecutionMode: 'APPROVAL_REQUIRED' },
    ],
    ['the largest limits', { ...least, spendingLimits: most }, { ...shown, spendingLimits: most }],
    [
      'a limit of actions',
      withValue(least, '/spendingLimits/dailyTransactionLimit', 0),
      withValue(shown, '/spendingLimits/dailyTransactionLimit', 0),
    ],
    [
      'a threshold of nothing',
      { ...least, approvalThresholds: { currency: 'JPY', amount: 0 } },
      { ...shown, approvalThresholds: { currency: 'JPY', amount: 0 } },
    ],
    [
      'no account at all',
      { ...least, accountRestrictions: { allowedAccountIds: [] } },
      { ...shown, accountRestrictions: { allowedAccountIds: [], accountRules: [] } },
    ],
    ['rules only', { ...least, accountRestrictions: rules }, { ...shown, accountRestrictions: rules }],
    [
      'a rule beside the allowed accounts',
      { ...least, accountRestrictions: { allowedAccountIds: ['ACCOUNT'], ...rules } },
      { ...shown, accountRestrictions: { allowedAccountIds: ['ACCOUNT'], ...rules } },
    ],
  ])('%s: shown as said, what was left out is absent', async (_name, given, policy) => {
    const sandbox = await openSandbox();
    const { customerId, accountId, bankId } = await openAgentStage(sandbox);
    const named = (value: object) =>
      JSON.parse(JSON.stringify(value).replaceAll('"ACCOUNT"', `"${accountId}"`).replaceAll('"BANK"', `"${bankId}"`));
    const { agent } = await makeAgent(sandbox, customerId, { policy: named(given) });
    expect(agent.policy).toEqual(named(policy));
  });
});

test.each(['a', 'Zoe\u0308 \u200f\u0645 😀', ' spaces ', '😀'.repeat(255)])(
  'keeps its name "%s", twice',
  async (name) => {
    const sandbox = await openSandbox();
    const customerId = await newCustomer(sandbox);
    const [one, other] = [
      await makeAgent(sandbox, customerId, { name }),
      await makeAgent(sandbox, customerId, { name }),
    ];
    expect([one.agent.name, other.agent.name]).toEqual([name, name]);
    expect([one.agent.id, one.deviceCode.code]).not.toEqual([other.agent.id, other.deviceCode.code]);
    expect(await idsOf(sandbox, `/agents?customerId=${customerId}`)).toEqual([other.agent.id, one.agent.id]);
  },
);

test.each(['PENDING', 'REJECTED', 'UNVERIFIED'])('a customer whose KYC is %s may have one', async (kycStatus) => {
  const sandbox = await openSandbox();
  expect((await askForAgent(sandbox, await newCustomer(sandbox, { kycStatus }))).status).toBe(201);
});

test('the code is kept as a hash only, and shown nowhere else', async () => {
  const { sandbox, kept } = await openTransparent();
  const { agent, deviceCode } = await makeAgent(sandbox, await newCustomer(sandbox));
  const seen = JSON.stringify([
    (await sandbox.send('GET', `/agents/${agent.id}`)).body,
    (await sandbox.send('GET', '/agents')).body,
    await kept(),
  ]);
  expect(seen).toContain(agent.id);
  expect(seen).not.toContain(deviceCode.code);
});

describe('refusals', () => {
  const limits = '/policy/spendingLimits';
  const thresholds = '/policy/approvalThresholds';
  const allowed = '/policy/accountRestrictions/allowedAccountIds';
  const rules = '/policy/accountRestrictions/accountRules';
  const open = async () => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox);
    const policy = fullPolicy(stage.accountId, stage.bankId);
    const body = { name: 'Bill payer', customerId: stage.customerId, policy };
    const before = await idsOf(sandbox, '/agents');
    const ask = async (pointer: string, value: unknown) => {
      const answer = await sandbox.send('POST', '/agents', { body: withValue(body, pointer, value) });
      expect(await idsOf(sandbox, '/agents')).toEqual(before);
      return answer;
    };
    return { sandbox, ...stage, ask };
  };

  test.each<[pointer: string, value: unknown, place?: string]>([
    ...[
      '/name',
      '/customerId',
      '/policy',
      '/policy/permissions',
      '/policy/defaultExecutionMode',
      limits,
      `${limits}/currency`,
      `${limits}/perTransactionLimit`,
      `${limits}/dailyLimit`,
      `${limits}/dailyTransactionLimit`,
      `${limits}/monthlyLimit`,
      '/policy/accountRestrictions',
      allowed,
      rules,
      `${rules}/0/executionMode`,
      `${rules}/0/perTransactionLimit`,
      thresholds,
      `${thresholds}/currency`,
      `${thresholds}/amount`,
    ].map((pointer): [string, unknown] => [pointer, null]),
    ...[
      '/name',
      '/customerId',
      '/policy',
      '/policy/permissions',
      limits,
      `${limits}/currency`,
      `${limits}/perTransactionLimit`,
      `${rules}/0/accountId`,
      `${thresholds}/currency`,
      `${thresholds}/amount`,
    ].map((pointer): [string, unknown] => [pointer, undefined]),
    ['/name', ''],
    ['/name', 'a'.repeat(256)],
    ['/customerId', 'Agent:none'],
    ['/isPaused', true],
    ['/policy/usage', {}],
    ['/policy/permissions', ['CREATE_QUOTES', 'CREATE_QUOTES']],
    ['/policy/permissions', ['VIEW'], '/policy/permissions/0'],
    ['/policy/defaultExecutionMode', 'auto'],
    [`${limits}/currency`, 'usd'],
    [`${limits}/perTransactionLimit`, -1],
    [`${limits}/perTransactionLimit`, 9_000_000_000_000_001],
    [`${limits}/dailyLimit`, 0.5],
    [`${limits}/monthlyLimit`, '1'],
    [`${limits}/dailyTransactionLimit`, 1_000_000_001],
    [`${limits}/weeklyLimit`, 1],
    [`${thresholds}/amount`, -1],
    [allowed, ['Customer:none'], `${allowed}/0`],
    [rules, [{ accountId: nobody('InternalAccount') }], `${rules}/0`],
  ])('%s = %j is 400 at its place', async (pointer, value, place = pointer) => {
    const refused = expectRefusal(await (await open()).ask(pointer, value), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual([`body ${place}`]);
  });

  test('an account allowed twice, and two rules for one account, are 400', async () => {
    const { ask, accountId, bankId } = await open();
    const twice = expectRefusal(await ask(allowed, [accountId, accountId]), 400, 'INVALID_INPUT');
    expect(faultPlaces(twice)).toEqual([`body ${allowed}`]);
    const rule = (id: string) => ({ accountId: id, perTransactionLimit: 1 });
    const ruled = expectRefusal(
      await ask(rules, [accountId, bankId, accountId, accountId].map(rule)),
      400,
      'INVALID_INPUT',
    );
    expect(faultPlaces(ruled)).toEqual([`body ${rules}/2/accountId`, `body ${rules}/3/accountId`]);
  });

  test.each([[limits], [thresholds], [limits, thresholds]])(
    'an unknown currency in %s %s is 400 there',
    async (...places) => {
      const sandbox = await openSandbox();
      const policy = { ...widePolicy, approvalThresholds: { currency: 'EUR', amount: 1 } };
      const wrong = places.reduce((body, place) => withValue(body, `${place}/currency`, 'XYZ'), { policy } as object);
      const refused = expectRefusal(
        await askForAgent(sandbox, await newCustomer(sandbox), wrong),
        400,
        'INVALID_CURRENCY',
      );
      expect(faultPlaces(refused)).toEqual(places.map((place) => `body ${place}/currency`).sort());
    },
  );

  test.each(['an unknown one', "another customer's", "the platform's", "another platform's"])(
    '%s account is 404, allowed or ruled',
    async (whose) => {
      const { sandbox, ask } = await open();
      const elsewhere = await openPlatform(sandbox, { world: 'ready-made' });
      const first = async (from: typeof sandbox, path: string) => (await from.send('GET', path)).body.data[0].id;
      const ids = {
        'an unknown one': [nobody('InternalAccount'), nobody('ExternalAccount')],
        "another customer's": await (async () => {
          const other = await newCustomer(sandbox);
          const bank = await mustAdd(sandbox, usdRequest('1', { customerId: other }));
          return [await first(sandbox, `/customers/internal-accounts?customerId=${other}`), bank.id];
        })(),
        "the platform's": [
          await first(sandbox, '/platform/internal-accounts'),
          (await mustAdd(sandbox, usdRequest('2'))).id,
        ],
        "another platform's": [
          await first(elsewhere, '/customers/internal-accounts'),
          await first(elsewhere, '/customers/external-accounts'),
        ],
      }[whose];
      for (const id of ids ?? []) {
        if (id.startsWith('InternalAccount:')) expectRefusal(await ask(allowed, [id]), 404, 'ACCOUNT_NOT_FOUND');
        else
          expect(faultPlaces(expectRefusal(await ask(allowed, [id]), 400, 'INVALID_INPUT'))).toEqual([
            `body ${allowed}/0`,
          ]);
        expectRefusal(await ask(rules, [{ accountId: id, executionMode: 'AUTO' }]), 404, 'ACCOUNT_NOT_FOUND');
      }
    },
  );

  test('an unknown customer is 404, a deleted one 410, both before the accounts', async () => {
    const { sandbox, ask } = await open();
    const elsewhere = await newCustomer(await openPlatform(sandbox));
    for (const id of [nobody('Customer'), elsewhere])
      expectRefusal(await ask('/customerId', id), 404, 'USER_NOT_FOUND');
    const ended = await newCustomer(sandbox);
    await deleteCustomer(sandbox, ended);
    expectRefusal(await ask('/customerId', ended), 410, 'CUSTOMER_DELETED');
  });
});
