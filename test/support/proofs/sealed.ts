/**
 * Opens sealed keys like the recipient (D17), with a public library instead of the sandbox's code, and with Node's
 * cryptography, because hundreds of tests open a key. `walks/` and `client/walk.test.ts` use another library.
 */
import { createHash } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { p256 } from '@noble/curves/nist.js';
import { createBase58check } from '@scure/base';
import type { ClientKeys } from '../scenes/builders.ts';

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
export const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const utf8 = (text: string) => new TextEncoder().encode(text);
export const concat = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** The content of a sealed bundle. `wrong` sets mistakes that a test makes on purpose. */
export async function openSealed(
  bundle: string,
  { privateKey, publicKeyHex }: ClientKeys,
  wrong: { info?: string; aad?: Uint8Array; enc?: 'compressed' } = {},
): Promise<Uint8Array> {
  const payload = base58check.decode(bundle);
  const compressed = payload.slice(0, 33);
  const encapsulated = p256.Point.fromBytes(compressed).toBytes(false);
  const recipientKey = await suite.kem.importKey('raw', Uint8Array.from(privateKey).buffer, false);
  const context = await suite.createRecipientContext({
    recipientKey,
    enc: Uint8Array.from(wrong.enc === 'compressed' ? compressed : encapsulated).buffer,
    info: utf8(wrong.info ?? 'turnkey_hpke').buffer,
  });
  const aad = wrong.aad ?? concat(encapsulated, Buffer.from(publicKeyHex, 'hex'));
  return new Uint8Array(await context.open(payload.slice(33).buffer, Uint8Array.from(aad).buffer));
}
