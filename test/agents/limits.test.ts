/**
 * Promise: an agent's limits are exact to the unit, by the platform's clock, in every currency and for any number of
 * simultaneous requests. Days and months begin at midnight UTC. The amount of a failed action is given back to the day
 * that counted it (D78).
 */
import { describe, expect, test } from 'vitest';
import type { AgentAction } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { decimalsOf, worthIn } from '../support/expect/exactMoney.ts';
import { randomFrom } from '../support/requests/random.ts';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { type AgentStage, openAgent, openAgentStage, type TestAgent } from '../support/scenes/agents.ts';
import { ownerAddress } from '../support/scenes/businesses.ts';
import { mustAdd, person, usdRequest } from '../support/scenes/externalAccounts.ts';
import { fromAccount, fund, openPayer, quoteRequest, toAccount } from '../support/scenes/payments.ts';
import { expectSound } from '../support/scenes/transfers.ts';

const hour = 3600;
const day = 24 * hour;
/** Tests begin on 13 October at 9:00. The time until midnight, and until 1 November. */
const untilMidnight = 15 * hour;
const untilNovember = 18 * day + untilMidnight;

const limits = (change: object) => ({ spendingLimits: { currency: 'USD', perTransactionLimit: 100_000, ...change } });

async function open(policy: object, suffix?: string): Promise<AgentStage & { readonly sandbox: TestSandbox }> {
  const sandbox = await openSandbox();
  return { sandbox, ...(await openAgentStage(sandbox, policy, suffix)) };
}

function expectViolation(answer: Answer, reason: string): void {
  expect(expectRefusal(answer, 403, 'POLICY_VIOLATION').reason).toBe(reason);
}

const usageOf = async (agent: TestAgent) => (await agent.look()).usage;

describe('a new day and a new month', () => {
  test.each([
    ['dailyLimit', { dailyLimit: 2500 }, untilMidnight],
    ['dailyTransactionLimit', { dailyTransactionLimit: 1 }, untilMidnight],
    ['monthlyLimit', { monthlyLimit: 2500 }, untilNovember],
  ])('%s is free again at midnight UTC, and not a second before', async (reason, change, until) => {
    const { sandbox, act, transferOut } = await open(limits(change));
    expect((await act(2500)).status).toBe('APPROVED');
    expectViolation(await transferOut(1), reason);
    await sandbox.advance(until - 1);
    expectViolation(await transferOut(1), reason);
    await sandbox.advance(1);
    expect((await act(2500)).status).toBe('APPROVED');
    expectViolation(await transferOut(1), reason);
  });

  test('usage says at which day and month it starts again, and does so by itself', async () => {
    const { sandbox, act, agent } = await open(limits({}));
    await act(2500);
    await act(1000);
    const october = { dailyResetDate: '2025-10-14', monthlyResetMonth: '2025-11' };
    expect(await usageOf(agent)).toEqual({
      dailyTransactionCount: 2,
      dailySpend: 3500,
      monthlySpend: 3500,
      ...october,
    });
    await sandbox.advance(untilMidnight);
    const nextDay = { dailyTransactionCount: 0, dailySpend: 0, dailyResetDate: '2025-10-15' };
    expect(await usageOf(agent)).toEqual({ ...nextDay, monthlySpend: 3500, monthlyResetMonth: '2025-11' });
    await act(200);
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 200, monthlySpend: 3700 });
    await sandbox.advance(untilNovember - untilMidnight);
    const nextMonth = { dailyTransactionCount: 0, dailySpend: 0, dailyResetDate: '2025-11-02' };
    expect(await usageOf(agent)).toEqual({ ...nextMonth, monthlySpend: 0, monthlyResetMonth: '2025-12' });
    // The agent's own view of itself, and the list.
    const { body: self } = await agent.send('GET', '');
    const { body: list } = await sandbox.send('GET', '/agents');
    const listed = list.data.find(({ id }: { id: string }) => id === agent.id);
    expect([self.usage, listed.usage]).toEqual([await usageOf(agent), await usageOf(agent)]);
  });

  test('an action counts on the day when it is approved, not on the one when it was asked for', async () => {
    const { sandbox, act, transferOut, answer, agent } = await open({
      ...limits({ dailyLimit: 2500 }),
      defaultExecutionMode: 'APPROVAL_REQUIRED',
    });
    const action = await act(2500);
    await sandbox.advance(untilMidnight);
    expect((await answer(action, 'approve')).body.status).toBe('APPROVED');
    expect(await usageOf(agent)).toMatchObject({
      dailyTransactionCount: 1,
      dailySpend: 2500,
      dailyResetDate: '2025-10-15',
    });
    expectViolation(await transferOut(1), 'dailyLimit');
  });
});

describe('what fails is given back', () => {
  test('on the same day the limit is free again', async () => {
    const { sandbox, act, transferOut, agent } = await open(
      limits({ dailyLimit: 2500, dailyTransactionLimit: 1, monthlyLimit: 2500 }),
      '005',
    );
    await act(2500);
    expectViolation(await transferOut(1), 'dailyLimit');
    await sandbox.advance(30);
    const free = { dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 };
    expect(await usageOf(agent)).toMatchObject(free);
    expect((await act(2500)).status).toBe('APPROVED');
  });

  test.each([
    ['the day', untilMidnight, 1000, '2025-10-15'],
    ['the month', untilNovember, 1000, '2025-11-02'],
  ])(
    'approved before the end of %s and failed after it: what is counted now stays',
    async (_what, until, now, date) => {
      const { sandbox, act, agent, customerId } = await open(limits({}), '005');
      const good = await mustAdd(sandbox, usdRequest('123456888', { customerId }));
      await sandbox.advance(until - 10);
      await act(2500);
      await act(40, { destinationId: good.id });
      await sandbox.advance(10);
      await act(now, { destinationId: good.id });
      const before = await usageOf(agent);
      expect(before).toMatchObject({ dailyTransactionCount: 1, dailySpend: now, dailyResetDate: date });
      await sandbox.advance(20);
      const isSameMonth = date.startsWith('2025-10');
      expect(await usageOf(agent)).toEqual({ ...before, monthlySpend: isSameMonth ? now + 40 : now });
    },
  );

  test('failed after midnight before anything else was counted: nothing goes below zero', async () => {
    const { sandbox, act, agent } = await open(limits({}), '005');
    await sandbox.advance(untilNovember - 10);
    await act(2500);
    await sandbox.advance(30);
    expect(await usageOf(agent)).toEqual({
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: '2025-11-02',
      monthlySpend: 0,
      monthlyResetMonth: '2025-12',
    });
  });

  test('an action that fails at once never counts', async () => {
    const { act, agent } = await open(limits({ dailyTransactionLimit: 1 }), '003');
    for (const _ of [1, 2, 3]) expect((await act(1000)).status).toBe('FAILED');
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 });
  });
});

describe('waiting actions', () => {
  const asks = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

  test.each([
    ['dailyLimit', { dailyLimit: 3000 }],
    ['monthlyLimit', { monthlyLimit: 3000 }],
    ['dailyTransactionLimit', { dailyTransactionLimit: 1 }],
  ])('reserve nothing, and %s is examined again at the approval', async (_name, change) => {
    const { act, answer, agent, balance } = await open({ ...limits(change), ...asks });
    const [first, second] = [await act(2000), await act(2000)];
    expect([first.status, second.status]).toEqual(['PENDING_APPROVAL', 'PENDING_APPROVAL']);
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 });
    // A later action may be approved first, because there is no queue.
    expect((await answer(second, 'approve')).body.status).toBe('APPROVED');
    expect((await answer(first, 'approve')).body.status).toBe('FAILED');
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 2000, monthlySpend: 2000 });
    expect(await balance()).toBe(98_000);
  });

  test('one that is rejected, and one that failed at its approval, leave the limit to others', async () => {
    const { act, answer } = await open({ ...limits({ dailyLimit: 2000, dailyTransactionLimit: 1 }), ...asks });
    const [one, two, three] = [await act(2000), await act(2000), await act(2000)];
    expect((await answer(one, 'reject')).body.status).toBe('REJECTED');
    expect((await answer(two, 'approve')).body.status).toBe('APPROVED');
    expect((await answer(three, 'approve')).body.status).toBe('FAILED');
  });
});

describe('a changed policy', () => {
  test('holds from the next request on, and does not undo what was approved', async () => {
    const { act, transferOut, agent, balance } = await open(limits({ dailyLimit: 5000 }));
    await act(4000);
    await agent.changePolicy({ spendingLimits: { dailyLimit: 3000 } });
    expect(await usageOf(agent)).toMatchObject({ dailySpend: 4000 });
    expectViolation(await transferOut(1), 'dailyLimit');
    await agent.changePolicy({ spendingLimits: { dailyLimit: 4001 } });
    await act(1);
    expectViolation(await transferOut(1), 'dailyLimit');
    await agent.changePolicy({ spendingLimits: { dailyLimit: null } });
    await act(50_000);
    expect(await balance()).toBe(45_999);
  });

  test('in another currency the limits keep their numbers, and usage is counted again, there and back', async () => {
    const { sandbox, act, transferOut, agent } = await open(limits({ dailyLimit: 5000 }));
    await act(1000);
    await sandbox.advance(untilMidnight);
    await act(1000);
    await act(1);
    const before = await usageOf(agent);
    const { policy, usage } = await agent.changePolicy({ spendingLimits: { currency: 'EUR' } });
    expect(policy.spendingLimits).toEqual({ currency: 'EUR', perTransactionLimit: 100_000, dailyLimit: 5000 });
    // 10.00 USD are 8.6058… EUR, and one cent is a bit less than one euro cent. Each action is rounded up separately.
    expect(usage).toMatchObject({ dailyTransactionCount: 2, dailySpend: 861 + 1, monthlySpend: 861 + 861 + 1 });
    // 48.08 USD are 41.377 EUR, 48.09 USD are 41.386. With the used 8.62 that makes 50.00 and 50.01.
    expectViolation(await transferOut(4809), 'dailyLimit');
    await agent.changePolicy({ spendingLimits: { currency: 'USD' } });
    expect(await usageOf(agent)).toEqual(before);
  });
});

/** A customer with money in several currencies, an agent, and an external account for each currency. */
async function openCurrencies(policy: object) {
  const sandbox = await openSandbox();
  const payer = await openPayer(sandbox, { EUR: 1_000_000, USD: 1_000_000 });
  const customerId = payer.id;
  const iban = {
    accountType: 'EUR_ACCOUNT',
    iban: 'DE89370400440532013111',
    beneficiary: { ...person, address: ownerAddress },
  };
  const euros = (await mustAdd(sandbox, { customerId, currency: 'EUR', accountInfo: iban })).id;
  const dollars = (await mustAdd(sandbox, usdRequest('123456777', { customerId }))).id;
  const agent = await openAgent(sandbox, customerId, policy);
  const outside: Readonly<Record<string, string>> = { EUR: euros, USD: dollars };
  const transfer = (path: '/transfer-out' | '/transfer-in', currency: string, amount: number) => {
    const [inside, out] = [{ accountId: payer.account(currency) }, { accountId: outside[currency] }];
    const [source, destination] = path === '/transfer-out' ? [inside, out] : [out, inside];
    return agent.send('POST', path, { body: { source, destination, amount } });
  };
  return { sandbox, payer, agent, outside, transfer };
}

describe('other currencies', () => {
  test('an account in euros under limits in dollars', async () => {
    const { agent, transfer } = await openCurrencies(limits({ perTransactionLimit: 1000, dailyLimit: 1001 }));
    // 8.60 EUR are 9.9932 USD and count as 10.00; 8.61 EUR are 10.0048 USD.
    const refused = await transfer('/transfer-out', 'EUR', 861);
    expectViolation(refused, 'perTransactionLimit');
    expect(refused.body.details).toEqual({ limit: 1000, used: 0, amount: 1001, currency: 'USD' });
    expect((await transfer('/transfer-out', 'EUR', 860)).body.status).toBe('APPROVED');
    expect(await usageOf(agent)).toMatchObject({ dailySpend: 1000, monthlySpend: 1000 });
    // A euro cent is worth more than one dollar cent, so it exceeds the rest. A dollar cent doesn't.
    expectViolation(await transfer('/transfer-out', 'EUR', 1), 'dailyLimit');
    expect((await transfer('/transfer-out', 'USD', 1)).body.status).toBe('APPROVED');
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 2, dailySpend: 1001 });
  });

  test('a transfer in counts with what arrives', async () => {
    const { agent, transfer } = await openCurrencies(limits({ dailyLimit: 1162 }));
    expect((await transfer('/transfer-in', 'EUR', 1000)).body.status).toBe('APPROVED');
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 1162 });
    expectViolation(await transfer('/transfer-in', 'USD', 1), 'dailyLimit');
  });

  test('a quote counts with what its source is debited, the fee included', async () => {
    const { agent, payer, outside } = await openCurrencies(limits({ perTransactionLimit: 1162 }));
    const ask = async (change: object) => {
      const body = quoteRequest(fromAccount(payer.account('EUR')), toAccount(outside['USD'] ?? ''), change);
      const quote = await agent.send('POST', '/quotes', { body });
      expect(quote.status).toBe(201);
      return { quote: quote.body, answer: await agent.send('POST', `/quotes/${quote.body.id}/execute`) };
    };
    const { answer } = await ask({ lockedCurrencyAmount: 1000 });
    expect(answer.body.status).toBe('APPROVED');
    expect(await usageOf(agent)).toMatchObject({ dailySpend: 1162 });
    // For 11.57 USD to arrive, more than 10.00 EUR must be sent.
    const above = await ask({ lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount: 1157 });
    expect(above.quote.totalSendingAmount).toBeGreaterThan(1000);
    expectViolation(above.answer, 'perTransactionLimit');
  });

  test('case 98: usage is whole numbers and the sum of the actions, whatever their currencies and outcomes', async () => {
    const { sandbox, agent, transfer } = await openCurrencies({
      ...limits({ perTransactionLimit: 1_000_000 }),
      approvalThresholds: { currency: 'EUR', amount: 20_000 },
    });
    const rates = {
      'USD USD': '1',
      'EUR USD': await rateOf(sandbox, 'EUR', 'USD'),
      'USD EUR': await rateOf(sandbox, 'USD', 'EUR'),
      'EUR EUR': '1',
    };
    const random = randomFrom(98);
    for (let index = 0; index < 60; index += 1) {
      const path = random.pick(['/transfer-out', '/transfer-out', '/transfer-in'] as const);
      const answer = await transfer(path, random.pick(['EUR', 'USD']), random.amount(50_000));
      expect(answer.status).toBe(201);
      if (answer.body.status === 'PENDING_APPROVAL' && random.chance(0.7)) {
        const verdict = random.pick(['approve', 'approve', 'reject']);
        must(await sandbox.send('POST', `/agents/${agent.id}/actions/${answer.body.id}/${verdict}`));
      }
      if (index === 40) await agent.changePolicy({ spendingLimits: { currency: 'EUR' } });
    }
    const { body: list } = await agent.send('GET', '/actions?limit=100');
    const actions: AgentAction[] = list.data;
    const approved = actions.filter(({ status }) => status === 'APPROVED');
    expect(approved.length).toBeGreaterThan(30);
    expect(approved.length).toBeLessThan(60);
    const worth = (action: AgentAction, into: 'USD' | 'EUR'): bigint => {
      if (action.type === 'EXECUTE_QUOTE') throw new Error('Nobody made a quote');
      const { amount, currency } = action.transferDetails;
      const money = (code: string) => ({ code, decimals: decimalsOf[code] ?? Number.NaN });
      return worthIn(BigInt(amount), money(currency), money(into), rates[`${currency} ${into}` as keyof typeof rates]);
    };
    const total = (into: 'USD' | 'EUR') => Number(approved.reduce((sum, action) => sum + worth(action, into), 0n));
    for (const currency of ['EUR', 'USD'] as const) {
      await agent.changePolicy({ spendingLimits: { currency } });
      const usage = await usageOf(agent);
      expect(usage).toMatchObject({
        dailyTransactionCount: approved.length,
        dailySpend: total(currency),
        monthlySpend: total(currency),
      });
      expect([usage.dailySpend, usage.monthlySpend].every(Number.isSafeInteger)).toBe(true);
    }
    await expectSound(sandbox);
  });
});

async function rateOf(sandbox: TestSandbox, source: string, destination: string): Promise<string> {
  const { body } = await sandbox.send(
    'GET',
    `/exchange-rates?sourceCurrency=${source}&destinationCurrency=${destination}`,
  );
  return String(body.data[0].exchangeRate);
}

describe('many at once', () => {
  test.each([
    ['dailyLimit', { dailyLimit: 4500 }, 4],
    ['dailyTransactionLimit', { dailyTransactionLimit: 3 }, 3],
    ['monthlyLimit', { monthlyLimit: 5000 }, 5],
  ])('transfers that together pass %s: exactly as many pass as fit', async (reason, change, fit) => {
    const { transferOut, agent, balance, sandbox } = await open(limits(change));
    const answers = await Promise.all(Array.from({ length: 12 }, () => transferOut(1000)));
    const passed = answers.filter(({ status }) => status === 201);
    expect(passed.map(({ body }) => body.status)).toEqual(Array(fit).fill('APPROVED'));
    for (const answer of answers.filter((one) => !passed.includes(one))) expectViolation(answer, reason);
    expect(await balance()).toBe(100_000 - fit * 1000);
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: fit, dailySpend: fit * 1000 });
    await expectSound(sandbox);
  });

  test('approvals that together pass a limit, and each of them twice: exactly as many pass as fit, once each', async () => {
    const { act, answer, agent, balance } = await open({
      ...limits({ dailyLimit: 3500 }),
      defaultExecutionMode: 'APPROVAL_REQUIRED',
    });
    const waiting: AgentAction[] = [];
    for (let index = 0; index < 6; index += 1) waiting.push(await act(1000));
    const answers = await Promise.all([...waiting, ...waiting].map((action) => answer(action, 'approve')));
    const statuses = answers.map(({ status, body }) => (status === 200 ? body.status : body.code)).sort();
    expect(statuses).toEqual([
      ...Array(6).fill('ACTION_NOT_PENDING'),
      ...Array(3).fill('APPROVED'),
      ...Array(3).fill('FAILED'),
    ]);
    expect(await balance()).toBe(97_000);
    expect(await usageOf(agent)).toMatchObject({ dailyTransactionCount: 3, dailySpend: 3000 });
  });

  test('transfers of two agents of one customer: each has its own limits, the account is one', async () => {
    const { sandbox, transferOut, customerId, accountId, bankId, balance } = await open(limits({ dailyLimit: 60_000 }));
    const other = await openAgent(sandbox, customerId, limits({ dailyLimit: 60_000 }));
    await fund(sandbox, accountId, 20_000);
    const body = { source: { accountId }, destination: { accountId: bankId }, amount: 30_000 };
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => transferOut(30_000)),
      ...[1, 2, 3].map(() => other.send('POST', '/transfer-out', { body })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 403, 403]);
    expect(await balance()).toBe(0);
  });
});
