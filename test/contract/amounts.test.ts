/**
 * Promise: the amounts, decimals and rates in the contract's examples agree with each other and with the sandbox, so
 * that a client built on an example calculates correctly.
 */
import { describe, expect, test } from 'vitest';
import type { Currency, CurrencyPreference, ExchangeRate, OutgoingTransaction, Quote } from '../../generated/types.ts';
import { bundle } from '../support/expect/apiError.ts';
import { arrivesOf, decimalsOf, feeOn, priceOf } from '../support/expect/exactMoney.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

type Visit = (node: Readonly<Record<string, unknown>>, pointer: string) => void;

/** Calls `visit` for every object inside a value, with its place. */
function visitObjects(value: unknown, pointer: string, visit: Visit): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Readonly<Record<string, unknown>>, pointer);
  for (const [key, inner] of Object.entries(value)) visitObjects(inner, `${pointer}/${key}`, visit);
}

/** The objects of one kind in the contract's examples, by place. */
function inExamples<T>(isOne: (node: Readonly<Record<string, unknown>>) => boolean): [pointer: string, found: T][] {
  const found: [string, T][] = [];
  visitObjects(bundle, '', (node, pointer) => {
    if (/\/examples?\//.test(pointer) && isOne(node)) found.push([pointer, node as T]);
  });
  return found;
}

const isCurrency = (node: object): boolean => 'code' in node && 'decimals' in node;
const isRate = (node: object): boolean => 'sourceCurrency' in node && 'exchangeRate' in node;
const isPreference = (node: object): boolean => 'estimatedExchangeRate' in node;

/** The faults of a row of rates, by D26 and D27 only. */
function faultsOf(row: ExchangeRate): string[] {
  const { sourceCurrency: source, destinationCurrency: destination, sendingAmount: sent, fees } = row;
  const rate = String(row.exchangeRate);
  const arrives = (amount: number): bigint => arrivesOf(BigInt(amount), source, destination, rate);
  const most = 9_000_000_000_000_000n;
  const claims: [what: string, holds: boolean][] = [
    ['fees', BigInt(fees.fixed) === feeOn(BigInt(sent), source.code === destination.code)],
    ['receivingAmount', BigInt(row.receivingAmount) === arrives(sent)],
    ['minSendingAmount', arrives(row.minSendingAmount) >= 1n && arrives(row.minSendingAmount - 1) < 1n],
    ['maxSendingAmount', arrives(row.maxSendingAmount) <= most],
    ['maxSendingAmount', BigInt(row.maxSendingAmount) === most || arrives(row.maxSendingAmount + 1) > most],
  ];
  return claims.filter(([, holds]) => !holds).map(([what]) => what);
}

const isQuote = (node: object): boolean => 'totalSendingAmount' in node && 'rateDetails' in node;
const isOutgoing = (node: object): boolean => 'sentAmount' in node;

/** The faults of a payment's figures, by D26 and D27 only. One of its sides was locked. */
function faultsOfPayment(payment: Payment): string[] {
  const { sending, receiving, sent, received, fee } = payment;
  const rate = String(payment.exchangeRate);
  const prices = [
    priceOf('SENDING', BigInt(sent), sending, receiving, rate),
    priceOf('RECEIVING', BigInt(received), sending, receiving, rate),
  ];
  const isPrice = prices.some((price) => price?.sending === BigInt(sent) && price.receiving === BigInt(received));
  const faults = isPrice ? [] : ['amounts'];
  if (BigInt(fee) !== feeOn(BigInt(sent), sending.code === receiving.code)) faults.push('fee');
  if (payment.details?.serviceApiVariableFeeAmount !== fee) faults.push('serviceApiVariableFeeAmount');
  if (payment.details?.serviceApiVariableFeeRate !== (sending.code === receiving.code ? 0 : 0.005)) {
    faults.push('serviceApiVariableFeeRate');
  }
  return faults;
}

interface Payment {
  readonly sending: Currency;
  readonly receiving: Currency;
  readonly sent: number;
  readonly received: number;
  readonly fee: number;
  readonly exchangeRate: number;
  readonly details: Quote['rateDetails'];
}

/** The payments of the quotes and outgoing transactions in the examples. */
const payments: readonly (readonly [pointer: string, payment: Payment])[] = [
  ...inExamples<Quote>(isQuote).map(([pointer, quote]): [string, Payment] => [
    pointer,
    {
      sending: quote.sendingCurrency,
      receiving: quote.receivingCurrency,
      sent: quote.totalSendingAmount,
      received: quote.totalReceivingAmount,
      fee: quote.feesIncluded,
      exchangeRate: quote.exchangeRate,
      details: quote.rateDetails,
    },
  ]),
  ...inExamples<OutgoingTransaction>(isOutgoing).map(([pointer, transaction]): [string, Payment] => [
    pointer,
    {
      sending: transaction.sentAmount.currency,
      receiving: transaction.receivedAmount?.currency ?? transaction.sentAmount.currency,
      sent: transaction.sentAmount.amount,
      received: transaction.receivedAmount?.amount ?? transaction.sentAmount.amount,
      fee: transaction.fees ?? -1,
      exchangeRate: transaction.exchangeRate ?? -1,
      details: transaction.rateDetails,
    },
  ]),
];

describe('case 95: currencies', () => {
  test.each(inExamples<Currency>(isCurrency))('%s has the decimals of its code', (_pointer, { code, decimals }) => {
    expect([code, decimals]).toEqual([code, decimalsOf[code]]);
  });

  test('have the names and symbols that the sandbox gives them', async () => {
    const sandbox = await openSandbox();
    for (const [pointer, currency] of inExamples<Currency>(isCurrency)) {
      const path = `/exchange-rates?sourceCurrency=${currency.code}&destinationCurrency=USDC`;
      const { body } = await sandbox.send('GET', path);
      expect([pointer, body.data[0]?.sourceCurrency]).toEqual([pointer, currency]);
    }
  });

  test('occur in the examples', () => {
    expect(inExamples(isCurrency).length).toBeGreaterThan(10);
    expect(inExamples(isRate).length).toBeGreaterThan(0);
    expect(inExamples(isPreference).length).toBeGreaterThan(0);
  });
});

describe('case 97: rates', () => {
  test.each(inExamples<ExchangeRate>(isRate))(
    '%s can be recomputed, and is what the sandbox says',
    async (_at, row) => {
      expect(faultsOf(row)).toEqual([]);
      const { sourceCurrency, destinationCurrency, destinationPaymentRail, sendingAmount } = row;
      const pair = `sourceCurrency=${sourceCurrency.code}&destinationCurrency=${destinationCurrency.code}`;
      const { body } = await (await openSandbox()).send(
        'GET',
        `/exchange-rates?${pair}&sendingAmount=${sendingAmount}`,
      );
      const rails: ExchangeRate[] = body.data;
      expect(rails.find((one) => one.destinationPaymentRail === destinationPaymentRail)).toEqual(row);
    },
  );

  test.each(inExamples<CurrencyPreference>(isPreference))('%s costs its price in dollars', async (_at, preference) => {
    const { currency, estimatedExchangeRate } = preference;
    const path = `/exchange-rates?sourceCurrency=USD&destinationCurrency=${currency.code}`;
    const { body } = await (await openSandbox()).send('GET', path);
    expect(estimatedExchangeRate).toBe(body.data[0].exchangeRate);
  });

  test.each(payments)('the payment %s can be recomputed, at the rate of the sandbox', async (_at, payment) => {
    expect(faultsOfPayment(payment)).toEqual([]);
    const path = `/exchange-rates?sourceCurrency=${payment.sending.code}&destinationCurrency=${payment.receiving.code}`;
    const { body } = await (await openSandbox()).send('GET', path);
    expect(payment.exchangeRate).toBe(body.data[0].exchangeRate);
  });

  test.each<[what: string, planted: Partial<Payment>]>([
    ['a rate the other way round', { exchangeRate: 18.4162 }],
    ['an amount in another unit', { received: 1 }],
    ['a fee that is not in the amount', { fee: 0 }],
  ])('the check finds %s in a payment', (_what, planted) => {
    expect(payments.length).toBeGreaterThan(5);
    for (const [, payment] of payments.filter(([, one]) => one.sending.code !== one.receiving.code)) {
      expect(faultsOfPayment({ ...payment, ...planted })).not.toEqual([]);
    }
  });

  const [[, sound] = []] = inExamples<ExchangeRate>(isRate);
  test.each<[what: string, planted: Partial<ExchangeRate>, faults: string[]]>([
    ['nothing', {}, []],
    ['a rate the other way round', { exchangeRate: 0.860585197935 }, ['receivingAmount']],
    ['an amount in another unit', { receivingAmount: 85 }, ['receivingAmount']],
    ['a fee that is not in the amount', { fees: { fixed: 0 } }, ['fees']],
    ['a least amount of which nothing arrives', { minSendingAmount: 2 }, ['minSendingAmount']],
    ['a greatest amount that is too low', { maxSendingAmount: 1_000_000 }, ['maxSendingAmount']],
  ])('the check finds %s', (_what, planted, faults) => {
    expect(faultsOf({ ...(sound as ExchangeRate), ...planted })).toEqual(expect.arrayContaining(faults));
    expect(faultsOf({ ...(sound as ExchangeRate), ...planted }).length > 0).toBe(faults.length > 0);
  });
});
