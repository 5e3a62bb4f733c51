/**
 * Promise: with another currency, the limits keep their numbers. The usage of this month is converted at the fixed
 * rates, each action rounded up. A change that can't be expressed has no effect (D26, D78).
 */
import { expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { payIn } from '../support/scenes/payments.ts';

const spend = async (currency: string, amounts: number[], rest: object = {}) => {
  const stage = await openAgentStage(await openSandbox());
  for (const amount of amounts) await stage.act(amount);
  const { usage, policy } = await stage.agent.changePolicy({ spendingLimits: { currency, ...rest } });
  return { ...stage, usage, policy };
};

// Calculated by hand: cents / 100 / rate, in the smallest unit, each action rounded up. 1 EUR is 1.162 USD, 1 JPY
// 0.0066, 1 KWD (three decimals) 3.26, 1 BTC (eight decimals) 64,000; USDC has six decimals.
test.each<[currency: string, amounts: number[], spent: number]>([
  ['EUR', [2500], 2152],
  ['EUR', [2500, 101], 2152 + 87],
  ['EUR', [1, 1, 1], 3],
  ['JPY', [2500], 3788],
  ['KWD', [2500, 2500], 7669 * 2],
  ['BTC', [2500], 39_063],
  ['USDC', [2500, 1], 25_010_000],
  ['USD', [2500, 1], 2501],
  ['EUR', [], 0],
])('%s counts %j again as %i', async (currency, amounts, spent) => {
  const { usage, policy, agent } = await spend(currency, amounts);
  const expected = { dailyTransactionCount: amounts.length, dailySpend: spent, monthlySpend: spent };
  expect(usage).toMatchObject(expected);
  expect(policy.spendingLimits).toEqual({ currency, perTransactionLimit: 100_000_000 });
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const back = await agent.changePolicy({ spendingLimits: { currency: 'USD' } });
  expect(back.usage).toMatchObject({ dailySpend: total, monthlySpend: total });
});

test('the limits keep their numbers and hold in the new currency', async () => {
  const { transferOut, act, agent } = await spend('EUR', [2500], { dailyLimit: 2152 + 87 });
  // 1.02 USD are 0.8778 EUR: 88 cents, one too many. 1.01 USD are 87 cents.
  expect(expectRefusal(await transferOut(102), 403, 'POLICY_VIOLATION').reason).toBe('dailyLimit');
  await act(101);
  expect((await agent.look()).usage.dailySpend).toBe(2239);
});

test('counts the day and the month apart, and last month not at all', async () => {
  const sandbox = await openSandbox();
  const { agent, act } = await openAgentStage(sandbox);
  await act(100);
  await sandbox.advance(19 * 86_400);
  await act(2500);
  await sandbox.advance(86_400);
  await act(101);
  const { usage } = await agent.changePolicy({ spendingLimits: { currency: 'EUR' } });
  expect(usage).toEqual({
    dailyTransactionCount: 1,
    dailySpend: 87,
    dailyResetDate: '2025-11-03',
    monthlySpend: 2152 + 87,
    monthlyResetMonth: '2025-12',
  });
});

test('leaves out what failed and what waits, and gives back later in the new one', async () => {
  const sandbox = await openSandbox();
  const { agent, act } = await openAgentStage(sandbox, {}, '005');
  await act(100_001);
  await act(2500);
  await sandbox.advance(30);
  await act(101);
  await agent.changePolicy({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
  await act(700);
  const { usage } = await agent.changePolicy({ spendingLimits: { currency: 'EUR' } });
  expect(usage).toMatchObject({ dailyTransactionCount: 1, dailySpend: 87, monthlySpend: 87 });
  await sandbox.advance(30);
  expect((await agent.look()).usage).toMatchObject({ dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 });
});

test('up to what can be expressed, and not a unit beyond: 400 with nothing changed', async () => {
  const sandbox = await openSandbox();
  const limits = { currency: 'USD', perTransactionLimit: 9_000_000_000_000_000 };
  const { agent, act, customerId } = await openAgentStage(sandbox, { spendingLimits: limits });
  await payIn(sandbox, customerId, 'USD', 600_000_000_000);
  // 1 IDR is 0.00006 USD, so this is 90 million million IDR: exactly the largest possible amount.
  await act(540_000_000_000);
  const rupiah = { spendingLimits: { currency: 'IDR' } };
  expect((await agent.changePolicy(rupiah)).usage.dailySpend).toBe(9_000_000_000_000_000);
  await agent.changePolicy({ spendingLimits: limits });
  await act(1);
  const before = await agent.look();
  await sandbox.advance(1);
  const body = { ...rupiah, permissions: [] };
  const answer = await sandbox.send('PATCH', `/agents/${agent.id}/policy`, { body });
  const refused = expectRefusal(answer, 400, 'AMOUNT_OUT_OF_RANGE');
  expect(faultPlaces(refused)).toEqual(['body /spendingLimits/currency']);
  expect(await agent.look()).toEqual(before);
  // The usage of the last month doesn't matter any more.
  await sandbox.advance(31 * 86_400);
  expect((await agent.changePolicy(rupiah)).usage.monthlySpend).toBe(0);
});
