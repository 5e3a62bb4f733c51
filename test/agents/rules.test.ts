/**
 * Promise: an agent's action is checked in the order of D32, and the limits in the order of D78, exact to the unit. The
 * first fault is the answer, however many there are. Usage is the sum of the approved actions of the current UTC day
 * and month, in any order of approvals and failures. A sum in another currency is rounded up.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Policy, Usage } from '../../mocks/sandbox/domains/agents/records.ts';
import {
  type Attempt,
  changeUsage,
  countAgain,
  examine,
  freshUsage,
  usageAt,
} from '../../mocks/sandbox/domains/agents/rules.ts';
import type { Money } from '../../mocks/sandbox/payments/money.ts';
import { exchangeRate, worthOf } from '../../mocks/sandbox/payments/money.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { decimalsOf, worthIn } from '../support/expect/exactMoney.ts';
import { runs } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { fromAccount, lookUp, nobody, openPayer, payerInfo, quoteRequest, toUma } from '../support/scenes/payments.ts';

const greatest = 9_000_000_000_000_000;
const now = Date.UTC(2025, 9, 13, 9);
const wide: Policy = {
  permissions: ['CREATE_TRANSFERS'],
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 1000 },
  accountRules: [],
};

const payer = 'InternalAccount:payer';
const payee = 'ExternalAccount:payee';
const deposit = 'InternalAccount:deposit';

/** 10.00 USD from an account to a bank account, exactly the most that one action may move, unless `change` differs. */
function attempt(change: Partial<Attempt> = {}): Attempt {
  return {
    isPaused: false,
    permission: 'CREATE_TRANSFERS',
    accountIds: [payer, payee],
    sum: { currency: 'USD', amount: 1000 },
    policy: wide,
    usage: freshUsage(now),
    isApproved: false,
    ...change,
  };
}

const withPolicy = (policy: Partial<Policy>, change: Partial<Attempt> = {}): Attempt =>
  attempt({ policy: { ...wide, ...policy }, ...change });
const withLimits = (limits: Partial<Policy['spendingLimits']>, change: Partial<Attempt> = {}): Attempt =>
  withPolicy({ spendingLimits: { ...wide.spendingLimits, ...limits } }, change);
const used = (change: Partial<Usage>): Usage => ({ ...freshUsage(now), ...change });

/** A fault's code and reason as a short text. */
function verdict(one: Attempt): string {
  const said = examine(one);
  return said instanceof Problem ? [said.code, said.reason].filter(Boolean).join(' ') : said;
}

interface Trouble {
  readonly add: (to: Attempt) => Attempt;
  readonly verdict: string;
}

const limit = (to: Attempt, limits: Partial<Policy['spendingLimits']>, usage: Partial<Usage> = {}): Attempt => ({
  ...to,
  policy: { ...to.policy, spendingLimits: { ...to.policy.spendingLimits, ...limits } },
  usage: { ...to.usage, ...usage },
});

/** Everything that can be wrong, in the order of the checks. */
const troubles = {
  missing: {
    add: (to) => ({ ...to, missing: new Problem('ACCOUNT_NOT_FOUND', 'not there') }),
    verdict: 'ACCOUNT_NOT_FOUND',
  },
  paused: { add: (to) => ({ ...to, isPaused: true }), verdict: 'AGENT_PAUSED' },
  permission: { add: (to) => ({ ...to, policy: { ...to.policy, permissions: [] } }), verdict: 'FORBIDDEN' },
  unfit: { add: (to) => ({ ...to, unfit: new Problem('INVALID_CURRENCY', 'no') }), verdict: 'INVALID_CURRENCY' },
  account: {
    add: (to) => ({ ...to, policy: { ...to.policy, allowedAccountIds: [deposit] } }),
    verdict: 'POLICY_VIOLATION allowedAccountIds',
  },
  single: { add: (to) => limit(to, { perTransactionLimit: 999 }), verdict: 'POLICY_VIOLATION perTransactionLimit' },
  day: { add: (to) => limit(to, { dailyLimit: 1499 }, { dailySpend: 500 }), verdict: 'POLICY_VIOLATION dailyLimit' },
  count: {
    add: (to) => limit(to, { dailyTransactionLimit: 3 }, { dailyCount: 3 }),
    verdict: 'POLICY_VIOLATION dailyTransactionLimit',
  },
  month: {
    add: (to) => limit(to, { monthlyLimit: 5999 }, { monthlySpend: 5000 }),
    verdict: 'POLICY_VIOLATION monthlyLimit',
  },
  unsigned: {
    add: (to) => ({ ...to, unsigned: new Problem('WALLET_SIGNATURE_MISSING', 'sign it') }),
    verdict: 'WALLET_SIGNATURE_MISSING',
  },
  approval: {
    add: (to) => ({ ...to, policy: { ...to.policy, defaultExecutionMode: 'APPROVAL_REQUIRED' } }),
    verdict: 'WAIT',
  },
} satisfies Record<string, Trouble>;

type Name = keyof typeof troubles;
const order = Object.keys(troubles) as Name[];
const build = (names: readonly Name[]): Attempt =>
  names.reduce((to, name) => (troubles[name] as Trouble).add(to), attempt());

describe('the order of checks (D32)', () => {
  const rows: readonly (readonly [readonly Name[], string])[] = [
    [[], 'CARRY_OUT'],
    [['missing'], 'ACCOUNT_NOT_FOUND'],
    [['paused'], 'AGENT_PAUSED'],
    [['permission'], 'FORBIDDEN'],
    [['unfit'], 'INVALID_CURRENCY'],
    [['account'], 'POLICY_VIOLATION allowedAccountIds'],
    [['single'], 'POLICY_VIOLATION perTransactionLimit'],
    [['day'], 'POLICY_VIOLATION dailyLimit'],
    [['count'], 'POLICY_VIOLATION dailyTransactionLimit'],
    [['month'], 'POLICY_VIOLATION monthlyLimit'],
    [['unsigned'], 'WALLET_SIGNATURE_MISSING'],
    [['approval'], 'WAIT'],
    [['missing', 'paused'], 'ACCOUNT_NOT_FOUND'],
    [['paused', 'permission'], 'AGENT_PAUSED'],
    [['permission', 'unfit'], 'FORBIDDEN'],
    [['unfit', 'account'], 'INVALID_CURRENCY'],
    [['account', 'single'], 'POLICY_VIOLATION allowedAccountIds'],
    [['single', 'day'], 'POLICY_VIOLATION perTransactionLimit'],
    [['day', 'count'], 'POLICY_VIOLATION dailyLimit'],
    [['count', 'month'], 'POLICY_VIOLATION dailyTransactionLimit'],
    [['month', 'unsigned'], 'POLICY_VIOLATION monthlyLimit'],
    [['unsigned', 'approval'], 'WALLET_SIGNATURE_MISSING'],
    [['paused', 'unfit', 'unsigned'], 'AGENT_PAUSED'],
    [['unfit', 'single', 'day', 'count', 'month'], 'INVALID_CURRENCY'],
    [['single', 'day', 'count', 'month', 'approval'], 'POLICY_VIOLATION perTransactionLimit'],
    [['account', 'month', 'approval'], 'POLICY_VIOLATION allowedAccountIds'],
    [['day', 'unsigned', 'approval'], 'POLICY_VIOLATION dailyLimit'],
    [order, 'ACCOUNT_NOT_FOUND'],
    [order.slice(1), 'AGENT_PAUSED'],
  ];
  test.each(rows)('%j: %s', (names, expected) => {
    expect(verdict(build(names))).toBe(expected);
  });

  test('the first fault decides, for every set of faults', () => {
    for (let set = 0; set < 2 ** order.length; set += 1) {
      const names = order.filter((_, index) => (set & (1 << index)) !== 0);
      const first = names[0];
      expect(verdict(build(names)), names.join(' ')).toBe(first === undefined ? 'CARRY_OUT' : troubles[first].verdict);
      // An approved action needs no approval, but every other fault refuses it.
      const approved = verdict({ ...build(names), isApproved: true });
      expect(approved, names.join(' ')).toBe(
        first === undefined || first === 'approval' ? 'CARRY_OUT' : troubles[first].verdict,
      );
    }
  });

  test("an action that needs no permission is never refused for one, and one that isn't a payment has no limit and no approval", () => {
    expect(verdict(withPolicy({ permissions: [] }, { permission: null }))).toBe('CARRY_OUT');
    expect(verdict({ ...build(['single', 'day', 'count', 'month', 'approval']), sum: undefined })).toBe('CARRY_OUT');
    expect(verdict({ ...build(['account', 'single']), sum: undefined })).toBe('POLICY_VIOLATION allowedAccountIds');
  });
});

test('a UMA address or a lookup that is not there is missing, too: a pause and a permission come after it', async () => {
  const sandbox = await openSandbox();
  const { agent, accountId } = await openAgentStage(sandbox, { permissions: [] });
  const gone = await openPayer(sandbox, { USD: 0 }, { umaAddress: '$gone@pay.example' });
  const goneLookup = await lookUp(sandbox, '$gone@pay.example');
  const lookupId = await lookUp(sandbox, '$success.usd@pay.example');
  await deleteCustomer(sandbox, gone.id);
  await agent.pause(true);
  const ask = (address: string, change: object) =>
    agent.send('POST', '/quotes', { body: quoteRequest(fromAccount(accountId), toUma(address), change) });
  expectRefusal(await ask('$gone@pay.example', { lookupId: goneLookup }), 404, 'UMA_NOT_FOUND');
  const noLookup = { lookupId: nobody('Lookup'), immediatelyExecute: true };
  expectRefusal(await ask('$success.usd@pay.example', noLookup), 404, 'LOOKUP_REQUEST_NOT_FOUND');
  expectRefusal(await ask('$success.usd@pay.example', { lookupId, immediatelyExecute: true }), 403, 'AGENT_PAUSED');
  await agent.pause(false);
  expectRefusal(await ask('$success.usd@pay.example', { lookupId, immediatelyExecute: true }), 403, 'FORBIDDEN');
  await agent.changePolicy({ permissions: ['CREATE_QUOTES'], accountRestrictions: { allowedAccountIds: [] } });
  expectRefusal(await ask('$success.usd@pay.example', { lookupId, immediatelyExecute: true }), 400, 'INVALID_INPUT');
  expectRefusal(
    await ask('$success.usd@pay.example', { lookupId, senderCustomerInfo: payerInfo }),
    403,
    'POLICY_VIOLATION',
  );
});

describe('limits (D78)', () => {
  // The used amount, the limit, and the largest amount that still passes.
  test.each([
    ['perTransactionLimit', { perTransactionLimit: 700 }, {}, 700],
    ['perTransactionLimit', { perTransactionLimit: 700 }, { dailySpend: 5000, monthlySpend: 5000 }, 700],
    ['dailyLimit', { dailyLimit: 700 }, { dailySpend: 0 }, 700],
    ['dailyLimit', { dailyLimit: 700 }, { dailySpend: 699 }, 1],
    ['monthlyLimit', { monthlyLimit: 700 }, { monthlySpend: 200 }, 500],
    ['monthlyLimit', { monthlyLimit: 700, dailyLimit: 600 }, { monthlySpend: 200, dailySpend: 0 }, 500],
    ['dailyLimit', { monthlyLimit: 700, dailyLimit: 500 }, { monthlySpend: 100, dailySpend: 100 }, 400],
  ])('%s of %j with %j used: exactly at it passes, one more fails', (reason, limits, usage, most) => {
    const ask = (amount: number) => withLimits(limits, { usage: used(usage), sum: { currency: 'USD', amount } });
    expect(verdict(ask(most))).toBe('CARRY_OUT');
    expect(verdict(ask(most + 1))).toBe(`POLICY_VIOLATION ${reason}`);
  });

  test('the last permitted action of a day passes, and one more fails', () => {
    const ask = (dailyCount: number) => withLimits({ dailyTransactionLimit: 3 }, { usage: used({ dailyCount }) });
    expect([verdict(ask(2)), verdict(ask(3)), verdict(ask(4))]).toEqual([
      'CARRY_OUT',
      'POLICY_VIOLATION dailyTransactionLimit',
      'POLICY_VIOLATION dailyTransactionLimit',
    ]);
  });

  test('a limit of zero refuses every amount, and a missing limit allows every amount', () => {
    const one = { sum: { currency: 'USD', amount: 1 } };
    for (const name of ['perTransactionLimit', 'dailyLimit', 'dailyTransactionLimit', 'monthlyLimit']) {
      expect(verdict(withLimits({ [name]: 0 }, one))).toBe(`POLICY_VIOLATION ${name}`);
    }
    const most = { sum: { currency: 'USD', amount: greatest } };
    expect(verdict(withLimits({ perTransactionLimit: greatest }, most))).toBe('CARRY_OUT');
    const usage = used({ dailyCount: 1_000_000_000, dailySpend: greatest - 1, monthlySpend: greatest - 1 });
    expect(verdict(withLimits({ perTransactionLimit: greatest }, { usage, ...one }))).toBe('CARRY_OUT');
  });

  test("a refusal tells the limit, its used part, and the payment's total", () => {
    const said = examine(withLimits({ dailyLimit: 1499 }, { usage: used({ dailySpend: 500 }) }));
    expect(said).toMatchObject({ details: { limit: 1499, used: 500, amount: 1000, currency: 'USD' } });
  });
});

describe('rules of accounts (D78)', () => {
  const at = (amount: number, accountRules: Policy['accountRules'], change: Partial<Policy> = {}) =>
    verdict(withPolicy({ accountRules, ...change }, { sum: { currency: 'USD', amount } }));
  const ofRule = 'POLICY_VIOLATION accountRules.perTransactionLimit';

  test.each([
    ['of the source, lower', [{ accountId: payer, perTransactionLimit: 400 }], 400],
    ['of the source, higher', [{ accountId: payer, perTransactionLimit: 5000 }], 5000],
    ['of the destination, lower', [{ accountId: payee, perTransactionLimit: 400 }], 400],
    ['of the destination, higher', [{ accountId: payee, perTransactionLimit: 5000 }], 5000],
    [
      'the lower of two',
      [
        { accountId: payer, perTransactionLimit: 2000 },
        { accountId: payee, perTransactionLimit: 3000 },
      ],
      2000,
    ],
    [
      'the lower of two, the other way round',
      [
        { accountId: payer, perTransactionLimit: 300 },
        { accountId: payee, perTransactionLimit: 200 },
      ],
      200,
    ],
  ])("a limit %s replaces the policy's", (_what, rules, most) => {
    expect([at(most, rules), at(most + 1, rules)]).toEqual(['CARRY_OUT', ofRule]);
  });

  test('a rule of another account, or one about something else, leaves the policy as it is', () => {
    const rules: Policy['accountRules'] = [
      { accountId: 'other', perTransactionLimit: 1 },
      { accountId: payer, executionMode: 'AUTO' },
    ];
    expect([at(1000, rules), at(1001, rules)]).toEqual(['CARRY_OUT', 'POLICY_VIOLATION perTransactionLimit']);
  });

  test.each([
    ['AUTO', undefined, undefined, 'CARRY_OUT'],
    ['APPROVAL_REQUIRED', undefined, undefined, 'WAIT'],
    ['APPROVAL_REQUIRED', 'AUTO', undefined, 'CARRY_OUT'],
    ['APPROVAL_REQUIRED', undefined, 'AUTO', 'CARRY_OUT'],
    ['AUTO', 'APPROVAL_REQUIRED', undefined, 'WAIT'],
    ['AUTO', undefined, 'APPROVAL_REQUIRED', 'WAIT'],
    ['APPROVAL_REQUIRED', 'AUTO', 'AUTO', 'CARRY_OUT'],
    ['AUTO', 'AUTO', 'APPROVAL_REQUIRED', 'WAIT'],
    ['AUTO', 'APPROVAL_REQUIRED', 'AUTO', 'WAIT'],
    ['AUTO', 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED', 'WAIT'],
  ] as const)('default %s, source %s, destination %s: %s', (defaultExecutionMode, source, destination, expected) => {
    const rules = [
      { accountId: 'other', executionMode: 'APPROVAL_REQUIRED' as const },
      ...(source === undefined ? [] : [{ accountId: payer, executionMode: source }]),
      ...(destination === undefined ? [] : [{ accountId: payee, executionMode: destination }]),
    ];
    expect(at(1000, rules, { defaultExecutionMode })).toBe(expected);
  });

  test.each([
    ['both', [deposit, payer], [payer, deposit], 'CARRY_OUT'],
    ['the source alone', [payer], [payer, deposit], 'POLICY_VIOLATION allowedAccountIds'],
    ['the destination alone', [deposit], [payer, deposit], 'POLICY_VIOLATION allowedAccountIds'],
    ['none', [], [payer, deposit], 'POLICY_VIOLATION allowedAccountIds'],
    ['the source, and an external account is paid', [payer], [payer, payee], 'CARRY_OUT'],
    ['none, and an external account is paid', [], [payer, payee], 'POLICY_VIOLATION allowedAccountIds'],
    ['the destination, and an external account pays', [deposit], [payee, deposit], 'CARRY_OUT'],
    ['another, and an external account pays', [payer], [payee, deposit], 'POLICY_VIOLATION allowedAccountIds'],
    ['the source, and a UMA address is paid', [payer], [payer], 'CARRY_OUT'],
    ['none, and a UMA address is paid', [], [payer], 'POLICY_VIOLATION allowedAccountIds'],
    ['nothing in particular', undefined, [payer, deposit], 'CARRY_OUT'],
    ['the destination, and the money is from outside', [deposit], [deposit], 'CARRY_OUT'],
  ])('allowed is %s', (_what, allowedAccountIds, accountIds, expected) => {
    expect(verdict(withPolicy({ allowedAccountIds }, { accountIds }))).toBe(expected);
  });

  test('a refusal names the account that is not allowed, and a rule allows none', () => {
    const accountRules = [{ accountId: deposit, perTransactionLimit: 5000 }];
    const refused = examine(withPolicy({ allowedAccountIds: [payer], accountRules }, { accountIds: [payer, deposit] }));
    expect(refused).toMatchObject({ details: { accountId: deposit } });
  });
});

describe('currencies (D78)', () => {
  // Fixed rates: 1 USD = 1 USDB = 0.860585197935 EUR; 1 JPY = 0.0066 USD; 1 BTC = 64,000 USD.
  test.each([
    [{ currency: 'EUR', amount: 1000 }, 'USD', 1162],
    [{ currency: 'EUR', amount: 1 }, 'USD', 2],
    [{ currency: 'USDB', amount: 1 }, 'USD', 1],
    [{ currency: 'USDB', amount: 10_000 }, 'USD', 1],
    [{ currency: 'USDB', amount: 10_001 }, 'USD', 2],
    [{ currency: 'USD', amount: 1 }, 'USDB', 10_000],
    [{ currency: 'BTC', amount: 1 }, 'USD', 1],
    [{ currency: 'BTC', amount: 100_000_000 }, 'USD', 6_400_000],
    [{ currency: 'USD', amount: 66 }, 'JPY', 100],
    [{ currency: 'USD', amount: 67 }, 'JPY', 102],
    [{ currency: 'USD', amount: greatest }, 'USD', greatest],
  ])('%j is %s %i, rounded up', (sum, currency, worth) => {
    expect([worthOf(sum, currency), exactWorth(sum, currency)]).toEqual([BigInt(worth), BigInt(worth)]);
  });

  test('a sum in another currency is limited by what it is worth, its fraction counted in full', () => {
    // 8.60 EUR are 9.9932 USD, 8.61 EUR are 10.00482.
    const ask = (amount: number) => verdict(attempt({ sum: { currency: 'EUR', amount } }));
    expect([ask(860), ask(861)]).toEqual(['CARRY_OUT', 'POLICY_VIOLATION perTransactionLimit']);
    const worth = Number(exactWorth({ currency: 'EUR', amount: 860 }, 'USD'));
    expect(worth).toBe(1000);
  });

  test.each([
    ['USD', 1000, 1000],
    ['EUR', 860, 999],
    ['USDB', 10_000_000, 1000],
    ['JPY', 1515, 999],
  ])('a threshold in %s is compared there: exactly it passes, one unit above waits', (currency, amount, most) => {
    const ask = (sum: Money) => verdict(withPolicy({ approvalThresholds: { currency, amount } }, { sum }));
    expect(ask({ currency: 'USD', amount: most })).toBe('CARRY_OUT');
    if (most < 1000) expect(ask({ currency: 'USD', amount: most + 1 })).toBe('WAIT');
    expect(ask({ currency, amount })).toBe('CARRY_OUT');
    const above = withPolicy({ approvalThresholds: { currency, amount } }, { sum: { currency, amount: amount + 1 } });
    expect(
      verdict({ ...above, policy: { ...above.policy, spendingLimits: { currency, perTransactionLimit: greatest } } }),
    ).toBe('WAIT');
  });

  test('a threshold of zero makes every payment wait, and AUTO of an account does not lift a threshold', () => {
    const approvalThresholds = { currency: 'EUR', amount: 0 };
    const accountRules = [{ accountId: payer, executionMode: 'AUTO' as const }];
    expect(verdict(withPolicy({ approvalThresholds, accountRules }, { sum: { currency: 'USD', amount: 1 } }))).toBe(
      'WAIT',
    );
  });

  test("a sum whose value can't be expressed exceeds every limit", () => {
    const sum = { currency: 'BTC', amount: greatest };
    expect(verdict(withLimits({ currency: 'VND', perTransactionLimit: greatest }, { sum }))).toBe(
      'POLICY_VIOLATION perTransactionLimit',
    );
  });
});

/** The value of a sum by independent arithmetic, at the printed rate. */
function exactWorth({ currency, amount }: Money, into: string): bigint {
  const of = (code: string) => ({ code, decimals: decimalsOf[code] ?? Number.NaN });
  return worthIn(BigInt(amount), of(currency), of(into), String(exchangeRate(currency, into)));
}

const codes = fc.constantFrom(...Object.keys(decimalsOf).sort());
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }),
  fc.integer({ min: 1, max: greatest }),
  fc.constantFrom(1, greatest),
);
const sums = fc.record({ currency: codes, amount: amounts });
/** Sums so small that hundreds fit into every currency. */
const smallSums = fc.record({
  currency: fc.constantFrom('USD', 'EUR', 'JPY', 'USDB', 'INR'),
  amount: fc.nat(1_000_000),
});
const moments = fc.integer({ min: Date.UTC(2025, 9, 30), max: Date.UTC(2025, 10, 3) });

describe('properties', () => {
  test('the value of a sum is the exact result, rounded up to a whole number', () => {
    fc.assert(
      fc.property(sums, codes, (sum, into) => {
        expect(worthOf(sum, into)).toBe(exactWorth(sum, into));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('usage is the sum of what counts today and this month, after any counts and give-backs', () => {
    const event = fc.record({
      sum: smallSums,
      wait: fc.integer({ min: 0, max: 30 * 3_600_000 }),
      back: fc.option(fc.nat()),
    });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.constantFrom('USD', 'EUR', 'JPY', 'USDB'),
        moments,
        (events, currency, start) => {
          let at = start;
          let usage = freshUsage(at);
          let counted: { readonly sum: Money; readonly countedAt: number }[] = [];
          for (const { sum, wait, back } of events) {
            at += wait;
            usage = changeUsage(usageAt(usage, at), sum, at, currency, 1);
            counted.push({ sum, countedAt: at });
            if (back !== null) {
              const one = counted[back % counted.length];
              if (one === undefined) continue;
              // Like a transaction that fails later, on whatever day.
              usage = changeUsage(usage, one.sum, one.countedAt, currency, -1);
              counted = counted.filter((other) => other !== one);
            }
            expect(usageAt(usage, at)).toEqual(sumOf(counted, currency, at));
            const later = at + 86_400_000;
            expect(usageAt(usage, later)).toEqual(sumOf(counted, currency, later));
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('usage counts exactly the actions of the same UTC day and month', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 0, max: 70 * 86_400_000 }), (at, wait) => {
        const usage: Usage = { ...freshUsage(at), dailyCount: 2, dailySpend: 30, monthlySpend: 400 };
        const [then, later] = [at, at + wait].map((one) => new Date(one).toISOString()) as [string, string];
        const isSameDay = then.slice(0, 10) === later.slice(0, 10);
        expect(usageAt(usage, at + wait)).toEqual({
          day: later.slice(0, 10),
          month: later.slice(0, 7),
          dailyCount: isSameDay ? 2 : 0,
          dailySpend: isSameDay ? 30 : 0,
          monthlySpend: then.slice(0, 7) === later.slice(0, 7) ? 400 : 0,
        });
      }),
    );
  });

  test('in another currency, the usage of a month is the sum of its converted actions', () => {
    const actions = fc.array(
      fc.record({ sum: smallSums, countedAt: fc.integer({ min: Date.UTC(2025, 9, 1), max: now }) }),
    );
    fc.assert(
      fc.property(actions, fc.constantFrom('USD', 'EUR', 'JPY', 'USDB'), (counted, currency) => {
        expect(countAgain(counted, currency, now)).toEqual(sumOf(counted, currency, now));
      }),
    );
  });
});

/** The usage at a time, from a list of actions. */
function sumOf(
  counted: readonly { readonly sum: Money; readonly countedAt: number }[],
  currency: string,
  at: number,
): Usage {
  const iso = new Date(at).toISOString();
  const within = (period: string) =>
    counted.filter(({ countedAt }) => new Date(countedAt).toISOString().startsWith(period));
  const total = (some: typeof counted) => Number(some.reduce((all, { sum }) => all + exactWorth(sum, currency), 0n));
  const today = within(iso.slice(0, 10));
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    dailyCount: today.length,
    dailySpend: total(today),
    monthlySpend: total(within(iso.slice(0, 7))),
  };
}

test("a month whose sum can't be expressed in the new currency is refused (D08)", () => {
  const counted = [{ sum: { currency: 'BTC', amount: 100_000_000_000 }, countedAt: now }];
  expect(() => countAgain(counted, 'VND', now)).not.toThrow();
  const many = Array.from({ length: 6000 }, () => counted).flat();
  expect(() => countAgain(many, 'VND', now)).toThrow(expect.objectContaining({ code: 'AMOUNT_OUT_OF_RANGE' }));
});
