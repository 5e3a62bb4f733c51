/**
 * Promise: a rate is the price of one received unit in sent units. Every figure of a row can be calculated from the
 * printed rate, to the last unit, for any amount within the row's limits.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExchangeRate } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { arrivesOf, decimalsOf, feeOn, readDecimal } from '../support/expect/exactMoney.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { runs } from '../support/run/length.ts';
import { baseUrl, basic, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

testCommonRefusals('listExchangeRates', '/exchange-rates');

const greatest = 9_000_000_000_000_000;
const codes = Object.keys(decimalsOf).sort();

interface Row extends ExchangeRate {
  /** The rate's digits in the reply. */
  readonly printedRate: string;
}

/** The rows of one page, with the printed rates. */
async function rowsOf(sandbox: TestSandbox, query: string): Promise<Row[]> {
  const headers = { authorization: basic('sandbox', 'sandbox') };
  const response = await sandbox.fetch(new Request(`${baseUrl}/exchange-rates?${query}`, { headers }));
  const text = await response.text();
  expect([response.status, query], text).toEqual([200, query]);
  const printed = [...text.matchAll(/"exchangeRate":([^,}]+)/g)].map(([, digits = '']) => digits);
  const { data } = JSON.parse(text) as { data: ExchangeRate[] };
  return data.map((row, index) => ({ ...row, printedRate: printed[index] ?? '' }));
}

async function rowOf(sandbox: TestSandbox, source: string, destination: string, amount?: number): Promise<Row> {
  const sending = amount === undefined ? '' : `&sendingAmount=${amount}`;
  const [row] = await rowsOf(sandbox, `sourceCurrency=${source}&destinationCurrency=${destination}${sending}`);
  if (row === undefined) throw new Error(`No rate from ${source} to ${destination}`);
  return row;
}

/** Every page of the list, in order. */
async function walk(sandbox: TestSandbox, query: string): Promise<{ rows: ExchangeRate[]; totalCount: number }> {
  const rows: ExchangeRate[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await sandbox.send('GET', `/exchange-rates?limit=100&${query}${cursor}`);
    expect(status).toBe(200);
    rows.push(...body.data);
    expect(body.hasMore).toBe('nextCursor' in body);
    if (!body.hasMore) return { rows, totalCount: body.totalCount };
    cursor = `&cursor=${body.nextCursor}`;
  }
}

const keyOf = ({ sourceCurrency, destinationCurrency, destinationPaymentRail }: ExchangeRate): string =>
  [sourceCurrency.code, destinationCurrency.code, destinationPaymentRail ?? ''].join(' ');

describe('the list', () => {
  test('has every pair of currencies, a currency with itself included, by source, destination and rail', async () => {
    const { rows, totalCount } = await walk(await openSandbox(), '');
    expect(rows).toHaveLength(totalCount);
    const keys = rows.map(keyOf);
    expect(keys).toEqual([...new Set(keys)].sort());
    const pairs = new Set(rows.map((row) => `${row.sourceCurrency.code} ${row.destinationCurrency.code}`));
    expect([...pairs]).toEqual(codes.flatMap((source) => codes.map((destination) => `${source} ${destination}`)));
  });

  test('has these prices of one unit in dollars: other tests of an app can be written against them', async () => {
    const { rows } = await walk(await openSandbox(), 'sourceCurrency=USD');
    const prices = Object.fromEntries(rows.map((row) => [row.destinationCurrency.code, row.exchangeRate]));
    expect(prices).toEqual({
      AED: 0.272294,
      ARS: 0.00072,
      BDT: 0.00821,
      BRL: 0.1845,
      BTC: 64000,
      BWP: 0.0745,
      CAD: 0.716,
      COP: 0.000255,
      DKK: 0.1556,
      EGP: 0.0209,
      EUR: 1.162,
      GBP: 1.335,
      GHS: 0.0915,
      GTQ: 0.1305,
      HKD: 0.1286,
      HTG: 0.00765,
      IDR: 6e-5,
      INR: 0.0113,
      JMD: 0.00624,
      JPY: 0.0066,
      KES: 0.00774,
      KWD: 3.26,
      MWK: 0.000577,
      MXN: 0.0543,
      MYR: 0.2365,
      NGN: 0.000682,
      PHP: 0.01715,
      PKR: 0.00353,
      RWF: 0.00069,
      SGD: 0.7705,
      THB: 0.0307,
      TZS: 0.000408,
      UGX: 0.000288,
      USD: 1,
      USDB: 1,
      USDC: 1,
      USDT: 1,
      VND: 3.8e-5,
      XAF: 0.001771,
      XOF: 0.001771,
      ZAR: 0.0576,
      ZMW: 0.0439,
    });
  });

  test.each([
    ['EUR', ['SEPA', 'SEPA_INSTANT']],
    ['INR', ['UPI']],
    ['MXN', ['SPEI']],
    ['JPY', ['SWIFT']],
    ['KWD', ['SWIFT']],
    ['USDC', [undefined]],
    ['USDT', [undefined]],
    ['BTC', [undefined]],
  ])('%s arrives by %j', async (destination, rails) => {
    const rows = await rowsOf(await openSandbox(), `sourceCurrency=USD&destinationCurrency=${destination}`);
    expect(rows.map(({ destinationPaymentRail }) => destinationPaymentRail)).toEqual(rails);
  });

  test('without an amount 10000 would be sent, and no rate changes with time', async () => {
    const sandbox = await openSandbox();
    const before = await rowOf(sandbox, 'USD', 'EUR');
    expect(before).toMatchObject({ sendingAmount: 10_000, updatedAt: '2025-10-13T00:00:00.000Z' });
    await sandbox.advance(86_400);
    expect(await rowOf(sandbox, 'USD', 'EUR', 10_000)).toEqual(before);
  });

  test.each<[query: string, pairs: string[]]>([
    ['sourceCurrency=USD&destinationCurrency=MXN&destinationCurrency=GBP', ['USD GBP', 'USD MXN']],
    ['destinationCurrency=USDC&sourceCurrency=USDC', ['USDC USDC']],
    ['destinationCurrency=BTC&limit=100', codes.map((code) => `${code} BTC`)],
    ['sourceCurrency=XXX', []],
    ['destinationCurrency=XXX', []],
    ['destinationCurrency=XXX&destinationCurrency=USDC&sourceCurrency=EUR', ['EUR USDC']],
  ])('%s leaves %j', async (query, pairs) => {
    const rows = await rowsOf(await openSandbox(), query);
    const found = rows.map((row) => `${row.sourceCurrency.code} ${row.destinationCurrency.code}`);
    expect([...new Set(found)]).toEqual(pairs);
  });

  test('a cursor goes on where the page ended, with the same filters only', async () => {
    const sandbox = await openSandbox();
    const page = (query: string) => sandbox.send('GET', `/exchange-rates?${query}`);
    const first = await page('sourceCurrency=USD&limit=1');
    const cursor = `&cursor=${first.body.nextCursor}`;
    const all = await rowsOf(sandbox, 'sourceCurrency=USD&limit=2');
    expect([...first.body.data, ...(await page(`sourceCurrency=USD&limit=1${cursor}`)).body.data].map(keyOf)).toEqual(
      all.map(keyOf),
    );
    for (const other of ['limit=1', 'sourceCurrency=EUR', 'sourceCurrency=USD&sendingAmount=5', 'sourceCurrency=usd']) {
      const refused = expectRefusal(await page(other + cursor), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([other.endsWith('usd') ? 'query /sourceCurrency' : 'query /cursor']);
    }
  });

  test('case 89: a page that ends with the list says so', async () => {
    const sandbox = await openSandbox();
    for (const limit of [2, 3]) {
      const answer = await sandbox.send(
        'GET',
        `/exchange-rates?sourceCurrency=USD&destinationCurrency=EUR&limit=${limit}`,
      );
      expect(answer.body).toMatchObject({ hasMore: false, totalCount: 2 });
      expect(answer.body).not.toHaveProperty('nextCursor');
    }
  });
});

describe('case 97: the direction of a rate', () => {
  test.each([
    ['USD', 'INR', 0.0113],
    ['INR', 'USD', 88.4955752212],
    ['USD', 'EUR', 1.162],
    ['USD', 'BTC', 64_000],
    ['BTC', 'USD', 0.000015625],
    ['USD', 'JPY', 0.0066],
    ['USDC', 'USD', 1],
    ['KWD', 'KWD', 1],
  ])('from %s to %s it is %d', async (source, destination, rate) => {
    expect((await rowOf(await openSandbox(), source, destination)).exchangeRate).toBe(rate);
  });
});

// Users' tests depend on these values. The changelog names a changed value (D26).
const dollarsPerUnit: Readonly<Record<string, number>> = {
  AED: 0.272294,
  ARS: 0.00072,
  BDT: 0.00821,
  BRL: 0.1845,
  BTC: 64000,
  BWP: 0.0745,
  CAD: 0.716,
  COP: 0.000255,
  DKK: 0.1556,
  EGP: 0.0209,
  EUR: 1.162,
  GBP: 1.335,
  GHS: 0.0915,
  GTQ: 0.1305,
  HKD: 0.1286,
  HTG: 0.00765,
  IDR: 0.00006,
  INR: 0.0113,
  JMD: 0.00624,
  JPY: 0.0066,
  KES: 0.00774,
  KWD: 3.26,
  MWK: 0.000577,
  MXN: 0.0543,
  MYR: 0.2365,
  NGN: 0.000682,
  PHP: 0.01715,
  PKR: 0.00353,
  RWF: 0.00069,
  SGD: 0.7705,
  THB: 0.0307,
  TZS: 0.000408,
  UGX: 0.000288,
  USD: 1,
  USDB: 1,
  USDC: 1,
  USDT: 1,
  VND: 0.000038,
  XAF: 0.001771,
  XOF: 0.001771,
  ZAR: 0.0576,
  ZMW: 0.0439,
};

test('each currency keeps its value in US dollars', async () => {
  const rows = await rowsOf(await openSandbox(), 'sourceCurrency=USD&limit=100');
  const values = Object.fromEntries(rows.map((row) => [row.destinationCurrency.code, row.exchangeRate]));
  expect(values).toEqual(dollarsPerUnit);
});

describe('what arrives', () => {
  test.each([
    ['case 94: no decimals', 'USD', 'JPY', 10_000, 50, 15_075],
    ['case 94: from none to two', 'JPY', 'USD', 10_000, 50, 6_567],
    ['case 94: three decimals', 'USD', 'KWD', 10_000, 50, 30_521],
    ['case 94: from three to none', 'KWD', 'JPY', 1_000, 5, 491],
    ['case 95: six decimals', 'USD', 'USDB', 10_000, 50, 99_500_000],
    ['case 95: from six to eight', 'USDC', 'BTC', 64_000_000, 320_000, 99_500],
    ['case 95: from eight to two', 'BTC', 'USD', 100_000_000, 500_000, 6_368_000],
    ['one currency has no fee', 'EUR', 'EUR', 1, 0, 1],
    ['two dollars that are one to one have', 'USDC', 'USDB', 1_000_000, 5_000, 995_000],
    ['the fee is rounded up', 'USD', 'USDC', 201, 2, 1_990_000],
    ['too little for anything to arrive', 'USD', 'EUR', 2, 1, 0],
    ['all of it is fee', 'USD', 'MXN', 1, 1, 0],
    ['nothing is sent', 'USD', 'MXN', 0, 0, 0],
    ['nothing is sent in one currency', 'EUR', 'EUR', 0, 0, 0],
  ])('%s: %s to %s, %d', async (_name, source, destination, amount, fixed, receivingAmount) => {
    const row = await rowOf(await openSandbox(), source, destination, amount);
    expect(row).toMatchObject({ sendingAmount: amount, receivingAmount, fees: { fixed } });
  });

  test('case 98: of any pair and amount it is exactly what the printed rate says, in whole units', async () => {
    const sandbox = await openSandbox();
    const code = fc.constantFrom(...codes);
    const amount = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: greatest }));
    await fc.assert(
      fc.asyncProperty(code, code, amount, async (source, destination, wanted) => {
        const { maxSendingAmount, minSendingAmount } = await rowOf(sandbox, source, destination);
        const sent = Math.min(wanted, maxSendingAmount);
        const row = await rowOf(sandbox, source, destination, sent);
        const exact = arrivesOf(BigInt(sent), row.sourceCurrency, row.destinationCurrency, row.printedRate);
        expect(BigInt(row.receivingAmount)).toBe(exact);
        expect(BigInt(row.fees.fixed)).toBe(feeOn(BigInt(sent), source === destination));
        expect(row.receivingAmount > 0).toBe(sent >= minSendingAmount);
        const { numerator } = readDecimal(row.printedRate);
        expect(String(numerator).replace(/0+$/, '').length).toBeLessThanOrEqual(12);
        expect([row.sourceCurrency, row.destinationCurrency].map(({ code, decimals }) => [code, decimals])).toEqual([
          [source, decimalsOf[source]],
          [destination, decimalsOf[destination]],
        ]);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('limits of a row', () => {
  test('at the least amount something arrives, below it nothing; the greatest can be sent, one more cannot', async () => {
    const sandbox = await openSandbox();
    const code = fc.constantFrom(...codes);
    await fc.assert(
      fc.asyncProperty(code, code, async (source, destination) => {
        const { minSendingAmount: least, maxSendingAmount: most } = await rowOf(sandbox, source, destination);
        expect((await rowOf(sandbox, source, destination, least)).receivingAmount).toBeGreaterThanOrEqual(1);
        if (least > 1) expect((await rowOf(sandbox, source, destination, least - 1)).receivingAmount).toBe(0);
        expect((await rowOf(sandbox, source, destination, most)).receivingAmount).toBeLessThanOrEqual(greatest);
        const query = `sourceCurrency=${source}&destinationCurrency=${destination}&sendingAmount=${most + 1}`;
        const refused = await sandbox.send('GET', `/exchange-rates?${query}`);
        const code = most === greatest ? 'INVALID_INPUT' : 'AMOUNT_OUT_OF_RANGE';
        expect(faultPlaces(expectRefusal(refused, 400, code))).toEqual(['query /sendingAmount']);
      }),
      {
        numRuns: runs(100),
        examples: [
          ['USD', 'USD'],
          ['USD', 'USDC'],
          ['VND', 'BTC'],
          ['BTC', 'VND'],
          ['KWD', 'JPY'],
        ],
      },
    );
  });

  test('case 92: an amount that is too much for a row on another page is refused, with the limit in words', async () => {
    const sandbox = await openSandbox();
    const query = 'sourceCurrency=USD&limit=1&sendingAmount=';
    const pairs = await walk(sandbox, 'sourceCurrency=USD');
    const tightest = Math.min(...pairs.rows.map(({ maxSendingAmount }) => maxSendingAmount));
    expect((await sandbox.send('GET', `/exchange-rates?${query}${tightest}`)).status).toBe(200);
    const refused = await sandbox.send('GET', `/exchange-rates?${query}${tightest + 1}`);
    const { details } = expectRefusal(refused, 400, 'AMOUNT_OUT_OF_RANGE');
    expect(details?.errors?.[0]?.message).toContain(
      `must be at most ${(tightest / 100).toFixed(2)} USD (${tightest});`,
    );
  });

  test('an amount that is too much for several rows is refused with the first of them', async () => {
    const sandbox = await openSandbox();
    const { rows } = await walk(sandbox, 'sourceCurrency=USD');
    const limits = [...new Set(rows.map(({ maxSendingAmount }) => maxSendingAmount))].sort((a, b) => a - b);
    const amount = (limits.at(-2) ?? 0) + 1;
    const over = rows
      .filter(({ maxSendingAmount }) => maxSendingAmount < amount)
      .map((row) => row.destinationCurrency.code);
    expect(new Set(over).size).toBeGreaterThan(1);
    const refused = await sandbox.send('GET', `/exchange-rates?sourceCurrency=USD&sendingAmount=${amount}`);
    const { details } = expectRefusal(refused, 400, 'AMOUNT_OUT_OF_RANGE');
    expect(details?.errors?.[0]?.message).toMatch(new RegExp(`^must be at most .* too large in ${over[0]}$`));
  });
});

describe('refusals', () => {
  test.each([
    ['sendingAmount=-1', 'sendingAmount'],
    ['sendingAmount=1.5', 'sendingAmount'],
    ['sendingAmount=1e3', 'sendingAmount'],
    ['sendingAmount=9000000000000001', 'sendingAmount'],
    ['sendingAmount=36893488147419103232', 'sendingAmount'],
    ['sendingAmount=1&sendingAmount=1', 'sendingAmount'],
    ['sourceCurrency=usd', 'sourceCurrency'],
    ['sourceCurrency=', 'sourceCurrency'],
    ['sourceCurrency=USD&sourceCurrency=EUR', 'sourceCurrency'],
    ['destinationCurrency=EUR,MXN', 'destinationCurrency/0'],
    ['destinationCurrency=EUR&destinationCurrency=', 'destinationCurrency/1'],
    ['destinationCurrency=EUR&destinationCurrency=EUR', 'destinationCurrency'],
    [
      Array.from(
        { length: 51 },
        (_, at) => `destinationCurrency=A${'ABCDE'[at % 5]}${'ABCDEFGHIJK'[Math.floor(at / 5)]}`,
      ).join('&'),
      'destinationCurrency',
    ],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=abc', 'cursor'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `/exchange-rates?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
