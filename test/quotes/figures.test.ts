/**
 * Promise: a quote accepts exactly the amounts that can be expressed, in the smallest unit of their currency. The rate
 * is the price of one received unit in sent units (D08, D25, D26, D27).
 */
import { describe, expect, it } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  askForQuote,
  execute,
  fromAccount,
  fromOutside,
  fund,
  mustQuote,
  openPayer,
  openSides,
  toAccount,
} from '../support/scenes/payments.ts';

describe('amounts', () => {
  const greatest = 9_000_000_000_000_000;

  it.each(['9000000000000001', '9007199254740993', '36893488147419103232', '-1', '0', '1.5', '"1"', 'null'])(
    "case 91: %s isn't an amount",
    async (amount) => {
      const { sandbox, payer, bank } = await openSides();
      const source = fromAccount(payer.account('EUR'));
      const request = { source, destination: toAccount(bank), lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 7 };
      const text = JSON.stringify(request).replace(':7}', `:${amount}}`);
      const refused = expectRefusal(await sandbox.send('POST', '/quotes', { text }), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual(['body /lockedCurrencyAmount']);
    },
  );

  it('case 91: the greatest amount is one', async () => {
    const { sandbox, payer, bank } = await openSides();
    for (const side of ['SENDING', 'RECEIVING']) {
      const change = { lockedCurrencyAmount: greatest, lockedCurrencySide: side };
      const quote = await mustQuote(sandbox, fromAccount(payer.account('USD')), toAccount(bank), change);
      expect([quote.totalSendingAmount, quote.totalReceivingAmount, quote.feesIncluded]).toEqual([
        greatest,
        greatest,
        0,
      ]);
    }
  });

  it.each([
    ['SENDING', 'GBP', greatest],
    ['RECEIVING', 'JPY', greatest],
    ['SENDING', 'BTC', 1],
    ['SENDING', 'VND', 1],
  ])(
    'case 92: an amount of which nothing or too much arrives is 400: %s, from %s, %i',
    async (side, currency, amount) => {
      const { sandbox, bank } = await openSides();
      const source = fromOutside(currency);
      const change = { lockedCurrencySide: side, lockedCurrencyAmount: amount };
      const answer = await askForQuote(sandbox, source, toAccount(bank), change);
      const refused = expectRefusal(answer, 400, 'AMOUNT_OUT_OF_RANGE');
      expect(faultPlaces(refused)).toEqual(['body /lockedCurrencyAmount']);
      // The message names the limits: they can be locked, and what is outside can't.
      const limits = [...(refused.details?.errors?.[0]?.message ?? '').matchAll(/\((\d+)\)/g)].map(([, n]) =>
        Number(n),
      );
      expect(limits).toHaveLength(side === 'SENDING' ? 2 : 1);
      const statusOf = async (lockedCurrencyAmount: number) =>
        (await askForQuote(sandbox, source, toAccount(bank), { ...change, lockedCurrencyAmount })).status;
      expect(await Promise.all(limits.map(statusOf))).toEqual(limits.map(() => 201));
      const most = limits.at(-1) ?? 0;
      const outside = [...(side === 'SENDING' ? [(limits[0] ?? 0) - 1] : []), ...(most < greatest ? [most + 1] : [])];
      expect(await Promise.all(outside.map(statusOf))).toEqual(outside.map(() => 400));
    },
  );

  it.each([
    ['JPY', 0, 100],
    ['KWD', 3, 100_000],
    ['BTC', 8, 1_000],
    ['USDB', 6, 1_000_000],
    ['INR', 2, 100_00],
  ])('cases 94, 95, 97: dollars to %s, which has %i decimals', async (currency, decimals, amount) => {
    const { sandbox } = await openSides();
    const receiver = await openPayer(sandbox, { [currency]: 0 });
    const change = { lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount: amount, purposeOfPayment: 'GIFT' };
    const quote = await mustQuote(sandbox, fromOutside('USD'), toAccount(receiver.account(currency)), change);
    expect([quote.receivingCurrency.decimals, quote.totalReceivingAmount]).toEqual([decimals, amount]);
    // Sent units per received unit: the sum after the fee is the received sum times the rate, in cents.
    const cents = (amount / 10 ** decimals) * quote.exchangeRate * 100;
    const left = quote.totalSendingAmount - quote.feesIncluded;
    expect(left).toBeGreaterThanOrEqual(cents - 1e-6);
    expect(left).toBeLessThan(cents + 1.006);
    expect(quote.feesIncluded).toBe(Math.ceil(quote.totalSendingAmount * 0.005));
  });

  it('within one currency everything arrives', async () => {
    const { sandbox, payer, bank } = await openSides();
    await fund(sandbox, payer.account('USD'), 10_000);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('USD')), toAccount(bank));
    expect(quote).toMatchObject({ exchangeRate: 1, feesIncluded: 0, totalReceivingAmount: 10_000 });
    expect(quote.rateDetails).toMatchObject({ serviceApiVariableFeeRate: 0, serviceApiVariableFeeAmount: 0 });
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
  });
});
