/**
 * Promise: a sealed bundle opens only with the keys that it was sealed to. A damaged one, however slightly, throws a
 * `BundleError` that says where the damage is. It never throws anything else, and never returns a wrong result.
 */
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { describe, expect, it } from 'vitest';
import {
  BundleError,
  type BundleFault,
  createWalletKeys,
  openSessionKey,
  openWalletExport,
  type WalletKeys,
} from '../../client/index.ts';
import { sealToClient } from '../../mocks/sandbox/proofs/seal.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { byLength } from '../support/run/length.ts';

const base58check = createBase58check(sha256);
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const scalar = new Uint8Array(32).fill(7);
const keys = await createWalletKeys();
const bundle = await seal(scalar);
const payload = base58check.decode(bundle);

function seal(content: Uint8Array | string, to: WalletKeys = keys): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return sealToClient(bytes, to.publicKeyHex, seededChance(1).scope('seal'));
}

/** The fault of a bundle, or `opened`. Any error but a `BundleError` fails the test. */
async function faultOf(
  text: string,
  open: typeof openSessionKey | typeof openWalletExport = openSessionKey,
): Promise<BundleFault | 'opened'> {
  try {
    await open(text, keys);
    return 'opened';
  } catch (error) {
    if (error instanceof BundleError) return error.fault;
    throw error;
  }
}

/** Every byte string that differs from this one in exactly one byte, with the values that `others` returns. */
function* changed(bytes: Uint8Array, others: readonly number[]): Generator<[position: number, bytes: Uint8Array]> {
  for (const position of bytes.keys()) {
    for (const difference of others) {
      const copy = bytes.slice();
      copy[position] = (copy[position] ?? 0) ^ difference;
      yield [position, copy];
    }
  }
}

const everyDifference = Array.from({ length: 255 }, (_, index) => index + 1);
const everyBit = byLength([1, 128], [1, 2, 4, 8, 16, 32, 64, 128, 255]);

describe('every single change is refused', () => {
  it('of a character, to every other one of the alphabet', async () => {
    expect(await faultOf(bundle)).toBe('opened');
    for (const [position, old] of [...bundle].entries()) {
      for (const character of alphabet.replace(old, '')) {
        const text = bundle.slice(0, position) + character + bundle.slice(position + 1);
        expect(await faultOf(text)).toBe('checksum');
      }
    }
  });

  it('case 55: a character becomes one that base58 does not have', async () => {
    for (const position of bundle.split('').keys()) {
      for (const character of ['0', 'O', 'I', 'l', ' ', '\n', '+', '=', 'é', '\u0000']) {
        const text = bundle.slice(0, position) + character + bundle.slice(position + 1);
        expect(await faultOf(text)).toBe('alphabet');
      }
    }
  });

  it('of a byte, checksum included, to every other value', async () => {
    for (const [, bytes] of changed(base58.decode(bundle), byLength([1, 128, 255], everyDifference))) {
      expect(await faultOf(base58.encode(bytes))).toBe('checksum');
    }
  });

  it('of a byte with the checksum made to fit: bit by bit, in the key as in ciphertext and tag', async () => {
    for (const [position, bytes] of changed(payload, everyBit)) {
      const fault = await faultOf(base58check.encode(bytes));
      // A changed key may be another point of the curve, which leads to another secret.
      expect(position < 33 ? ['point', 'seal'] : ['seal']).toContain(fault);
    }
  });

  it('of the first byte to all but 02 and 03, which leaves no point', async () => {
    const faults = new Map<number, string>();
    for (const [position, bytes] of changed(payload, everyDifference)) {
      if (position > 0) break;
      faults.set(bytes[0] ?? 0, await faultOf(base58check.encode(bytes)));
    }
    const rest = [...faults].filter(([, fault]) => fault !== 'point');
    expect(rest).toEqual([[payload[0] === 2 ? 3 : 2, 'seal']]);
  });
});

describe('case 55: damage of other kinds', () => {
  it('cut short anywhere', async () => {
    for (const length of bundle.split('').keys()) {
      expect(['length', 'checksum']).toContain(await faultOf(bundle.slice(0, length)));
      if (length > 0) expect(['length', 'checksum']).toContain(await faultOf(bundle.slice(length)));
    }
  });

  it.each<[what: string, text: () => string, fault: BundleFault]>([
    ['a space before it', () => ` ${bundle}`, 'alphabet'],
    ['a line end after it', () => `${bundle}\n`, 'alphabet'],
    ['quotes around it', () => JSON.stringify(bundle), 'alphabet'],
    ['nothing at all', () => '', 'length'],
    ['hexadecimal', () => `ff${'22'.repeat(80)}`, 'checksum'],
    ['twice in a row', () => bundle + bundle, 'checksum'],
    ['the checksum left on the payload', () => base58check.encode(base58.decode(bundle)), 'seal'],
    ['a byte missing from the tag', () => base58check.encode(payload.slice(0, -1)), 'seal'],
    ['a byte after the tag', () => base58check.encode(Uint8Array.of(...payload, 0)), 'seal'],
    ['a key and less than a tag', () => base58check.encode(payload.slice(0, 33 + 15)), 'length'],
    ['a key and a tag that is of nothing', () => base58check.encode(payload.slice(0, 33 + 16)), 'seal'],
    ['a key alone', () => base58check.encode(payload.slice(0, 33)), 'length'],
  ])('%s', async (_what, text, fault) => {
    expect(await faultOf(text())).toBe(fault);
  });

  it('sealed to other keys', async () => {
    expect(await faultOf(await seal(scalar, await createWalletKeys()))).toBe('seal');
  });
});

describe('case 56: a leading zero byte', () => {
  it('is kept, so that the bundle is refused for what it begins with', async () => {
    expect(base58check.decode('1218Awtf9')).toEqual(Uint8Array.of(0, 2, 3));
    expect(await faultOf('1218Awtf9')).toBe('length');
    expect(await faultOf(base58check.encode(Uint8Array.of(0, ...payload)))).toBe('point');
    expect(await faultOf(`1${bundle}`)).toBe('checksum');
  });
});

describe('what is sealed is not what it should be', () => {
  const order = p256.Point.Fn.ORDER;
  const toBytes = (value: bigint) => Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));

  it.each([
    ['31 bytes', scalar.slice(1)],
    ['33 bytes', Uint8Array.of(0, ...scalar)],
    ['nothing', new Uint8Array()],
    ['zero', new Uint8Array(32)],
    ['the order of the curve', toBytes(order)],
    ['32 times ff', new Uint8Array(32).fill(255)],
  ])('%s in place of a session key', async (_what, content) => {
    expect(await faultOf(await seal(content))).toBe('content');
  });

  it('the largest key there is', async () => {
    expect(await faultOf(await seal(toBytes(order - 1n)))).toBe('opened');
  });

  const eleven = Array(11).fill('abandon').join(' ');

  it.each([
    ["bytes that aren't text", Uint8Array.of(0xff, 0xfe)],
    ['a session key', scalar],
    ['eleven words', eleven],
    ['a space too many', `${eleven}  about`],
    ['a line end', `${eleven} about \n`],
  ])('%s in place of a recovery phrase', async (_what, content) => {
    expect(await faultOf(await seal(content), openWalletExport)).toBe('content');
  });

  it('twelve words', async () => {
    expect(await openWalletExport(await seal(`${eleven} about`), keys)).toBe(`${eleven} about`);
  });
});

describe('case 58: the profile is D17 and no other', () => {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  const text = (value: string) => new TextEncoder().encode(value);
  const compress = (key: Uint8Array) => p256.Point.fromBytes(key).toBytes(true);
  const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
  type AssociatedData = (encapsulated: Uint8Array, recipient: Uint8Array) => Uint8Array;

  async function sealBy(info: Uint8Array<ArrayBuffer>, associatedData: AssociatedData): Promise<string> {
    const recipient = Uint8Array.from(Buffer.from(keys.publicKeyHex, 'hex'));
    const sender = await suite.createSenderContext({
      recipientPublicKey: await suite.kem.deserializePublicKey(recipient.buffer),
      info: info.buffer,
    });
    const encapsulated = new Uint8Array(sender.enc);
    const sealed = await sender.seal(scalar.buffer, Uint8Array.from(associatedData(encapsulated, recipient)).buffer);
    return base58check.encode(join(compress(encapsulated), new Uint8Array(sealed)));
  }

  it.each<[string, string, AssociatedData, string]>([
    ['the profile', 'turnkey_hpke', (enc, own) => join(enc, own), 'opened'],
    ['no info', '', (enc, own) => join(enc, own), 'seal'],
    ['info with a final zero', 'turnkey_hpke\u0000', (enc, own) => join(enc, own), 'seal'],
    ['no associated data', 'turnkey_hpke', () => new Uint8Array(), 'seal'],
    ['the two keys the other way round', 'turnkey_hpke', (enc, own) => join(own, enc), 'seal'],
    ['the encapsulated key compressed', 'turnkey_hpke', (enc, own) => join(compress(enc), own), 'seal'],
    ['both keys compressed', 'turnkey_hpke', (enc, own) => join(compress(enc), compress(own)), 'seal'],
    ['one key only', 'turnkey_hpke', (enc) => enc, 'seal'],
  ])('%s', async (_what, info, associatedData, outcome) => {
    expect(await faultOf(await sealBy(text(info), associatedData))).toBe(outcome);
  });
});
