/**
 * Promise: the sandbox's Spark invoices have the network's own format, and their amount and receiver can be decoded
 * (D86). The two texts were checked with the network's public package, version 0.8.8, on 28 November 2026. It isn't
 * installed here, because it needs 300 MB.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sparkAddress, sparkInvoice } from '../../mocks/sandbox/payments/spark.ts';
import { readSpark } from '../support/expect/sparkInvoices.ts';
import { runs } from '../support/run/length.ts';

const receiver = 'Quote:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e52';
const expiresAt = Date.parse('2025-10-13T09:35:00.000Z');

test.each([
  [
    'BTC',
    123_456_789,
    receiver,
    'sparkrt1pgssyryhdf6mcmt22he0s6yw6jxdz7y8apjekty98vh56rc6m28t03tqzf8ssqgjzp999dynweh856lq3q2mdyrrjd8j52j3w4hhgef6xqcnjwt9xpsngtfjvccrqtfhvyenztfcvc6k2tfkvscxydtrxfsnzef4xgaqvzxy37euwp3zq5yftxh08gxywvqv',
  ],
  [
    'USDB',
    9_000_000_000_000_000,
    'Quote:x',
    'sparkrt1pgssyryhdf6mcmt22he0s6yw6jxdz7y8apjekty98vh56rc6m28t03tqzffqsqgjzp999dynweh856lq3q2mdyrrjd8j5p63w4hhgef60qaqvzxy37euwps69v9zqfepwgakgj9f2p8z956zhn37u0xjh20gfepuvnjvcg6kr5ulw53fzgr3l7tnetagqqq9nzep6',
  ],
] as const)('an invoice in %s that the public package has read', (asset, amount, memo, text) => {
  expect(sparkInvoice({ receiver, asset, amount, expiresAt, memo })).toBe(text);
});

test('whatever is asked for is in it, to the smallest unit and the second', () => {
  const request = fc.record({
    receiver: fc.string({ minLength: 1 }),
    asset: fc.constantFrom('BTC' as const, 'USDB' as const),
    amount: fc.integer({ min: 1, max: 2_100_000_000_000_000 }),
    expiresAt: fc.integer({ min: 0, max: 253_402_300_799_999 }),
    memo: fc.string({ unit: 'grapheme-composite', maxLength: 40 }),
  });
  fc.assert(
    fc.property(request, (asked) => {
      const { prefix, publicKey, invoice } = readSpark(sparkInvoice(asked) ?? '');
      const { asset, amount, memo } = asked;
      const seconds = asked.expiresAt - (asked.expiresAt % 1000);
      expect(invoice).toMatchObject({ version: 1, asset, amount, memo, expiresAt: seconds });
      expect(readSpark(sparkAddress(asked.receiver))).toEqual({ prefix, publicKey });
      expect(secp256k1.Point.fromHex(publicKey).toBytes()).toHaveLength(33);
    }),
    { numRuns: runs(50) },
  );
});

test('more bitcoin than there can be has no invoice', () => {
  const ask = (asset: 'BTC' | 'USDB', amount: number) => sparkInvoice({ receiver, asset, amount, expiresAt, memo: '' });
  expect(ask('BTC', 2_100_000_000_000_000)).toEqual(expect.any(String));
  expect(ask('BTC', 2_100_000_000_000_001)).toBeUndefined();
  expect(ask('USDB', 2_100_000_000_000_001)).toEqual(expect.any(String));
});
