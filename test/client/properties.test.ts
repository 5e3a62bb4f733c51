/**
 * Promise: for random keys, the client opens what the service seals, and the service verifies what the client stamps.
 * That includes keys and signatures that begin with zero bytes, about one in some hundred. Code that converts them to
 * numbers would lose those bytes.
 */
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromBase64Url, openSessionKey, stamp, type WalletKeys } from '../../client/index.ts';
import { sealToClient } from '../../mocks/sandbox/proofs/seal.ts';
import { verifyStamp } from '../../mocks/sandbox/proofs/stamp.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { byLength } from '../support/run/length.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** Keys whose private half the test knows, stored as `createWalletKeys` stores them. */
async function keysOf(scalar: Uint8Array): Promise<WalletKeys> {
  const point = p256.getPublicKey(scalar, false);
  const publicJwk = { kty: 'EC', crv: 'P-256', x: base64Url(point.slice(1, 33)), y: base64Url(point.slice(33)) };
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' };
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey('jwk', { ...publicJwk, d: base64Url(scalar) }, algorithm, false, ['deriveBits']),
    crypto.subtle.importKey('jwk', publicJwk, algorithm, true, []),
  ]);
  return { publicKeyHex: hex(point), keyPair: { privateKey, publicKey } };
}

function seal(content: Uint8Array, to: WalletKeys, seed: number): Promise<string> {
  return sealToClient(content, to.publicKeyHex, seededChance(seed).scope('seal'));
}

const smallScalar = (value: number) => Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));

/** Special private keys, found by counting up. */
const edgeKeys: readonly [what: string, scalar: Uint8Array][] = [
  ['one, the least there is', smallScalar(1)],
  ['one zero byte at its beginning', Uint8Array.of(0, ...new Uint8Array(31).fill(0x5a))],
  ['one zero byte at its end', Uint8Array.of(...new Uint8Array(31).fill(0x5a), 0)],
  ['a public key whose x begins with a zero byte', smallScalar(379)],
  ['a public key whose y begins with a zero byte', smallScalar(43)],
];

const scalars = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => p256.utils.isValidSecretKey(bytes))
  .map((bytes) => Uint8Array.from(bytes));
const privateKeys = fc.oneof({ weight: 4, arbitrary: scalars }, fc.constantFrom(...edgeKeys.map(([, key]) => key)));

/** With this seed, the x coordinate of the encapsulated key begins with a zero byte. */
const seedOfZeroX = 78;

describe('seal and open', () => {
  it('round trip: the key that comes out is the one that went in', async () => {
    const facts = fc.record({ recipient: privateKeys, content: privateKeys, seed: fc.nat() });
    const property = fc.asyncProperty(facts, async ({ recipient, content, seed }) => {
      const keys = await keysOf(recipient);
      const opened = await openSessionKey(await seal(content, keys, seed), keys);
      expect(opened.publicKeyHex).toBe(hex(p256.getPublicKey(content, true)));
    });
    await fc.assert(property, { numRuns: byLength(100, 1000) });
  });

  it('the special keys have the property in their name', () => {
    const points = edgeKeys.map(([, scalar]) => p256.getPublicKey(scalar, false));
    expect(points[3]?.[1]).toBe(0);
    expect(points[4]?.[33]).toBe(0);
  });

  it.each(edgeKeys)('with %s, as the recipient and as what is sealed', async (_what, scalar) => {
    const keys = await keysOf(scalar);
    expect(keys.publicKeyHex).toMatch(/^04[0-9a-f]{128}$/);
    const opened = await openSessionKey(await seal(scalar, keys, 1), keys);
    expect(opened.publicKeyHex).toBe(hex(p256.getPublicKey(scalar, true)));
    expect(verifyStamp(await stamp('payload', opened), 'payload')).toBe(opened.publicKeyHex);
  });

  it('with an encapsulated key whose x begins with a zero byte', async () => {
    const [keys, content] = [await keysOf(smallScalar(7)), smallScalar(9)];
    const bundle = await seal(content, keys, seedOfZeroX);
    expect(createBase58check(sha256).decode(bundle)[1]).toBe(0);
    expect((await openSessionKey(bundle, keys)).publicKeyHex).toBe(hex(p256.getPublicKey(content, true)));
  });
});

describe('stamps', () => {
  const key = new Uint8Array(32).fill(5);
  const sessionKey = async () => {
    const keys = await keysOf(smallScalar(2));
    return openSessionKey(await seal(key, keys, 1), keys);
  };

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('over any text verify over that text and no other, 500 times', async () => {
    const signer = await sessionKey();
    const texts = fc.string({ unit: 'grapheme', maxLength: 200 });
    const property = fc.asyncProperty(texts, async (payload) => {
      const header = await stamp(payload, signer);
      expect(header).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(verifyStamp(header, payload)).toBe(signer.publicKeyHex);
      expect(verifyStamp(header, `${payload} `)).toBeNull();
    });
    await fc.assert(property, { numRuns: byLength(150, 500) });
  });

  it.each([
    ['r', 'payload 182', 0],
    ['s', 'payload 130', 32],
  ])('case 52: with a short %s verify', async (_which, payload, at) => {
    const signer = await sessionKey();
    // WebCrypto's signatures are random, so this one with a short half comes from a library with deterministic
    // signatures.
    const signature = Uint8Array.from(p256.sign(new TextEncoder().encode(payload), key, { lowS: false }));
    expect(signature[at]).toBe(0);
    expect(signature[at + 1]).toBeLessThan(0x80);
    vi.spyOn(crypto.subtle, 'sign').mockResolvedValue(signature.buffer);
    const header = await stamp(payload, signer);
    const { signature: der } = JSON.parse(Buffer.from(fromBase64Url(header)).toString());
    // DER drops the zero byte, so the short half has 31 bytes (X.690, 8.3.2).
    expect(der).toContain(`021f${hex(signature.slice(at + 1, at + 32))}`);
    expect(verifyStamp(header, payload)).toBe(signer.publicKeyHex);
  });
});
