import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import type { Chance } from '../tools/chance.ts';

// Loaded at first use, because most runs seal late or never. It saves a tenth of the start time.
const openSuite = async () => {
  const { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } = await import('@hpke/core');
  return new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
};
// Defined by the key profile (D17). The public client libraries contain it too.
const info = new TextEncoder().encode('turnkey_hpke').buffer;
const base58check = createBase58check(sha256);

/**
 * The key inside a sealed bundle with `magic` proofs (D46): 32 fixed, public bytes. They are ASCII, so that a reader
 * who opens the bundle sees what it is. It is a valid P-256 scalar, so client code runs to its end, but it authorises
 * nothing.
 */
export const stubSessionKey: Uint8Array = new TextEncoder().encode('countersign-sandbox-stub-key-v01');

/**
 * Seals bytes to a client's key in the profile of D17: HPKE base mode (RFC 9180), DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM, AAD = encapsulated key ‖ recipient key, both uncompressed.
 * @param clientPublicKey uncompressed SEC 1 in hex. The caller has checked it.
 * @param chance supplies the ephemeral key's material, so that a seeded run repeats.
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
