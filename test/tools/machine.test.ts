/**
 * Promise: a page's replacements of Node's machine modules return the same results as the originals, for every input.
 */
import { createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as bytesOfPage from '../../mocks/sandbox/browser/machine/bytes.ts';
import * as certificatesOfPage from '../../mocks/sandbox/browser/machine/certificate.ts';
import * as cryptoOfPage from '../../mocks/sandbox/browser/machine/crypto.ts';
import * as timersOfPage from '../../mocks/sandbox/browser/machine/timers.ts';
import * as bytesOfNode from '../../mocks/sandbox/node/machine/bytes.ts';
import * as certificatesOfNode from '../../mocks/sandbox/node/machine/certificate.ts';
import * as cryptoOfNode from '../../mocks/sandbox/node/machine/crypto.ts';
import { runs } from '../support/run/length.ts';

const numRuns = runs(200);
const bytes = fc.uint8Array({ maxLength: 200 });
const texts = fc.string({ unit: 'binary', maxLength: 100 });
const data = fc.oneof(bytes, texts);

describe('the same functions', () => {
  test.each([
    ['bytes', bytesOfNode, bytesOfPage],
    ['certificate', certificatesOfNode, certificatesOfPage],
    ['crypto', cryptoOfNode, cryptoOfPage],
  ])('%s', (_name, node, page) => {
    expect(Object.keys(page).sort()).toEqual(Object.keys(node).sort());
  });
});

test('hashes', () => {
  fc.assert(
    fc.property(data, (given) => {
      expect(cryptoOfPage.sha256Hex(given)).toBe(cryptoOfNode.sha256Hex(given));
      expect(cryptoOfPage.sha256Base64Url(given)).toBe(cryptoOfNode.sha256Base64Url(given));
      expect([...cryptoOfPage.sha256(given)]).toEqual([...cryptoOfNode.sha256(given)]);
    }),
    { numRuns },
  );
});

test('keyed hashes and derived keys', () => {
  fc.assert(
    fc.property(
      texts,
      fc.array(data, { maxLength: 3 }),
      bytes,
      fc.integer({ min: 1, max: 64 }),
      (key, parts, seed, size) => {
        expect([...cryptoOfPage.hmacSha256(key, ...parts)]).toEqual([...cryptoOfNode.hmacSha256(key, ...parts)]);
        expect([...cryptoOfPage.hkdfSha256(seed, key, size)]).toEqual([...cryptoOfNode.hkdfSha256(seed, key, size)]);
      },
    ),
    { numRuns },
  );
});

test('bytes as text, and a sequence of bytes inside another', () => {
  fc.assert(
    fc.property(bytes, bytes, texts, fc.nat(200), fc.nat(20), (whole, other, text, start, length) => {
      expect(bytesOfPage.toHex(whole)).toBe(bytesOfNode.toHex(whole));
      expect(bytesOfPage.toBase64Url(whole)).toBe(bytesOfNode.toBase64Url(whole));
      expect(bytesOfPage.utf8Length(text)).toBe(bytesOfNode.utf8Length(text));
      const part = whole.slice(start, start + length);
      expect(bytesOfPage.indexOfBytes(whole, part)).toBe(bytesOfNode.indexOfBytes(whole, part));
      expect(bytesOfPage.indexOfBytes(whole, other)).toBe(bytesOfNode.indexOfBytes(whole, other));
      expect(cryptoOfPage.equalInConstantTime(whole, other)).toBe(cryptoOfNode.equalInConstantTime(whole, other));
      expect(cryptoOfPage.equalInConstantTime(whole, whole.slice())).toBe(true);
    }),
    { numRuns },
  );
});

describe('signatures', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const sign = (message: Uint8Array) => new Uint8Array(createSign('sha256').update(message).sign(privateKey));
  const verdict = (verify: typeof cryptoOfNode.verifyP256, ...given: Parameters<typeof cryptoOfNode.verifyP256>) => {
    try {
      return verify(...given);
    } catch {
      return 'no point';
    }
  };

  test('good ones, broken ones, and other bytes', () => {
    const broken = fc.tuple(fc.nat(80), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(bytes, fc.option(broken), fc.option(bytes), (message, flip, garbage) => {
        const signature = garbage ?? sign(message);
        if (flip !== null && signature.length > 0) {
          const at = flip[0] % signature.length;
          signature[at] = (signature[at] ?? 0) ^ flip[1];
        }
        const given = [{ x, y }, message, signature] as const;
        expect(verdict(cryptoOfPage.verifyP256, ...given)).toBe(verdict(cryptoOfNode.verifyP256, ...given));
      }),
      { numRuns },
    );
  });

  test('a point that is not on the curve', () => {
    const given = [{ x, y: x }, new Uint8Array(3), sign(new Uint8Array(3))] as const;
    expect(verdict(cryptoOfNode.verifyP256, ...given)).toBe('no point');
    expect(verdict(cryptoOfPage.verifyP256, ...given)).toBe('no point');
  });
});

test('deferred work runs in order, each piece in a separate turn', async () => {
  const done: number[] = [];
  await new Promise<void>((resolve) => {
    for (const count of [1, 2, 3]) timersOfPage.setImmediate(() => done.push(count));
    timersOfPage.setImmediate(() => {
      timersOfPage.setImmediate(resolve);
      done.push(4);
    });
    done.push(0);
  });
  expect(done).toEqual([0, 1, 2, 3, 4]);
});
