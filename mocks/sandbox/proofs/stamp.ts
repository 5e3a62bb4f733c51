import { p256 } from '@noble/curves/nist.js';
import { decodeEitherBase64, decodeHex, encodeBase64Url } from '../../../contract/encodings.ts';
import { type P256Point, verifyP256 } from '../node/machine/crypto.ts';

const scheme = 'SIGNATURE_SCHEME_TK_API_P256';

/**
 * Checks an API-key stamp over a payload (D17): base64url or base64 of exactly `{publicKey, scheme, signature}`. The
 * signature is DER in hex, ECDSA over one SHA-256 of the payload's UTF-8. A high s is accepted, because Node's clients
 * make one half of the time.
 * @returns the compressed public key, lower-case hex, that signed exactly these bytes; otherwise null.
 */
export function verifyStamp(header: string, payload: string): string | null {
  const stamp = readStamp(header);
  if (stamp === null) return null;
  const key = importKey(stamp.publicKey);
  const signature = decodeHex(stamp.signature);
  if (key === null || signature === null) return null;
  return verifies(payload, key, signature) ? stamp.publicKey.toLowerCase() : null;
}

/** Checks a signature alone, DER in base64 or base64url, against one compressed key in hex (D17). */
export function verifyBareSignature(header: string, payload: string, compressed: string): boolean {
  const key = importKey(compressed);
  const signature = decodeEitherBase64(header);
  return key !== null && signature !== null && verifies(payload, key, signature);
}

/** Whether a header has the form of a stamp, or of a signature alone. It doesn't check who signed, or what. */
export function isSignatureShaped(header: string): boolean {
  if (readStamp(header) !== null) return true;
  try {
    p256.Signature.fromBytes(decodeEitherBase64(header) ?? new Uint8Array(), 'der');
    return true;
  } catch {
    return false;
  }
}

// JSON has no byte order mark, so a mark at the start makes it a different text (RFC 8259, 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Stamp {
  readonly publicKey: string;
  readonly signature: string;
}

function readStamp(header: string): Stamp | null {
  const bytes = decodeEitherBase64(header);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    const { publicKey, scheme: named, signature, ...others } = value as Record<string, unknown>;
    if (Object.keys(others).length > 0) return null;
    if (named !== scheme || typeof publicKey !== 'string' || typeof signature !== 'string') return null;
    return { publicKey, signature };
  } catch {
    return null;
  }
}

function importKey(compressed: string): P256Point | null {
  if (!/^0[23][0-9a-fA-F]{64}$/.test(compressed)) return null;
  try {
    const point = p256.Point.fromHex(compressed).toBytes(false);
    return { x: encodeBase64Url(point.subarray(1, 33)), y: encodeBase64Url(point.subarray(33)) };
  } catch {
    return null;
  }
}

function verifies(payload: string, key: P256Point, signature: Uint8Array): boolean {
  try {
    return verifyP256(key, new TextEncoder().encode(payload), signature);
  } catch {
    return false;
  }
}
