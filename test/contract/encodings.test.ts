/**
 * Promise: base64, base64url and hexadecimal are read in one place and strictly. Encoded bytes are read back unchanged,
 * and an invalid text gives no bytes (D17, D47).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeBase64,
  decodeBase64Url,
  decodeBase64UrlField,
  decodeEitherBase64,
  decodeHex,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
} from '../../contract/encodings.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runs } from '../support/run/length.ts';

const bytesOf = (bytes: Uint8Array | null) => (bytes === null ? null : [...bytes]);
const someBytes = fc.uint8Array({ maxLength: 70 });
const unpadded = (text: string) => text.replace(/=+$/, '');

describe('what is written is read back', () => {
  test('in every encoding, with padding and without', () => {
    fc.assert(
      fc.property(someBytes, (bytes) => {
        const [plain, url] = [Buffer.from(bytes).toString('base64'), encodeBase64Url(bytes)];
        const paddedUrl = plain.replaceAll('+', '-').replaceAll('/', '_');
        expect([encodeBase64(bytes), url]).toEqual([plain, unpadded(paddedUrl)]);
        for (const text of [plain, unpadded(plain)]) expect(decodeBase64(text)).toEqual(bytes);
        for (const text of [url, paddedUrl]) {
          expect([decodeBase64Url(text), decodeBase64UrlField(text)]).toEqual([bytes, bytes]);
        }
        for (const text of [plain, unpadded(plain), url, paddedUrl]) expect(decodeEitherBase64(text)).toEqual(bytes);
        for (const text of [encodeHex(bytes), encodeHex(bytes).toUpperCase()]) expect(decodeHex(text)).toEqual(bytes);
      }),
    );
  });
});

describe('what is not in the encoding gives no bytes', () => {
  const decoders = { decodeBase64, decodeBase64Url, decodeBase64UrlField, decodeEitherBase64, decodeHex };

  test('any text: either it is the one spelling of its bytes, or there are none', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'ABwg014567+/-_= \n%é') }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg') }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const [plain, url, hex] = [decodeBase64(given), decodeBase64Url(given), decodeHex(given)];
        if (plain !== null) expect([encodeBase64(plain), unpadded(encodeBase64(plain))]).toContain(given);
        if (url !== null) {
          const padded = encodeBase64(url).replaceAll('+', '-').replaceAll('/', '_');
          expect([padded, encodeBase64Url(url)]).toContain(given);
        }
        if (hex !== null) expect(encodeHex(hex)).toBe(given.toLowerCase());
        expect(bytesOf(decodeEitherBase64(given))).toEqual(bytesOf(/[-_]/.test(given) ? url : plain));
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each([
    ['a character of no alphabet', '%%AA'],
    ['a space inside', 'AA AA'],
    ['a space behind', 'AAAA '],
    ['a line break', 'AAAA\n'],
    ['a letter beyond ASCII', 'AAAé'],
    ['a length that no bytes have', 'AAAAA'],
    ['too much padding', 'AAAA=='],
    ['too little padding', 'AA='],
    ['padding of a whole group', 'AAAA===='],
    ['padding in the middle', 'AA==AAAA'],
    ['padding alone', '=='],
    ['both alphabets', 'A-A+'],
  ])('%s', (_name, text) => {
    const made = Object.entries(decoders).filter(([, decode]) => decode(text) !== null);
    expect(made.map(([name]) => name)).toEqual([]);
  });

  test.each([
    ['bits left over: for what names or carries, not for what proves', 'AB', { field: [0], proof: null }],
    ['bits left over after two bytes', 'AAF', { field: [0, 1], proof: null }],
    ['bits left over, with padding', 'AAF=', { field: [0, 1], proof: null }],
    ['nothing', '', { field: [], proof: [] }],
  ])('%s', (_name, text, { field, proof }) => {
    expect(bytesOf(decodeBase64UrlField(text))).toEqual(field);
    expect(bytesOf(decodeBase64Url(text))).toEqual(proof);
  });
});

test('no other module of the product decodes by itself', () => {
  const lax = /\batob\(|\bBuffer\.from\([^()]*(?:\([^()]*\)[^()]*)*,\s*['"](?:base64|base64url|hex)['"]\)|fromBase64\(/;
  expect(lax.test("Buffer.from(match[1], 'base64')") && lax.test("Buffer.from(read(text), 'hex')")).toBe(true);
  const found = ['cli', 'client', 'conformance', 'contract', 'mcp', 'mocks', 'package', 'traffic']
    .flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => /\.(?:ts|mjs)$/.test(name))
    .filter((name) => lax.test(readFileSync(join(projectRoot, name), 'utf8')));
  expect(found).toEqual([]);
});
