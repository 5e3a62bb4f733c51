/**
 * Promise: a quote's amounts are exact. The locked side is returned as it was requested. The other side and the fee are
 * the result of whole-number arithmetic, to the unit, for every pair of currencies and every size of amount. If an
 * amount can't be expressed, the error says so (D08, D26, D27).
 */
import { describe, expect, it } from 'vitest';
import { convertLocked, exchangeRate } from '../../mocks/sandbox/payments/money.ts';
import { decimalsOf, priceOf } from '../support/expect/exactMoney.ts';
import { randomFrom } from '../support/requests/random.ts';
import { byLength } from '../support/run/length.ts';
import { seed } from '../support/run/seed.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';

const greatest = 9_000_000_000_000_000;
const codes = Object.keys(decimalsOf).sort();
const decimals = (code: string) => ({ code, decimals: decimalsOf[code] ?? 0 });

interface Case {
  readonly side: 'SENDING' | 'RECEIVING';
  readonly amount: number;
  readonly sending: string;
  readonly receiving: string;
}

/** Every pair of currencies about equally often, amounts of every order of magnitude, and the limits themselves. */
function cases(count: number, from: number): Case[] {
  const random = randomFrom(from);
  return Array.from({ length: count }, (_, index) => {
    const size = random.amount(greatest);
    const amount = index % 97 === 0 ? greatest : index % 89 === 0 ? 1 : size;
    const pair = index % (codes.length * codes.length);
    return {
      side: random.chance(0.5) ? 'SENDING' : 'RECEIVING',
      amount,
      sending: codes[pair % codes.length] ?? '',
      receiving: codes[Math.floor(pair / codes.length)] ?? '',
    };
  });
}

/** The document's numbers for a case; null for an amount that can't be expressed. */
function expected({ side, amount, sending, receiving }: Case, rate: string) {
  const price = priceOf(side, BigInt(amount), decimals(sending), decimals(receiving), rate);
  if (price === null) return null;
  return { sending: Number(price.sending), fee: Number(price.fee), receiving: Number(price.receiving) };
}

/** The rate of every pair, as printed in the list of rates. */
async function ratesOf(sandbox: TestSandbox): Promise<Map<string, string>> {
  const rates = new Map<string, string>();
  for (let cursor = ''; ; ) {
    const { body } = await sandbox.send('GET', `/exchange-rates?limit=100${cursor}`);
    for (const { sourceCurrency, destinationCurrency, exchangeRate: rate } of body.data) {
      rates.set(`${sourceCurrency.code} ${destinationCurrency.code}`, String(rate));
    }
    if (!body.hasMore) return rates;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** An internal account for every currency, by its code, each of another customer. */
async function openAccounts(sandbox: TestSandbox): Promise<Map<string, string>> {
  const accounts = new Map<string, string>();
  for (const code of codes) {
    const customerId = await newCustomer(sandbox, { currencies: [code] });
    const { body } = await sandbox.send('GET', `/customers/internal-accounts?customerId=${customerId}`);
    accounts.set(code, body.data[0].id);
  }
  return accounts;
}

/** Requests a quote that is paid from outside, so that no balance limits it. */
function askFor(sandbox: TestSandbox, { side, amount, sending }: Case, accountId: string): Promise<Answer> {
  const body = {
    source: { sourceType: 'REALTIME_FUNDING', currency: sending },
    destination: { destinationType: 'ACCOUNT', accountId },
    lockedCurrencySide: side,
    lockedCurrencyAmount: amount,
    purposeOfPayment: 'GIFT',
  };
  return sandbox.send('POST', '/quotes', { body });
}

// Every third pair of currencies in the short run, each of them six times in the long run.
const asked = byLength(400, 10_000);

describe('case 98: quotes of any pair and size', () => {
  it(`ten thousand amounts are exactly what whole-number arithmetic says (seed ${seed})`, () => {
    const wrong = cases(10_000, seed).filter((one) => {
      const rate = String(exchangeRate(one.sending, one.receiving));
      const found = convertLocked(one.side, one.amount, one.sending, one.receiving);
      return JSON.stringify(found) !== JSON.stringify(expected(one, rate));
    });
    expect([seed, wrong]).toEqual([seed, []]);
  });

  it(`${asked} are answered so, at least half of them with 201 (seed ${seed + 1})`, async () => {
    const sandbox = await openSandbox();
    const rates = await ratesOf(sandbox);
    const accounts = await openAccounts(sandbox);
    const all = cases(asked, seed + 1);
    let made = 0;
    for (const one of all) {
      const { status, body } = await askFor(sandbox, one, accounts.get(one.receiving) ?? '');
      const what = JSON.stringify([seed + 1, one, body]);
      const rate = rates.get(`${one.sending} ${one.receiving}`) ?? '';
      const price = expected(one, rate);
      if (price === null) {
        expect([status, body.code], what).toEqual([400, 'AMOUNT_OUT_OF_RANGE']);
        continue;
      }
      made += 1;
      const { totalSendingAmount, totalReceivingAmount, feesIncluded, rateDetails } = body;
      expect([status, String(body.exchangeRate)], what).toEqual([201, rate]);
      expect({ sending: totalSendingAmount, fee: feesIncluded, receiving: totalReceivingAmount }, what).toEqual(price);
      expect(rateDetails, what).toMatchObject({
        serviceApiVariableFeeRate: one.sending === one.receiving ? 0 : 0.005,
        serviceApiVariableFeeAmount: price.fee,
      });
    }
    expect(made).toBeGreaterThanOrEqual(all.length / 2);
  });
});
