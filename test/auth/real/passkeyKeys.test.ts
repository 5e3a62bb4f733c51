/**
 * Promise: with real proofs a passkey is registered only if its key can sign in its holder and nobody else. Any other
 * key would lock the wallet, or open it to everyone. Certificates are checked by the platform's clock (D19, D57).
 */
import { generateKeyPairSync } from 'node:crypto';
import { p256, p384 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { createPasskey, type Deviation, type Entries, es256Secret } from '../../support/proofs/authenticator.ts';
import { makeCertificate } from '../../support/proofs/certificates.ts';
import { invalidPasskey } from '../../support/proofs/passkeys.ts';
import { openProver } from '../../support/proofs/prover.ts';
import { openWallet, walletState } from '../../support/scenes/builders.ts';

const challenge = Buffer.from('registration challenge').toString('base64url');

async function openUnregistered() {
  const { sandbox } = await openProver('real');
  const { accountId } = await openWallet(sandbox);
  const register = (deviation: Deviation, seed = 'passkey') =>
    sandbox.send('POST', '/auth/credentials', {
      body: {
        type: 'PASSKEY',
        accountId,
        nickname: 'Laptop',
        challenge,
        attestation: createPasskey({ seed }).attest(challenge, deviation),
      },
    });
  const count = async () => (await walletState(sandbox, accountId)).credentials.length;
  return { sandbox, register, count };
}

const point = Buffer.from(p256.getPublicKey(es256Secret('passkey'), false));
const [x, y] = [point.subarray(1, 33), point.subarray(33)];
const otherCurve = Buffer.from(p384.getPublicKey(new Uint8Array(48).fill(5), false));
const ec = (facts: { kty?: number; crv?: number; x?: Buffer; y?: Buffer | string }): Entries => [
  [1, facts.kty ?? 2],
  [3, -7],
  [-1, facts.crv ?? 1],
  ...(facts.x === undefined ? [] : [[-2, facts.x] as const]),
  ...(facts.y === undefined ? [] : [[-3, facts.y] as const]),
];
const ed = (facts: { kty?: number; crv?: number; x?: Buffer }): Entries => [
  [1, facts.kty ?? 1],
  [3, -8],
  [-1, facts.crv ?? 6],
  ...(facts.x === undefined ? [] : [[-2, facts.x] as const]),
];
const rsa = (facts: { kty?: number; n?: Buffer; e?: Buffer }): Entries => [
  [1, facts.kty ?? 3],
  [3, -257],
  ...(facts.n === undefined ? [] : [[-1, facts.n] as const]),
  ...(facts.e === undefined ? [] : [[-2, facts.e] as const]),
];
const bytesOf = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
const modulus = (bits: number) =>
  bytesOf(generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' }).n);
const n = modulus(2048);
/** The largest number with this many bits, which is odd. A registration can only check the key's form. */
const odd = (bits: number) =>
  Buffer.from(((1n << BigInt(bits)) - 1n).toString(16).padStart(2 * Math.ceil(bits / 8), '0'), 'hex');
const e = Buffer.of(1, 0, 1);
const edPoint = bytesOf(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x);
const offCurve = Buffer.from(y);
offCurve.writeUInt8(offCurve.readUInt8(31) ^ 1, 31);
const even = Buffer.from(n);
even.writeUInt8(even.readUInt8(even.length - 1) & 0xfe, even.length - 1);

const unusable: readonly (readonly [string, Entries, RegExp])[] = [
  ['ES256 on another curve', ec({ crv: 2, x: otherCurve.subarray(1, 49), y: otherCurve.subarray(49) }), /curve P-256/],
  ['ES256 on a curve that does not exist', ec({ crv: 99, x, y }), /curve P-256/],
  ['ES256 off the curve', ec({ x, y: offCurve }), /not a point/],
  ['ES256 with zeros', ec({ x: Buffer.alloc(32), y: Buffer.alloc(32) }), /not a point/],
  ['ES256 with a short coordinate', ec({ x: x.subarray(1), y }), /32 bytes/],
  ['ES256 with a long coordinate', ec({ x, y: Buffer.concat([Buffer.of(0), y]) }), /32 bytes/],
  ['ES256 compressed', ec({ x }), /32 bytes/],
  ['ES256 with a text as coordinate', ec({ x, y: 'y'.repeat(32) }), /32 bytes/],
  ['ES256 as OKP', ec({ kty: 1, x, y }), /key type EC2/],
  ['ES256 as RSA', ec({ kty: 3, x, y }), /key type EC2/],
  ['EdDSA on Ed448', ed({ crv: 7, x: Buffer.alloc(57, 3) }), /Ed25519/],
  ['EdDSA with a short point', ed({ x: edPoint.subarray(1) }), /32 bytes/],
  ['EdDSA without a point', ed({}), /32 bytes/],
  ['EdDSA off the curve', ed({ x: Buffer.from(`02${'00'.repeat(31)}`, 'hex') }), /point of Ed25519/],
  [
    'EdDSA with the neutral point, which everybody signs for',
    ed({ x: Buffer.from(`01${'00'.repeat(31)}`, 'hex') }),
    /point of Ed25519/,
  ],
  ['EdDSA as EC2', ed({ kty: 2, x: edPoint }), /key type OKP/],
  ['RS256 without n', rsa({ e }), /n and e/],
  ['RS256 without e', rsa({ n }), /n and e/],
  ['RS256 with an empty e', rsa({ n, e: Buffer.alloc(0) }), /n and e/],
  ['RS256 with e = 1, which everybody signs for', rsa({ n, e: Buffer.of(1) }), /exponent/],
  ['RS256 with e = 1 and zeros before it', rsa({ n, e: Buffer.of(0, 0, 1) }), /exponent/],
  ['RS256 with e = 0', rsa({ n, e: Buffer.of(0) }), /exponent/],
  ['RS256 with an even e', rsa({ n, e: Buffer.of(4) }), /exponent/],
  ['RS256 with an endless e', rsa({ n, e: Buffer.alloc(9, 0xff) }), /exponent/],
  ['RS256 of 1024 bits', rsa({ n: modulus(1024), e }), /2048/],
  ['RS256 of 2047 bits', rsa({ n: Buffer.concat([Buffer.of(0x7f), n.subarray(1)]), e }), /2048/],
  [
    'RS256 of 1024 bits with zeros before them',
    rsa({ n: Buffer.concat([Buffer.alloc(128), modulus(1024)]), e }),
    /2048/,
  ],
  ['RS256 of 16,385 bits', rsa({ n: odd(16_385), e }), /16384/],
  ['RS256 with an e of 65 bits', rsa({ n, e: odd(65) }), /exponent/],
  ['RS256 with an even modulus', rsa({ n: even, e }), /even/],
  ['RS256 as EC2', rsa({ kty: 2, n, e }), /RSA|EC2|key/],
];

test.each(unusable)('%s: 401 with a hint, and nothing is registered', async (_name, cose, hint) => {
  const { register, count } = await openUnregistered();
  const answer = await register({ cose });
  expect(answer).toMatchObject(invalidPasskey);
  expect(answer.body.details.hint).toMatch(hint);
  expect(await count()).toBe(0);
});

test.each<[string, Entries]>([
  ['ES256', ec({ x, y })],
  ['EdDSA', ed({ x: edPoint })],
  ['RS256 of 2048 bits', rsa({ n, e })],
  ['RS256 of 16,384 bits', rsa({ n: odd(16_384), e })],
  ['RS256 with e = 3', rsa({ n, e: Buffer.of(3) })],
  ['RS256 with an e of 64 bits', rsa({ n, e: odd(64) })],
])('%s: 201', async (_name, cose) => {
  const { register } = await openUnregistered();
  expect((await register({ cose })).status).toBe(201);
});

describe('case 130: the certificate of an attestation', () => {
  const years: readonly (readonly [string, string, string, number])[] = [
    ['2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', '2031-06-01T00:00:00.000Z', 201],
    ['2026-01-01T00:00:00Z', '2027-12-31T00:00:00Z', '2031-06-01T00:00:00.000Z', 401],
    ['2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', '2030-12-31T23:59:59.000Z', 401],
    ['2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', '2031-12-31T00:00:01.000Z', 401],
    ['2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', '2031-01-01T00:00:00.000Z', 201],
    ['2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', '2031-12-31T00:00:00.000Z', 201],
    ['2051-01-01T00:00:00Z', '2060-01-01T00:00:00Z', '2055-01-01T00:00:00.000Z', 201],
    ['2026-01-01T00:00:00Z', '2060-01-01T00:00:00Z', '2055-01-01T00:00:00.000Z', 201],
  ];
  test.each(years)('from %s to %s, on %s: %i', async (from, to, now, status) => {
    const { sandbox, register } = await openUnregistered();
    expect((await sandbox.control('POST', '/clock', { body: { set: now } })).status).toBe(200);
    const { der, sign } = makeCertificate(from, to);
    const answer = await register({ packed: true, certificates: [der], sign });
    expect(answer).toMatchObject(status === 201 ? { status } : invalidPasskey);
    if (status === 401) expect(answer.body.details.hint).toMatch(/^a certificate is not valid (?:before|after) 20/);
  });

  test.each([100, 300])('may have a name of more than %i bytes', async (length) => {
    const { sandbox, register } = await openUnregistered();
    const set = '2031-06-01T00:00:00.000Z';
    expect((await sandbox.control('POST', '/clock', { body: { set } })).status).toBe(200);
    const { der, sign } = makeCertificate('2031-01-01T00:00:00Z', '2031-12-31T00:00:00Z', 'x'.repeat(length));
    expect((await register({ packed: true, certificates: [der], sign })).status).toBe(201);
  });

  test('of an older security key is left as it is', async () => {
    const { register } = await openUnregistered();
    const { der, sign } = makeCertificate('2025-01-01T00:00:00Z', '2040-12-31T00:00:00Z');
    expect((await register({ u2f: true, certificates: [der], sign })).status).toBe(201);
  });

  test('a statement that another key signed, and an invalid certificate: 401', async () => {
    const { register, count } = await openUnregistered();
    const { der } = makeCertificate('2025-01-01T00:00:00Z', '2026-12-31T00:00:00Z');
    expect(await register({ packed: true, certificates: [der] })).toMatchObject(invalidPasskey);
    for (const broken of [Buffer.from('none'), der.subarray(0, 100), Buffer.alloc(0)]) {
      expect(await register({ packed: true, certificates: [broken] })).toMatchObject(invalidPasskey);
    }
    expect(await count()).toBe(0);
  });
});

test('made in a frame of a page that the platform does not name: 401, and nothing is registered', async () => {
  const { register, count } = await openUnregistered();
  for (const clientData of [{ crossOrigin: true }, { crossOrigin: true, topOrigin: 'https://shop.example' }]) {
    expect(await register({ clientData })).toMatchObject(invalidPasskey);
  }
  expect(await count()).toBe(0);
  expect((await register({})).status).toBe(201);
});
