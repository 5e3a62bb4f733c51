/**
 * What the sandbox takes from Node's cryptography, and the one place where it does. A runtime without `node:crypto` needs
 * a module with these functions, and nothing else.
 */
import * as node from 'node:crypto';

/** SHA-256 of the bytes, or of the UTF-8 of a text. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return node.hash('sha256', data, 'buffer');
}

/** {@link sha256} in lower-case hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return node.hash('sha256', data, 'hex');
}

/** {@link sha256} in base64url without padding. */
export function sha256Base64Url(data: Uint8Array | string): string {
  return node.hash('sha256', data, 'base64url');
}

/** HMAC-SHA-256 (RFC 2104) over the parts, one after the other; a text stands for its UTF-8. */
export function hmacSha256(key: string, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const hmac = node.createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** HKDF-SHA-256 (RFC 5869) without a salt. */
export function hkdfSha256(key: Uint8Array, info: string, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(node.hkdfSync('sha256', key, '', info, length));
}

/** Cryptographic randomness of the machine. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(node.randomBytes(length));
}

/** Compares in a time that tells nothing of what the bytes are. Bytes of another length are not equal. */
export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && node.timingSafeEqual(one, other);
}

/** A point of P-256 by its coordinates, in base64url. */
export interface P256Point {
  readonly x: string;
  readonly y: string;
}

/**
 * Whether the signature, in its DER form, is ECDSA by this key over SHA-256 of the message. A high s is accepted.
 * @throws Error if the point isn't on the curve.
 */
export function verifyP256({ x, y }: P256Point, message: Uint8Array, signature: Uint8Array): boolean {
  const key = node.createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  return node.verify('sha256', message, { key, dsaEncoding: 'der' }, signature);
}
