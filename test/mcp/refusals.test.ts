/**
 * Promise: a refusal says which limit stopped the payment, how much is left, and when the limit starts again. Nothing
 * in it suggests that a model could try a smaller part.
 */
import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../generated/types.ts';
import { explainRefusal, readRefusal } from '../../mcp/refusals.ts';
import { connectTo } from '../support/mcp/client.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

async function openPayer(policy: object) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy);
  const { call } = await connectTo(sandbox, stage.agent.accessToken);
  const pay = async (amount: number, paymentKey = `${amount}`) => {
    const sides = { source: { accountId: stage.accountId }, destination: { accountId: stage.bankId } };
    return (await call('createAgentTransferOut', { ...sides, amount, paymentKey })).text;
  };
  return { sandbox, stage, call, pay };
}

const spendingLimits = {
  currency: 'USD',
  perTransactionLimit: 50_000,
  dailyLimit: 60_000,
  dailyTransactionLimit: 2,
  monthlyLimit: 90_000,
};
const approvalThresholds = { currency: 'USD', amount: 40_000 };

describe('a limit', () => {
  it.each([
    ['at once', [], 60_000, 'perTransactionLimit', 'At once: at most 500.00 USD.'],
    ['of the day', [40_000], 30_000, 'dailyLimit', '400.00 USD has moved today (UTC), 200.00 USD is left'],
    ['of actions', [100, 200], 300, 'dailyTransactionLimit', 'at most 2 actions. 2 were approved, 0 are left'],
  ] as const)('%s: what is left, and when it starts again', async (_name, before, amount, reason, left) => {
    const { pay } = await openPayer({ spendingLimits, approvalThresholds });
    for (const one of before) expect(await pay(one)).toContain('approved');
    const text = await pay(amount);
    expect(text).toContain(`403 POLICY_VIOLATION (${reason})`);
    expect(text).toContain(left);
    expect(text).toContain('It starts again at 2025-10-14 00:00 UTC.');
    expect(text).toContain('It starts again at 2025-11-01 00:00 UTC.');
    expect(text).toMatch(
      /Do not split the payment.*its parts count together against 600\.00 USD a day, and each above 400\.00 USD waits for approval\./,
    );
  });

  it('of the month', async () => {
    const { sandbox, pay } = await openPayer({ spendingLimits });
    await pay(50_000);
    await sandbox.advance(24 * 60 * 60);
    expect(await pay(45_000)).toContain('POLICY_VIOLATION (monthlyLimit)');
    expect(await pay(45_001)).toContain('500.00 USD has moved this month (UTC), 400.00 USD is left.');
  });

  it('of accounts: which ones are allowed', async () => {
    const allowed = 'InternalAccount:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e11';
    const { stage, pay } = await openPayer({});
    const own = (await stage.agent.look()).customerId;
    expect(own).toBe(stage.customerId);
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
    const text = await pay(100);
    expect(text).toContain('POLICY_VIOLATION (allowedAccountIds)');
    expect(text).toContain('Own accounts that the policy allows: none.');
    expect(text).not.toContain(allowed);
  });
});

test.each([
  [{}, 'its parts count together against 600.00 USD a day'],
  [{ dailyLimit: undefined }, 'its parts count together against 900.00 USD a month'],
  [
    { dailyLimit: undefined, monthlyLimit: undefined },
    'Do not split the payment: the limit is meant for the whole of it.',
  ],
])('what a refusal says about splitting is true for the limits with %j', (change, said) => {
  const agent = {
    policy: { permissions: [], defaultExecutionMode: 'AUTO', spendingLimits: { ...spendingLimits, ...change } },
    usage: {
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: '2025-10-14',
      monthlySpend: 0,
      monthlyResetMonth: '2025-11',
    },
  } as unknown as Agent;
  const known = { agent, wasToldOfPause: false, paymentKey: undefined, isReplay: false };
  const refusal = readRefusal({ code: 'POLICY_VIOLATION', message: 'No.', reason: 'perTransactionLimit' });
  const text = explainRefusal(403, refusal, known);
  expect(text).toContain(said);
  expect(text).not.toMatch(/smaller|less at once|try (?:again )?with/i);
});

describe('a paused agent', () => {
  it('learns it once and plainly, then shortly, and plainly again after it went on', async () => {
    const { stage, call, pay } = await openPayer({});
    const plain = 'The platform has paused this agent.';
    await stage.agent.pause(true);
    expect(await pay(1)).toContain(plain);
    const second = await pay(2);
    expect(second).toContain('The agent is still paused.');
    expect(second).not.toContain(plain);
    await stage.agent.pause(false);
    expect((await call('getCurrentAgent')).output.isPaused).toBe(false);
    expect(await pay(3)).toContain('approved');
    await stage.agent.pause(true);
    expect(await pay(4)).toContain(plain);
  });
});

describe('other refusals', () => {
  it('a permission that is missing: only the platform can give it', async () => {
    const { pay } = await openPayer({ permissions: [] });
    expect(await pay(100)).toMatch(/403 FORBIDDEN[\s\S]*Only the platform can give the permission/);
  });

  it('an account in a wrong form: each fault, and where to look', async () => {
    const { call } = await openPayer({});
    const { isError, text } = await call('createAgentExternalAccount', {
      currency: 'MXN',
      accountInfo: { accountType: 'MXN_ACCOUNT', clabeNumber: '1' },
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/400 INVALID_INPUT[\s\S]*- \/accountInfo\/clabeNumber[\s\S]*describe_account_type/);
  });

  it('a refusal that was kept with its key: to use a new one', async () => {
    const { stage, pay } = await openPayer({ spendingLimits });
    await pay(60_000, 'invoice 7');
    await stage.agent.changePolicy({ spendingLimits: { perTransactionLimit: 100_000, dailyLimit: 100_000 } });
    expect(await pay(60_000, 'invoice 7')).toContain('kept answer of an earlier call');
    expect(await pay(60_000, 'invoice 7, again')).toContain('approved');
  });

  it.each([
    [{ amont: 1 }, 'has no argument "amont"'],
    [{}, 'needs source, destination, amount'],
  ])('arguments %j: what is wrong, and nothing is sent', async (args, said) => {
    const { call } = await openPayer({});
    const { isError, text } = await call('createAgentTransferOut', args);
    expect([isError, text]).toEqual([true, expect.stringContaining(said)]);
  });

  it.each(['..', '', '.'])('an id of %j: nothing is sent', async (actionId) => {
    const { call } = await openPayer({});
    expect((await call('getAgentAction', { actionId })).text).toBe('actionId is an id.');
  });
});
