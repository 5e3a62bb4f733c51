/**
 * Promise: a stamp has one form, and it is checked exactly: base64 of JSON with a compressed key, the only scheme and a
 * DER signature, both in hexadecimal. Every change to key, scheme or signature is 401. Nothing is guessed, and no stamp
 * causes a 500 (D17).
 */
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeStamp,
  findSignature,
  openProver,
  openSignedIn,
  type StampFacts,
  stampOf,
  stampParts,
} from '../../support/proofs/prover.ts';
import { byLength, runs, sample } from '../../support/run/length.ts';
import { signed } from '../../support/scenes/builders.ts';

const wrongSignature = {
  status: 401,
  body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' },
};

/** A session that is about to be ended with its own key: `send` takes the stamp. */
async function openEnd() {
  const prover = await openProver('real');
  const { signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
  const path = `/auth/sessions/${signedIn.session.id}`;
  const { body } = await prover.sandbox.send('DELETE', path);
  const payload: string = body.payloadToSign;
  const { privateKey } = signedIn;
  const parts = stampParts(payload, privateKey);
  const send = (stamp: string) => prover.sandbox.send('DELETE', path, { headers: signed(body.requestId, stamp) });
  return { payload, privateKey, parts, send };
}

type End = Awaited<ReturnType<typeof openEnd>>;

describe('is accepted', () => {
  const upper = (text: string) => text.toUpperCase();
  test.each<[string, (end: End) => string]>([
    ['base64url', ({ parts }) => encodeStamp(parts)],
    ['plain base64, with its padding', ({ parts }) => encodeStamp(parts, 'base64')],
    ['base64url with padding', ({ parts }) => pad(encodeStamp(parts))],
    ['white space and another order in the JSON', ({ parts }) => reordered(parts)],
    ['the key in capitals', ({ parts }) => encodeStamp({ ...parts, publicKey: upper(parts.publicKey) })],
    ['the signature in capitals', ({ parts }) => encodeStamp({ ...parts, signature: upper(parts.signature) })],
    ['case 52: a short r', (end) => signedSo(end, ({ r }) => r[0] === 0 && Number(r[1]) < 128)],
    ['case 52: a short s', (end) => signedSo(end, ({ s }) => s[0] === 0 && Number(s[1]) < 128)],
    ['case 52: a long r and s, each with a zero in front', (end) => signedSo(end, ({ der }) => der.length === 72)],
    ['a low s', (end) => signedSo(end, ({ s }) => Number(s[0]) < 127)],
    ['a high s', (end) => signedSo(end, ({ s }) => Number(s[0]) > 127)],
  ])('%s', async (_name, make) => {
    const end = await openEnd();
    expect((await end.send(make(end))).status).toBe(204);
  });
});

describe('is refused', () => {
  const rows: readonly (readonly [string, (end: End) => string])[] = [
    ['case 53: r and s in 64 bytes', (end) => withSignature(end, findSignature(...dataOf(end), () => true).raw)],
    [
      'case 53: 64 bytes that begin with 0x30',
      (end) => withSignature(end, findSignature(...dataOf(end), ({ r }) => r[0] === 0x30).raw),
    ],
    ['DER and a byte more', (end) => withSignature(end, Buffer.concat([derOf(end), Buffer.of(0)]))],
    ['DER and a byte less', (end) => withSignature(end, derOf(end).subarray(0, -1))],
    [
      'a length in the longer form, which is BER',
      (end) => withSignature(end, Buffer.concat([Buffer.of(0x30, 0x81), derOf(end).subarray(1)])),
    ],
    ['r and s of zero', (end) => withSignature(end, Buffer.from('3006020100020100', 'hex'))],
    ['no signature', (end) => withSignature(end, new Uint8Array())],
    ['half a byte in the signature', ({ parts }) => encodeStamp({ ...parts, signature: `${parts.signature}0` })],
    ['0x before the signature', ({ parts }) => encodeStamp({ ...parts, signature: `0x${parts.signature}` })],
    ['the signature in base64', ({ parts }) => encodeStamp({ ...parts, signature: toBase64(parts.signature) })],
    ['the signature alone', ({ parts }) => parts.signature],
    ['the key uncompressed', ({ parts, privateKey }) => encodeStamp({ ...parts, publicKey: uncompressed(privateKey) })],
    ['the key without its first byte', ({ parts }) => encodeStamp({ ...parts, publicKey: parts.publicKey.slice(2) })],
    ["a key that isn't a point", ({ parts }) => encodeStamp({ ...parts, publicKey: `02${'f'.repeat(64)}` })],
    ['another scheme', ({ parts }) => encodeStamp({ ...parts, scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' })],
    ['no scheme', ({ parts }) => encodeStamp({ ...parts, scheme: undefined })],
    ['no key', ({ parts }) => encodeStamp({ ...parts, publicKey: undefined })],
    ['a field more', ({ parts }) => encodeStamp({ ...parts, note: '' })],
    ['the key as a list', ({ parts }) => encodeStamp({ ...parts, publicKey: [parts.publicKey] })],
    ['the signature as a number', ({ parts }) => encodeStamp({ ...parts, signature: 7 })],
    ['a list of it', ({ parts }) => encodeStamp([parts])],
    ['its JSON as text', ({ parts }) => encodeStamp(JSON.stringify(parts))],
    ['null', () => encodeStamp(null)],
    ['JSON in the open', ({ parts }) => JSON.stringify(parts)],
    ['encoded twice', ({ parts }) => Buffer.from(encodeStamp(parts)).toString('base64url')],
    ['in hexadecimal', ({ parts }) => Buffer.from(JSON.stringify(parts)).toString('hex')],
    ['cut short', ({ parts }) => encodeStamp(parts).slice(0, -8)],
    ['a character that is not of base64', ({ parts }) => `${encodeStamp(parts)}!`],
    ['padding in the middle', ({ parts }) => `${encodeStamp(parts).slice(0, 40)}=${encodeStamp(parts).slice(40)}`],
    ['no JSON', () => Buffer.from('{"publicKey":').toString('base64url')],
    ['no UTF-8', () => Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')],
    ['a single character', () => 'A'],
    ['a character too many', ({ parts }) => `${pad(encodeStamp(parts)).replace(/=+$/, '')}A`.padEnd(5, 'A')],
    ['padding too much', ({ parts }) => `${pad(encodeStamp(parts))}=`],
    ['both alphabets', ({ parts }) => `${encodeStamp({ ...parts, signature: parts.signature })}-+`],
    ['a byte order mark before it', ({ parts }) => Buffer.from(`\ufeff${JSON.stringify(parts)}`).toString('base64url')],
  ];
  test.each(sample(rows, 16))('%s: 401', async (_name, make) => {
    const end = await openEnd();
    expect(await end.send(make(end))).toMatchObject(wrongSignature);
    expect((await end.send(encodeStamp(end.parts))).status).toBe(204);
  });
});

describe('changed by one character', () => {
  const fields = ['publicKey', 'scheme', 'signature'] as const;

  test('at every place of key, scheme and signature: 401', async () => {
    const { parts, send } = await openEnd();
    for (const field of fields) {
      for (let at = 0; at < parts[field].length; at += byLength(3, 1)) {
        const text = parts[field];
        const changed = text.slice(0, at) + (text[at] === '3' ? '2' : '3') + text.slice(at + 1);
        const answer = await send(encodeStamp({ ...parts, [field]: changed }));
        expect(answer, `${field} ${at}`).toMatchObject(wrongSignature);
      }
    }
    expect((await send(encodeStamp(parts))).status).toBe(204);
  });

  test('to any other, one more or one less: 401', async () => {
    const { parts, send } = await openEnd();
    const character = fc.oneof(fc.constantFrom(...'0123456789abcdef'), fc.string({ minLength: 1, maxLength: 1 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), fc.nat(), fc.constantFrom(0, 1), character, async (...drawn) => {
        const [field, number, removed, inserted] = drawn;
        const text = parts[field];
        const at = number % text.length;
        const changed = text.slice(0, at) + inserted + text.slice(at + removed);
        // Capitals are another spelling of the same key or signature.
        fc.pre(field === 'scheme' ? changed !== text : changed.toLowerCase() !== text);
        expect(await send(encodeStamp({ ...parts, [field]: changed }))).toMatchObject(wrongSignature);
      }),
      { numRuns: runs(200) },
    );
    expect((await send(encodeStamp(parts))).status).toBe(204);
  });
});

test('a stamp over any other text: 401', async () => {
  const { payload, privateKey, send } = await openEnd();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (other) => {
      fc.pre(other !== payload);
      expect(await send(stampOf(other, privateKey))).toMatchObject(wrongSignature);
    }),
    { numRuns: runs(30) },
  );
});

const dataOf = ({ payload, privateKey }: End) => [Buffer.from(payload), privateKey] as const;
const derOf = ({ parts }: End) => Buffer.from(parts.signature, 'hex');
const withSignature = ({ payload, privateKey }: End, signature: Uint8Array) =>
  encodeStamp(stampParts(payload, privateKey, signature));
const signedSo = (end: End, accept: Parameters<typeof findSignature>[2]) =>
  withSignature(end, findSignature(...dataOf(end), accept).der);
const pad = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');
const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const uncompressed = (privateKey: Uint8Array) => Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex');
const reordered = ({ publicKey, scheme, signature }: StampFacts) =>
  Buffer.from(JSON.stringify({ signature, scheme, publicKey }, null, 2)).toString('base64url');
