import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { type Bytes, concat, toBase64Url, toHex, utf8 } from './bytes.ts';

// Takes WebCrypto's types from a global that both the DOM library and Node's types declare.
type CryptoKey = Parameters<typeof crypto.subtle.sign>[1];
interface CryptoKeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** A client's key pair. The service seals a session key or an export to it. The private key can't leave WebCrypto. */
export interface WalletKeys {
  /** Uncompressed SEC 1 in hex, 130 characters from 04: the `clientPublicKey` of challenge, verify, refresh and export. */
  readonly publicKeyHex: string;
  readonly keyPair: CryptoKeyPair;
}

/**
 * The signing key of a session, after it was opened. It signs with {@link stamp} and can't be exported again. Like
 * {@link WalletKeys} it survives a reload in IndexedDB, which stores a CryptoKey without revealing it.
 */
export interface SessionKey {
  /** Compressed SEC 1 in hex, 66 characters. The stamp names its key in this form. */
  readonly publicKeyHex: string;
  readonly signingKey: CryptoKey;
}

/**
 * What is wrong with a sealed bundle, in the order of the checks:
 *
 * - `alphabet`: a character that base58 doesn't have
 * - `length`: too few bytes
 * - `checksum`: the checksum doesn't fit, for example because the text was cut short or mistyped
 * - `point`: the encapsulated key isn't on the curve
 * - `seal`: the seal doesn't open
 * - `content`: the bundle opens, but holds something else
 */
export type BundleFault = 'alphabet' | 'length' | 'checksum' | 'point' | 'seal' | 'content';

/** A sealed bundle that can't be opened. `fault` says why. */
export class BundleError extends Error {
  readonly fault: BundleFault;

  constructor(fault: BundleFault, message: string) {
    super(message);
    this.name = 'BundleError';
    this.fault = fault;
  }
}

/**
 * Creates a P-256 key pair in WebCrypto. The private key isn't extractable. Use a new pair for every session and every
 * export (D17).
 * @throws TypeError on a page that isn't a secure context (neither https nor localhost): browsers hide WebCrypto there.
 */
export async function createWalletKeys(): Promise<WalletKeys> {
  const keyPair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  const raw = await crypto.subtle.exportKey('raw', keyPair.publicKey);
  return { publicKeyHex: toHex(new Uint8Array(raw)), keyPair };
}

// The HPKE suite that the service seals with (D17).
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const info = utf8('turnkey_hpke');
const base58check = createBase58check(sha256);
const encapsulatedLength = 33;
const tagLength = 16;
const checksumLength = 4;
const minimumLength = encapsulatedLength + tagLength + checksumLength;

/**
 * Opens an `encryptedSessionSigningKey` with the keys whose public half you sent (D17). With `magic` proofs the result
 * is a public stub, which works here and authorises nothing (D46).
 * @returns the session's signing key, ready for {@link stamp}.
 * @throws BundleError that says what is wrong with the bundle. Its fault is `seal` also if the bundle was sealed to
 * other keys.
 */
export async function openSessionKey(bundle: string, keys: WalletKeys): Promise<SessionKey> {
  const scalar = await openBundle(bundle, keys);
  if (!p256.utils.isValidSecretKey(scalar)) {
    throw new BundleError('content', "The bundle opens, but doesn't contain a P-256 key of 32 bytes.");
  }
  return importSessionKey(scalar);
}

/** The numbers of words that BIP-39 allows. */
const phraseLengths: readonly number[] = [12, 15, 18, 21, 24];

/**
 * Opens the `encryptedWalletCredentials` of a wallet export (D24).
 * @returns the wallet's recovery phrase (BIP-39), with single spaces between its words. Anyone who has it controls the
 * wallet.
 * @throws BundleError as {@link openSessionKey} does.
 */
export async function openWalletExport(bundle: string, keys: WalletKeys): Promise<string> {
  const phrase = readUtf8(await openBundle(bundle, keys));
  const words = phrase?.split(' ') ?? [];
  if (phrase !== null && phraseLengths.includes(words.length) && words.every((word) => word !== '')) return phrase;
  throw new BundleError('content', "The bundle opens, but doesn't contain a recovery phrase.");
}

/** Opens a bundle: base58check of compressed encapsulated key ‖ ciphertext ‖ tag, sealed by HPKE (D17). */
async function openBundle(bundle: string, keys: WalletKeys): Promise<Bytes> {
  const bytes = decodeBundle(bundle);
  const encapsulated = decompress(bytes.slice(0, encapsulatedLength));
  const recipient = new Uint8Array(await crypto.subtle.exportKey('raw', keys.keyPair.publicKey));
  try {
    // The key agreement uses the uncompressed form. Both keys are bound as additional data.
    const opened = await suite.open(
      { recipientKey: keys.keyPair, enc: encapsulated.buffer, info: info.buffer },
      bytes.slice(encapsulatedLength).buffer,
      concat(encapsulated, recipient).buffer,
    );
    return new Uint8Array(opened);
  } catch {
    throw new BundleError('seal', "The bundle can't be opened. It was changed, or sealed to another key.");
  }
}

function decodeBundle(bundle: string): Uint8Array {
  let length: number;
  try {
    length = base58.decode(bundle).length;
  } catch {
    throw new BundleError('alphabet', "The bundle contains a character that base58 doesn't have.");
  }
  if (length < minimumLength) {
    throw new BundleError('length', `The bundle holds ${length} bytes, at least ${minimumLength} are needed.`);
  }
  try {
    return base58check.decode(bundle);
  } catch {
    throw new BundleError('checksum', "The bundle's checksum is wrong. The bundle was cut short or changed.");
  }
}

function decompress(compressed: Uint8Array): Bytes {
  try {
    return new Uint8Array(p256.Point.fromBytes(compressed).toBytes(false));
  } catch {
    throw new BundleError('point', "The bundle doesn't start with a compressed P-256 point.");
  }
}

function readUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function importSessionKey(scalar: Uint8Array): Promise<SessionKey> {
  const point = p256.getPublicKey(scalar, false);
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: toBase64Url(scalar),
    x: toBase64Url(point.slice(1, 33)),
    y: toBase64Url(point.slice(33)),
  };
  const signingKey = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  return { publicKeyHex: toHex(p256.getPublicKey(scalar, true)), signingKey };
}

/**
 * The value of `Service-Wallet-Signature` for a payload: the API-key stamp as base64url (D17).
 * @param payload is signed byte for byte. Pass the `payloadToSign` as you received it, never parsed and serialised
 * again.
 */
export async function stamp(payload: string, key: SessionKey): Promise<string> {
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.signingKey, utf8(payload));
  // WebCrypto returns r ‖ s, but the stamp needs DER.
  const signature = toHex(p256.Signature.fromBytes(new Uint8Array(signed)).toBytes('der'));
  const value = { publicKey: key.publicKeyHex, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature };
  return toBase64Url(utf8(JSON.stringify(value)));
}
