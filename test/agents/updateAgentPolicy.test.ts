/**
 * Promise: a policy changes field by field, from the next request on. Null removes a field, a list replaces the list. A
 * refused request changes nothing (D32, D78).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { mustAdd, newCustomer, usdRequest } from '../support/scenes/externalAccounts.ts';
import { nobody } from '../support/scenes/payments.ts';
import { fullPolicy, makeAgent, withValue } from '../support/scenes/platformAgents.ts';

testCommonRefusals('updateAgentPolicy', '/agents/Agent:none/policy');

/** An agent with a full policy. In values, `ACCOUNT` and `BANK` stand for its accounts. */
const open = async () => {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox);
  const { accountId, bankId } = stage;
  const policy = fullPolicy(accountId, bankId);
  const { agent } = await makeAgent(sandbox, stage.customerId, { policy });
  const named = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll('"ACCOUNT"', `"${accountId}"`).replaceAll('"BANK"', `"${bankId}"`));
  const update = (body: unknown) => sandbox.send('PATCH', `/agents/${agent.id}/policy`, { body: named(body) });
  const look = async () => (await sandbox.send('GET', `/agents/${agent.id}`)).body;
  return { sandbox, ...stage, policy, made: agent, named, update, look };
};

describe('field by field', () => {
  const limits = (change: object) => ({ spendingLimits: change });
  const accounts = (change: object) => ({ accountRestrictions: change });
  const threshold = (change: object) => ({ approvalThresholds: change });
  const bankRule = { accountId: 'BANK', perTransactionLimit: 0 };
  const modeRule = { accountId: 'BANK', executionMode: 'APPROVAL_REQUIRED' };

  // The update, and the fields that it changes with their new values; undefined for removed fields.
  test.each<[update: object, changes: Record<string, unknown>]>([
    [{ permissions: ['CREATE_QUOTES'] }, { '/permissions': ['CREATE_QUOTES'] }],
    [{ permissions: [] }, { '/permissions': [] }],
    [{ defaultExecutionMode: 'APPROVAL_REQUIRED' }, { '/defaultExecutionMode': 'APPROVAL_REQUIRED' }],
    [limits({ perTransactionLimit: 0 }), { '/spendingLimits/perTransactionLimit': 0 }],
    [limits({ dailyLimit: 7 }), { '/spendingLimits/dailyLimit': 7 }],
    [limits({ dailyLimit: null }), { '/spendingLimits/dailyLimit': undefined }],
    [limits({ dailyTransactionLimit: null }), { '/spendingLimits/dailyTransactionLimit': undefined }],
    [limits({ monthlyLimit: null }), { '/spendingLimits/monthlyLimit': undefined }],
    [limits({ currency: 'KWD' }), { '/spendingLimits/currency': 'KWD' }],
    [
      limits({ currency: 'JPY', dailyLimit: null, monthlyLimit: 1 }),
      { '/spendingLimits/currency': 'JPY', '/spendingLimits/dailyLimit': undefined, '/spendingLimits/monthlyLimit': 1 },
    ],
    [accounts({ allowedAccountIds: ['ACCOUNT'] }), { '/accountRestrictions/allowedAccountIds': ['ACCOUNT'] }],
    [accounts({ allowedAccountIds: [] }), { '/accountRestrictions/allowedAccountIds': [] }],
    [accounts({ allowedAccountIds: null }), { '/accountRestrictions/allowedAccountIds': undefined }],
    [accounts({ accountRules: [bankRule] }), { '/accountRestrictions/accountRules': [bankRule] }],
    [accounts({ accountRules: [modeRule] }), { '/accountRestrictions/accountRules': [modeRule] }],
    [accounts({ accountRules: [] }), { '/accountRestrictions/accountRules': [] }],
    [accounts({ allowedAccountIds: null, accountRules: [] }), { '/accountRestrictions': undefined }],
    [threshold({ amount: 0 }), { '/approvalThresholds/amount': 0 }],
    [threshold({ currency: 'JPY' }), { '/approvalThresholds/currency': 'JPY' }],
    [threshold({ currency: 'USD', amount: 5 }), { '/approvalThresholds': { currency: 'USD', amount: 5 } }],
    [threshold({ amount: null }), { '/approvalThresholds': undefined }],
    [
      { permissions: [], ...limits({ dailyLimit: null }), ...threshold({ amount: null }) },
      { '/permissions': [], '/spendingLimits/dailyLimit': undefined, '/approvalThresholds': undefined },
    ],
  ])('%j', async (change, changes) => {
    const { sandbox, policy, made, named, update, look } = await open();
    await sandbox.advance(60);
    const { status, body } = await update(change);
    const changed = Object.entries(changes).reduce((whole, [at, value]) => {
      return withValue(whole, at, value === undefined ? undefined : named(value));
    }, policy as object);
    const expected = { ...made, policy: changed, updatedAt: '2025-10-13T09:01:00.000Z' };
    expect([status, body]).toEqual([200, expected]);
    expect(await look()).toEqual(expected);
  });

  test('what was never there is removed without a fault, and can be set', async () => {
    const sandbox = await openSandbox();
    const policy = { permissions: [], spendingLimits: { currency: 'USD', perTransactionLimit: 1 } };
    const { agent } = await makeAgent(sandbox, await newCustomer(sandbox), { policy });
    const ask = (body: object) => sandbox.send('PATCH', `/agents/${agent.id}/policy`, { body });
    const nothing = {
      ...limits({ dailyLimit: null }),
      ...accounts({ allowedAccountIds: null }),
      ...threshold({ amount: null }),
    };
    expect((await ask(nothing)).body).toEqual(agent);
    for (const [change, missing] of [
      [{ amount: 5 }, 'currency'],
      [{ currency: 'EUR' }, 'amount'],
    ] as const) {
      const refused = expectRefusal(await ask(threshold(change)), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([`body /approvalThresholds/${missing}`]);
    }
    const set = { ...limits({ monthlyLimit: 3 }), ...threshold({ currency: 'EUR', amount: 5 }) };
    expect((await ask(set)).body.policy).toMatchObject(set);
    // Removing a threshold also removed its currency.
    await ask(threshold({ amount: null }));
    expectRefusal(await ask(threshold({ amount: 5 })), 400, 'INVALID_INPUT');
  });
});

test('it is in force from the next request on, and undoes nothing', async () => {
  const sandbox = await openSandbox();
  const { agent, transferOut, act, accountId, balance } = await openAgentStage(sandbox);
  const done = await act(2500);
  const refuses = async (change: object, code: 'FORBIDDEN' | 'POLICY_VIOLATION', reason?: string) => {
    const before = (await agent.look()).policy;
    await agent.changePolicy(change);
    expect(expectRefusal(await transferOut(2500), 403, code).reason).toBe(reason);
    await agent.changePolicy({ ...before, accountRestrictions: { allowedAccountIds: null, accountRules: [] } });
  };
  await refuses({ permissions: ['CREATE_QUOTES'] }, 'FORBIDDEN');
  await refuses({ spendingLimits: { perTransactionLimit: 2499 } }, 'POLICY_VIOLATION', 'perTransactionLimit');
  await refuses({ accountRestrictions: { allowedAccountIds: [] } }, 'POLICY_VIOLATION', 'allowedAccountIds');
  const rule = { accountId, perTransactionLimit: 2499 };
  await refuses(
    { accountRestrictions: { accountRules: [rule] } },
    'POLICY_VIOLATION',
    'accountRules.perTransactionLimit',
  );
  // Spending from before the limit counts too.
  await refuses({ spendingLimits: { dailyLimit: 4999 } }, 'POLICY_VIOLATION', 'dailyLimit');
  await agent.changePolicy({ spendingLimits: { dailyLimit: 5000 }, defaultExecutionMode: 'APPROVAL_REQUIRED' });
  expect((await act(2500)).status).toBe('PENDING_APPROVAL');
  expect((await agent.send('GET', `/actions/${done.id}`)).body).toEqual(done);
  expect(await balance()).toBe(97_500);
});

describe('refusals change nothing', () => {
  const [allowed, rules] = ['/accountRestrictions/allowedAccountIds', '/accountRestrictions/accountRules'];
  const rule = (accountId: string) => ({ accountId, perTransactionLimit: 1 });

  test.each<[body: unknown, places: string[], code?: 'INVALID_CURRENCY']>([
    [{}, ['']],
    [{ permissions: null }, ['/permissions']],
    [{ defaultExecutionMode: null }, ['/defaultExecutionMode']],
    [{ spendingLimits: null }, ['/spendingLimits']],
    [{ spendingLimits: {} }, ['/spendingLimits']],
    [
      { spendingLimits: { currency: null, perTransactionLimit: null } },
      ['/spendingLimits/currency', '/spendingLimits/perTransactionLimit'],
    ],
    [
      { spendingLimits: { dailyLimit: -1, monthlyLimit: 9_000_000_000_000_001 } },
      ['/spendingLimits/dailyLimit', '/spendingLimits/monthlyLimit'],
    ],
    [{ spendingLimits: { dailyTransactionLimit: 1.5 } }, ['/spendingLimits/dailyTransactionLimit']],
    [{ accountRestrictions: null }, ['/accountRestrictions']],
    [{ accountRestrictions: {} }, ['/accountRestrictions']],
    [{ accountRestrictions: { accountRules: null } }, [rules]],
    [{ accountRestrictions: { allowedAccountIds: ['ACCOUNT', 'ACCOUNT'] } }, [allowed]],
    [{ accountRestrictions: { allowedAccountIds: ['ACCOUNT', 'BANK'] } }, [`${allowed}/1`]],
    [{ accountRestrictions: { accountRules: [{ accountId: 'BANK' }] } }, [`${rules}/0`]],
    [{ accountRestrictions: { accountRules: ['BANK', 'ACCOUNT', 'BANK'].map(rule) } }, [`${rules}/2/accountId`]],
    [{ approvalThresholds: null }, ['/approvalThresholds']],
    [{ approvalThresholds: {} }, ['/approvalThresholds']],
    [{ approvalThresholds: { currency: null, amount: 1 } }, ['/approvalThresholds/currency']],
    [{ name: 'x', isPaused: true, usage: {} }, ['/isPaused', '/name', '/usage']],
    [{ permissions: [], spendingLimits: { currency: 'XYZ' } }, ['/spendingLimits/currency'], 'INVALID_CURRENCY'],
    [
      { permissions: [], approvalThresholds: { currency: 'XYZ' } },
      ['/approvalThresholds/currency'],
      'INVALID_CURRENCY',
    ],
    [
      { spendingLimits: { currency: 'XYZ' }, approvalThresholds: { currency: 'XYZ', amount: 1 } },
      ['/approvalThresholds/currency', '/spendingLimits/currency'],
      'INVALID_CURRENCY',
    ],
  ])('%j is 400 at its place', async (body, places, code) => {
    const { sandbox, made, update, look } = await open();
    await sandbox.advance(1);
    const refused = expectRefusal(await update(body), 400, code ?? 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places.map((place) => `body ${place}`));
    expect(await look()).toEqual(made);
  });

  test("an account that is unknown, another customer's or the platform's is 404, allowed or ruled", async () => {
    const { sandbox, made, update, look } = await open();
    const other = await newCustomer(sandbox);
    const first = async (path: string) => (await sandbox.send('GET', path)).body.data[0].id;
    for (const id of [
      nobody('InternalAccount'),
      nobody('ExternalAccount'),
      await first(`/customers/internal-accounts?customerId=${other}`),
      await first('/platform/internal-accounts'),
      (await mustAdd(sandbox, usdRequest('1', { customerId: other }))).id,
      (await mustAdd(sandbox, usdRequest('1'))).id,
    ]) {
      const isInternal = id.startsWith('InternalAccount:');
      for (const accountRestrictions of [
        ...(isInternal ? [{ allowedAccountIds: ['ACCOUNT', id] }] : []),
        { accountRules: [rule('BANK'), rule(id)] },
      ]) {
        expectRefusal(await update({ permissions: [], accountRestrictions }), 404, 'ACCOUNT_NOT_FOUND');
      }
    }
    expect(await look()).toEqual(made);
  });

  test('an agent that is unknown, deleted or of another platform is 404', async () => {
    const sandbox = await openSandbox();
    const elsewhere = await openPlatform(sandbox);
    const foreign = await makeAgent(elsewhere, await newCustomer(elsewhere));
    const ended = await makeAgent(sandbox, await newCustomer(sandbox));
    expect((await sandbox.send('DELETE', `/agents/${ended.agent.id}`)).status).toBe(204);
    for (const id of [nobody('Agent'), foreign.agent.id, ended.agent.id]) {
      const answer = await sandbox.send('PATCH', `/agents/${id}/policy`, { body: { permissions: [] } });
      expectRefusal(answer, 404, 'AGENT_NOT_FOUND');
    }
  });
});

const bankRule = { accountId: 'BANK', perTransactionLimit: 1 };

describe('accounts and customers that are gone (D81)', () => {
  test('an account that was deleted stays in the policy and permits nothing, but cannot be named again', async () => {
    const { sandbox, bankId, policy, update, agent, transferOut } = await open();
    const accountRules = [{ accountId: bankId, perTransactionLimit: 1000 }];
    await agent.changePolicy({ accountRestrictions: { accountRules } });
    expect((await sandbox.send('DELETE', `/customers/external-accounts/${bankId}`)).status).toBe(204);
    expect((await agent.look()).policy.accountRestrictions?.accountRules).toEqual(accountRules);
    expectRefusal(await transferOut(1), 404, 'ACCOUNT_NOT_FOUND');
    const { status, body } = await update({ spendingLimits: { dailyLimit: 1 } });
    expect([status, body.policy.accountRestrictions]).toEqual([200, policy.accountRestrictions]);
    const again = { accountRestrictions: { accountRules: [bankRule] } };
    expectRefusal(await update(again), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('the policy of a deleted customer can be changed, its accounts named included', async () => {
    const { sandbox, customerId, accountId, bankId, update } = await open();
    const out = { source: { accountId }, destination: { accountId: bankId }, amount: 100_000 };
    expect((await sandbox.send('POST', '/transfer-out', { body: out })).status).toBe(201);
    await deleteCustomer(sandbox, customerId);
    const { status, body } = await update({
      accountRestrictions: { allowedAccountIds: ['ACCOUNT'], accountRules: [bankRule] },
    });
    expect([status, body.policy?.accountRestrictions.allowedAccountIds]).toEqual([200, [accountId]]);
    expect(body.policy?.accountRestrictions.accountRules).toEqual([{ ...bankRule, accountId: bankId }]);
  });
});

test('a threshold is not removed by a currency that there is none of', async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.send('GET', '/agents');
  const [{ id, policy }] = body.data;
  const update = { approvalThresholds: { currency: 'XYZ', amount: null } };
  const answer = await sandbox.send('PATCH', `/agents/${id}/policy`, { body: update });
  expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_CURRENCY'))).toEqual(['body /approvalThresholds/currency']);
  expect((await sandbox.send('GET', `/agents/${id}`)).body.policy).toEqual(policy);
});
