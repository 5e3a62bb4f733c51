import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import type { Chance } from '../tools/chance.ts';

// Loaded when first needed, as most runs seal late or never: a tenth of the time to ready.
const openSuite = async () => {
  const { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } = await import('@hpke/core');
  return new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
};
// Given by the key profile (D17); the public client libraries have it built in.
const info = new TextEncoder().encode('turnkey_hpke').buffer;
const base58check = createBase58check(sha256);

/**
 * The key inside a sealed bundle in `magic` proofs (D46): 32 fixed, public bytes, in ASCII so that a reader who opens the
 * bundle sees what it is. A valid P-256 scalar, so client code runs to its end, and it authorises nothing.
 */
export const stubSessionKey: Uint8Array = new TextEncoder().encode('countersign-sandbox-stub-key-v01');

/**
 * Seals bytes to a client's key in the profile of D17: HPKE base mode (RFC 9180), DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM, AAD = encapsulated key ‖ recipient key, both uncompressed.
 * @param clientPublicKey uncompressed SEC 1 in hex; the caller has checked that it is one.
 * @param chance gives the ephemeral key's material, so that a seeded run repeats itself.
 * @returns base58check of the 33-byte compressed encapsulated key ‖ ciphertext ‖ tag.
 */
export async function sealToClient(plaintext: Uint8Array, clientPublicKey: string, chance: Chance): Promise<string> {
  const suite = await openSuite();
  const recipient = new Uint8Array(p256.Point.fromHex(clientPublicKey).toBytes(false));
  const recipientPublicKey = await suite.kem.deserializePublicKey(recipient.buffer);
  const ekm = await suite.kem.deriveKeyPair(chance.bytes(32).buffer);
  const sender = await suite.createSenderContext({ recipientPublicKey, info, ekm });
  const encapsulated = new Uint8Array(sender.enc);
  const aad = new Uint8Array([...encapsulated, ...recipient]).buffer;
  const sealed = new Uint8Array(await sender.seal(Uint8Array.from(plaintext).buffer, aad));
  const compressed = p256.Point.fromBytes(encapsulated).toBytes(true);
  return base58check.encode(new Uint8Array([...compressed, ...sealed]));
}
