/** The functions of node/machine/crypto.ts without Node, implemented with @noble. */
import { p256 } from '@noble/curves/nist.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as digest } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { toBase64Url, toHex } from './bytes.ts';

/** The coordinates of a point on P-256, in base64url. */
export interface P256Point {
  readonly x: string;
  readonly y: string;
}

/** SHA-256 of bytes, or of a text in UTF-8. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return digest(toBytes(data));
}

/** {@link sha256} in lower-case hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return toHex(sha256(data));
}

/** {@link sha256} in base64url without padding. */
export function sha256Base64Url(data: Uint8Array | string): string {
  return toBase64Url(sha256(data));
}

/** SHA-256 of text that comes in parts. */
export function sha256InParts(): { add(text: string): void; base64Url(): string } {
  const hash = digest.create();
  return { add: (text) => void hash.update(toBytes(text)), base64Url: () => toBase64Url(hash.digest()) };
}

/** HMAC-SHA-256 (RFC 2104) over the parts in order. A text counts as its UTF-8 bytes. */
export function hmacSha256(key: string, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const mac = hmac.create(digest, toBytes(key));
  for (const part of parts) mac.update(toBytes(part));
  return mac.digest();
}

/** HKDF-SHA-256 (RFC 5869) without a salt. */
export function hkdfSha256(key: Uint8Array, info: string, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdf(digest, key, undefined, toBytes(info), length));
}

/** Random bytes from the machine's cryptographic source. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Compares in a time that doesn't depend on the bytes. Arrays of different lengths aren't equal. */
export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}

/**
 * Whether a signature in DER form is this key's ECDSA over SHA-256 of the message. A high s is accepted.
 * @throws Error if the point isn't on the curve.
 */
export function verifyP256({ x, y }: P256Point, message: Uint8Array, signature: Uint8Array): boolean {
  const key = p256.Point.fromAffine({ x: toNumber(x), y: toNumber(y) });
  key.assertValidity();
  try {
    return p256.verify(signature, message, key.toBytes(false), { format: 'der', lowS: false });
  } catch {
    // The bytes aren't a DER signature.
    return false;
  }
}

function toNumber(coordinate: string): bigint {
  return BigInt(`0x${toHex(base64urlnopad.decode(coordinate))}`);
}

const utf8 = new TextEncoder();

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? utf8.encode(data) : data;
}
