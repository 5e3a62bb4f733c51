/**
 * Promise: the table for a payment's identifier decides what happens to the payment and its money. That holds just
 * before something is due, when it is due and just after, whether or not anybody read it in between (D28, D30, D31,
 * D70).
 */
import { describe, expect, it } from 'vitest';
import type { OutgoingTransaction, Quote } from '../../generated/types.ts';
import type { TestSandbox } from '../support/sandbox/harness.ts';
import {
  at,
  bankAccount,
  books,
  execute,
  fromAccount,
  mustQuote,
  mustQuoteUma,
  openBooks,
  openPayer,
  readQuote,
  readTransaction,
  toAccount,
} from '../support/scenes/payments.ts';
import { listTransactions } from '../support/scenes/transfers.ts';

type Books = Readonly<Record<string, number>>;

/** The expected state from a time after execution on, in seconds, until the next phase. */
interface Phase {
  readonly from: number;
  readonly status: Quote['status'];
  readonly failureReason?: OutgoingTransaction['failureReason'];
  readonly refund?: readonly [status: 'COMPLETED' | 'FAILED', reason: string];
  readonly settledAt?: number;
  readonly money: 'unmoved' | 'held' | 'paid' | 'kept';
}

interface Scenario {
  readonly quote: Quote;
  /** The ledger for each state of the money. */
  readonly money: Readonly<Record<Phase['money'], Books>>;
}

const compact = (all: Books): Books => Object.fromEntries(Object.entries(all).filter(([, amount]) => amount !== 0));

// Of 10 000 euro cents, 50 are the fee and 9950 are converted: at 1.162 dollars, 11 561.9 cents.
const conversion = { fee: 50, given: 9950, received: 11_561 };

/** From a euro account with 100 000 to a receiver outside who gets dollars. */
function outward(quote: Quote, source: string, place: string): Scenario {
  const funded = { 'World:EUR:SANDBOX': -100_000, [source]: 100_000 };
  const left = { ...funded, [source]: 90_000 };
  const { fee, given, received } = conversion;
  return {
    quote,
    money: {
      unmoved: funded,
      held: { ...left, 'Held:EUR': 10_000 },
      paid: {
        ...left,
        'Fees:EUR': fee,
        'World:EUR:EXCHANGE': given,
        'World:USD:EXCHANGE': -received,
        [place]: received,
      },
      kept: { ...left, 'Kept:EUR': 10_000 },
    },
  };
}

/** To a bank account whose number ends with the suffix. */
const toBank =
  (suffix: string) =>
  async (sandbox: TestSandbox): Promise<Scenario> => {
    const payer = await openPayer(sandbox);
    const bank = await bankAccount(sandbox, suffix);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(bank));
    return outward(quote, payer.account('EUR'), 'World:USD:ACH');
  };

/** To one of the sandbox's receivers. */
const toReceiver =
  (name: string) =>
  async (sandbox: TestSandbox): Promise<Scenario> => {
    const payer = await openPayer(sandbox);
    const quote = await mustQuoteUma(sandbox, fromAccount(payer.account('EUR')), `${name}@pay.example`);
    return outward(quote, payer.account('EUR'), 'World:USD:UMA');
  };

/** Pulls from a bank account whose number ends with the suffix into an empty account in the same currency. */
const pull =
  (suffix: string) =>
  async (sandbox: TestSandbox): Promise<Scenario> => {
    const payer = await openPayer(sandbox, { USD: 0 });
    const bank = await bankAccount(sandbox, suffix, payer.id);
    const quote = await mustQuote(sandbox, fromAccount(bank), toAccount(payer.account('USD')));
    const out = { 'World:USD:ACH': -10_000 };
    return {
      quote,
      money: {
        unmoved: {},
        held: { ...out, 'Held:USD': 10_000 },
        paid: { ...out, [payer.account('USD')]: 10_000 },
        kept: { ...out, 'Kept:USD': 10_000 },
      },
    };
  };

/** Pulls from one bank account and pays to another, each with its own suffix. */
const pullAndPay =
  (from: string, to: string) =>
  async (sandbox: TestSandbox): Promise<Scenario> => {
    const quote = await mustQuote(
      sandbox,
      fromAccount(await bankAccount(sandbox, from)),
      toAccount(await bankAccount(sandbox, to, undefined, '654321'), { paymentRail: 'WIRE' }),
    );
    const out = { 'World:USD:ACH': -10_000 };
    return {
      quote,
      money: {
        unmoved: {},
        held: { ...out, 'Held:USD': 10_000 },
        paid: { ...out, 'World:USD:WIRE': 10_000 },
        kept: { ...out, 'Kept:USD': 10_000 },
      },
    };
  };

const paid: Phase = { from: 0, status: 'COMPLETED', settledAt: 0, money: 'paid' };
const failed = (failureReason: Phase['failureReason'], more: Partial<Phase> = {}): Phase => ({
  from: 0,
  status: 'FAILED',
  failureReason,
  money: 'unmoved',
  ...more,
});
const underWay: Phase = { from: 0, status: 'PROCESSING', money: 'held' };
const slow: readonly Phase[] = [underWay, { ...paid, from: 360, settledAt: 360 }];
const back = ['COMPLETED', 'TRANSACTION_FAILED'] as const;
const postTx = 'COUNTERPARTY_POST_TX_FAILED';
const returned: readonly Phase[] = [paid, failed(postTx, { from: 30, refund: back, settledAt: 0 })];
const lost = failed(postTx, { refund: ['FAILED', 'TRANSACTION_FAILED'], money: 'kept' });
const cancelled = failed('QUOTE_EXECUTION_FAILED', { refund: ['COMPLETED', 'USER_CANCELLATION'] });

const rows: [string, (sandbox: TestSandbox) => Promise<Scenario>, readonly Phase[]][] = [
  ['to a bank account ending in 001', toBank('001'), [paid]],
  ['to a bank account ending in 002', toBank('002'), [failed('QUOTE_EXECUTION_FAILED')]],
  ['to a bank account ending in 003', toBank('003'), slow],
  ['to a bank account ending in 004', toBank('004'), [failed(postTx, { refund: back })]],
  ['to a bank account ending in 005', toBank('005'), returned],
  ['to a bank account ending in 006', toBank('006'), [cancelled]],
  ['to a bank account ending in 007', toBank('007'), [lost]],
  ['to a bank account ending in 008', toBank('008'), [paid]],
  ['to a bank account ending in 102', toBank('102'), [paid]],
  ['by UMA to $success.usd', toReceiver('$success.usd'), [paid]],
  ['by UMA to $Success.USD, whatever its case', toReceiver('$Success.USD'), [paid]],
  ['by UMA to $pending.long.usd', toReceiver('$pending.long.usd'), slow],
  ['by UMA to $fail.compliance.usd', toReceiver('$fail.compliance.usd'), [failed('QUOTE_EXECUTION_FAILED')]],
  ['pulled from an account ending in 001', pull('001'), [paid]],
  ['pulled from an account ending in 002', pull('002'), [failed('INSUFFICIENT_FUNDS')]],
  ['pulled from an account ending in 003', pull('003'), [failed('ACCOUNT_CLOSED')]],
  ['pulled from an account ending in 004', pull('004'), [failed('REJECTED_BY_BANK')]],
  ['pulled from an account ending in 005', pull('005'), [underWay, failed('TIMED_OUT', { from: 30 })]],
  ['pulled from an account ending in 006', pull('006'), [paid]],
  ['pulled from an account ending in 007', pull('007'), [paid]],
  ['pulled, and the destination ends in 005', pullAndPay('001', '005'), returned],
  ['pulled, and the destination ends in 003', pullAndPay('006', '003'), slow],
  ['pulled, and the destination ends in 007', pullAndPay('007', '007'), [lost]],
  ['not pulled, so the destination does not count', pullAndPay('003', '007'), [failed('ACCOUNT_CLOSED')]],
  ['pulled in vain for 30 seconds', pullAndPay('005', '006'), [underWay, failed('TIMED_OUT', { from: 30 })]],
];

/** Expects the payment in the state of the phase. `begun` is when the quote was executed. */
async function expectPhase(sandbox: TestSandbox, { quote, money }: Scenario, phase: Phase, begun: number) {
  const { status, failureReason, refund, settledAt } = phase;
  const [shown, transaction] = [
    await readQuote(sandbox, quote.id),
    await readTransaction(sandbox, quote.transactionId),
  ];
  expect(shown).toEqual({ ...quote, status });
  const moment = at(begun + phase.from);
  expect(transaction).toMatchObject({ id: quote.transactionId, type: 'OUTGOING', status, createdAt: quote.createdAt });
  expect({
    failureReason: transaction.failureReason,
    settledAt: transaction.settledAt,
    updatedAt: transaction.updatedAt,
    refund: transaction.refund,
  }).toEqual({
    failureReason,
    settledAt: settledAt === undefined ? undefined : at(begun + settledAt),
    updatedAt: moment,
    refund: refund && {
      status: refund[0],
      reason: refund[1],
      initiatedAt: moment,
      ...(refund[0] === 'COMPLETED' ? { settledAt: moment } : {}),
      reference: expect.stringMatching(/./),
    },
  });
  expect(await books(sandbox)).toEqual(compact(money[phase.money]));
}

describe.each(rows)('%s', (_name, open, phases) => {
  it('a PENDING quote has moved nothing', async () => {
    const sandbox = await openBooks();
    const { quote, money } = await open(sandbox);
    expect([quote.status, (await readTransaction(sandbox, quote.transactionId)).status]).toEqual([
      'PENDING',
      'PENDING',
    ]);
    expect(await books(sandbox)).toEqual(compact(money.unmoved));
  });

  it('just before, when and just after each thing is due', async () => {
    const sandbox = await openBooks();
    const scenario = await open(sandbox);
    await sandbox.advance(7);
    const answer = await execute(sandbox, scenario.quote.id);
    expect([answer.status, answer.body]).toEqual([200, { ...scenario.quote, status: phases[0]?.status }]);
    let clock = 0;
    const moments = phases.flatMap(({ from }) => [from - 0.001, from, from + 0.001]).filter((moment) => moment >= 0);
    for (const moment of [...moments, 100_000]) {
      await sandbox.advance(moment - clock);
      clock = moment;
      const phase = phases.findLast(({ from }) => from <= moment);
      if (phase !== undefined) await expectPhase(sandbox, scenario, phase, 7);
    }
  });

  it('the same if nobody looked until long afterwards, and in the list', async () => {
    const sandbox = await openBooks();
    const scenario = await open(sandbox);
    await sandbox.advance(7);
    await execute(sandbox, scenario.quote.id);
    await sandbox.advance(100_000);
    const listed = await listTransactions(sandbox, 'type=OUTGOING');
    expect(listed).toEqual([await readTransaction(sandbox, scenario.quote.transactionId)]);
    const last = phases.at(-1);
    if (last !== undefined) await expectPhase(sandbox, scenario, last, 7);
  });
});

describe('which characters decide', () => {
  it.each([
    [
      'a PIX key that is an e-mail address',
      'BRL',
      { accountType: 'BRL_ACCOUNT', pixKey: 'ada002@example.com', pixKeyType: 'EMAIL', taxId: '12345678909' },
    ],
    [
      'a Solana wallet',
      'USDC',
      { accountType: 'SOLANA_WALLET', address: '4Nd1mYQzvgV8Vr3Z3nYb7pD6T8K9jF2eWqxY1sUoR002' },
    ],
  ])('%s', async (_name, currency, info) => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox);
    const person = { beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' } };
    const accountInfo = currency === 'USDC' ? info : { ...info, ...person };
    const { status, body } = await sandbox.send('POST', '/customers/external-accounts', {
      body: { currency, accountInfo },
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(body.id), {
      purposeOfPayment: 'GIFT',
    });
    expect((await execute(sandbox, quote.id)).body.status).toBe('FAILED');
  });
});
