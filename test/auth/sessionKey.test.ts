/**
 * Promise: the session key from verify and refresh is really sealed to the client's key, in the profile of D17. The
 * test opens it without the sandbox's code: with an RFC 9180 recipient from the public library, base58check and point
 * decompression. Inside is the public stub of D46. Every operation that takes a key refuses one that can't be sealed
 * to, with 400.
 */
import { randomBytes } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import { sealToClient } from '../../mocks/sandbox/proofs/seal.ts';
import { base58check, concat, openSealed as open } from '../support/proofs/sealed.ts';
import { byLength } from '../support/run/length.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  clientKeys,
  magic,
  oauthRequest,
  openSignedInWallet,
  refreshSession,
  type SignedInWallet,
  signIn,
  signInWithOauth,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const stub = 'countersign-sandbox-stub-key-v01';
const keys = clientKeys(7);
type Issue = (sandbox: TestSandbox, wallet: SignedInWallet) => Promise<string>;
const issues: readonly (readonly [string, Issue])[] = [
  [
    'verify, EMAIL_OTP',
    async (sandbox, { email }) => {
      must(await sandbox.send('POST', `/auth/credentials/${email.id}/challenge`));
      return (await signIn(sandbox, email.id, keys)).encryptedSessionSigningKey;
    },
  ],
  [
    'verify, PASSKEY',
    async (sandbox, { passkey }) => (await signInWithPasskey(sandbox, passkey.id, keys)).encryptedSessionSigningKey,
  ],
  [
    'verify, OAUTH',
    async (sandbox, { accountId }) => {
      const { id } = await addCredential(sandbox, oauthRequest(accountId));
      return (await signInWithOauth(sandbox, id, keys)).encryptedSessionSigningKey;
    },
  ],
  [
    'refresh',
    async (sandbox, { session }) => {
      return (await refreshSession(sandbox, session.id, keys)).encryptedSessionSigningKey;
    },
  ],
];

describe.each(issues)('%s', (_name, issue) => {
  test('the bundle is 81 bytes, and opens with the client key to the stub', async () => {
    const sandbox = await openSandbox();
    const bundle = await issue(sandbox, await openSignedInWallet(sandbox));
    const payload = base58check.decode(bundle);
    expect(payload).toHaveLength(81);
    expect([2, 3]).toContain(payload[0]);
    const opened = await open(bundle, keys);
    expect(new TextDecoder().decode(opened)).toBe(stub);
    expect(p256.utils.isValidSecretKey(opened)).toBe(true);
  });

  test('case 58: with another info, associated data, key or form of the key it fails', async () => {
    const sandbox = await openSandbox();
    const bundle = await issue(sandbox, await openSignedInWallet(sandbox));
    const payload = base58check.decode(bundle);
    const recipient = Buffer.from(keys.publicKeyHex, 'hex');
    const encapsulated = p256.Point.fromBytes(payload.slice(0, 33)).toBytes(false);
    await expect(open(bundle, keys, { info: '' })).rejects.toThrow();
    await expect(open(bundle, keys, { aad: new Uint8Array() })).rejects.toThrow();
    await expect(open(bundle, keys, { aad: concat(recipient, encapsulated) })).rejects.toThrow();
    await expect(open(bundle, keys, { aad: concat(payload.slice(0, 33), recipient) })).rejects.toThrow();
    await expect(open(bundle, keys, { enc: 'compressed' })).rejects.toThrow();
    await expect(open(bundle, clientKeys(8))).rejects.toThrow();
    const flipped = payload.slice();
    flipped[80] = (flipped[80] ?? 0) ^ 1;
    await expect(open(base58check.encode(flipped), keys)).rejects.toThrow();
    expect(() => base58check.decode(bundle.replace(/.$/, (last) => (last === '2' ? '3' : '2')))).toThrow();
  });
});

test('the field says how to open it: what stands in its description is what opens it', async () => {
  const { AuthSession, EncryptedSessionSigningKey } = bundle.components.schemas;
  const field = AuthSession.allOf[1]?.properties?.encryptedSessionSigningKey;
  expect(field).toEqual({ $ref: '#/components/schemas/EncryptedSessionSigningKey' });
  const rows = Object.fromEntries(
    [...EncryptedSessionSigningKey.description.matchAll(/^\| `?(\w+)`? \| (.*) \|$/gm)].map(([, part, says]) => [
      part,
      says,
    ]),
  );
  const sandbox = await openSandbox();
  const [[, issue] = issues[0]!] = issues;
  const sealed = await issue(sandbox, await openSignedInWallet(sandbox));
  const [whole, encapsulated, ciphertext, tag] = rows['bytes']?.match(/\b\d+\b(?= *[:,)])/g)?.map(Number) ?? [];
  expect([whole, encapsulated]).toEqual([base58check.decode(sealed).length, 33]);
  expect((encapsulated ?? 0) + (ciphertext ?? 0) + (tag ?? 0)).toBe(whole);
  const info = /`(.+)`/.exec(rows['info'] ?? '')?.[1] ?? '';
  const opened = await open(sealed, keys, { info });
  expect(rows['content']).toContain(`${opened.length} bytes`);
  expect(rows['suite']).toContain('DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM');
  expect([rows['enc'], rows['aad']]).toEqual([
    expect.stringContaining('65 bytes'),
    expect.stringMatching(/^`enc`, followed by/),
  ]);
});

test('using a key twice is accepted, and no two bundles are the same (D17)', async () => {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  const bundles: string[] = [];
  for (const [, issue] of issues) bundles.push(await issue(sandbox, wallet));
  expect(new Set(bundles).size).toBe(issues.length);
  for (const bundle of bundles) expect(new TextDecoder().decode(await open(bundle, keys))).toBe(stub);
});

test('a key in upper-case hexadecimal is the same key', async () => {
  const sandbox = await openSandbox();
  const { email } = await openSignedInWallet(sandbox);
  must(await sandbox.send('POST', `/auth/credentials/${email.id}/challenge`));
  const upper = { ...keys, publicKeyHex: `04${keys.publicKeyHex.slice(2).toUpperCase()}` };
  const session = await signIn(sandbox, email.id, upper);
  expect(new TextDecoder().decode(await open(session.encryptedSessionSigningKey, keys))).toBe(stub);
});

test('case 58: a thousand keys in the long run, sealed to and opened', async () => {
  const chance = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };
  for (let count = 0; count < byLength(50, 1000); count += 1) {
    const { secretKey: privateKey, publicKey } = p256.keygen();
    const publicKeyHex = Buffer.from(p256.Point.fromBytes(publicKey).toBytes(false)).toString('hex');
    const plaintext = chance.bytes(32);
    const bundle = await sealToClient(plaintext, publicKeyHex, chance);
    const opened = await open(bundle, { privateKey, publicKeyHex });
    expect(opened, `private key ${Buffer.from(privateKey).toString('hex')}`).toEqual(plaintext);
  }
}, 60_000);

describe('cases 49, 50, 122: a clientPublicKey that cannot be sealed to is 400, on every operation that takes one', () => {
  const { publicKeyHex } = clientKeys();
  const [x, y] = [publicKeyHex.slice(2, 66), publicKeyHex.slice(66)];
  const prime = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
  const yOfFive = p256.Point.fromHex(`02${'5'.padStart(64, '0')}`)
    .toHex(false)
    .slice(66);
  const offByOne = (BigInt(`0x${y}`) ^ 1n).toString(16).padStart(64, '0');
  const badKeys = [
    ['compressed', `02${x}`],
    ['hybrid, even', `06${x}${y}`],
    ['hybrid, odd', `07${x}${y}`],
    ['two characters short', `04${x}${y}`.slice(0, 128)],
    ['two characters long', `04${x}${y}00`],
    ['with 0x', `0x04${x}${y}`],
    ['with 0x, of the right length', `0x04${x}${y}`.slice(0, 130)],
    ['with a space', ` 04${x}${y}`],
    ['with a line end', `04${x}${y}\n`],
    ['not hexadecimal', `04${x}${y.slice(1)}g`],
    ['base64', Buffer.from(publicKeyHex, 'hex').toString('base64')],
    ['empty', ''],
    ['the point at infinity', `04${'0'.repeat(128)}`],
    ['off the curve', `04${x}${offByOne}`],
    // 5 is the x of a point. Reduced by the prime, this number would be valid.
    ['x beyond the field', `04${(prime + 5n).toString(16)}${yOfFive}`],
    ['y beyond the field', `04${x}${'f'.repeat(64)}`],
  ] as const;
  const takers = [
    ['challengeCredential', ({ passkey }: SignedInWallet) => `/auth/credentials/${passkey.id}/challenge`, {}],
    [
      'verifyCredential',
      ({ email }: SignedInWallet) => `/auth/credentials/${email.id}/verify`,
      { type: 'EMAIL_OTP', otp: magic.otp },
    ],
    ['refreshSession', ({ session }: SignedInWallet) => `/auth/sessions/${session.id}/refresh`, {}],
  ] as const;

  test.each(badKeys)('%s', async (_name, clientPublicKey) => {
    const sandbox = await openSandbox();
    const wallet = await openSignedInWallet(sandbox);
    must(await sandbox.send('POST', `/auth/credentials/${wallet.email.id}/challenge`));
    const before = await walletState(sandbox, wallet.accountId);
    for (const [operation, pathOf, fields] of takers) {
      const { status, body } = await sandbox.send('POST', pathOf(wallet), { body: { ...fields, clientPublicKey } });
      expect({ operation, status, code: body.code }).toEqual({ operation, status: 400, code: 'INVALID_INPUT' });
      expect(body.details.errors).toEqual([
        {
          in: 'body',
          pointer: '/clientPublicKey',
          message: expect.stringMatching(/uncompressed.*curve.*130 hex.* 04/),
        },
      ]);
    }
    expect(await walletState(sandbox, wallet.accountId)).toEqual(before);
    await signIn(sandbox, wallet.email.id);
  });
});
