/**
 * All cryptography that the sandbox takes from Node. A runtime without `node:crypto` needs only another module with
 * these functions.
 */

// An import reads every export, and so loads WebCrypto at every start.
const node = process.getBuiltinModule('node:crypto');

/** SHA-256 of bytes, or of a text in UTF-8. */
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

/** SHA-256 of text that comes in parts. */
export function sha256InParts(): { add(text: string): void; base64Url(): string } {
  const hash = node.createHash('sha256');
  return { add: (text) => void hash.update(text), base64Url: () => hash.digest('base64url') };
}

/** HMAC-SHA-256 (RFC 2104) over the parts in order. A text counts as its UTF-8 bytes. */
export function hmacSha256(key: string, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const hmac = node.createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** HKDF-SHA-256 (RFC 5869) without a salt. */
export function hkdfSha256(key: Uint8Array, info: string, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(node.hkdfSync('sha256', key, '', info, length));
}

/** Random bytes from the machine's cryptographic source. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(node.randomBytes(length));
}

/** Compares in a time that doesn't depend on the bytes. Arrays of different lengths aren't equal. */
export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && node.timingSafeEqual(one, other);
}

/** The coordinates of a point on P-256, in base64url. */
export interface P256Point {
  readonly x: string;
  readonly y: string;
}

/**
 * Whether a signature in DER form is this key's ECDSA over SHA-256 of the message. A high s is accepted.
 * @throws Error if the point isn't on the curve.
 */
export function verifyP256({ x, y }: P256Point, message: Uint8Array, signature: Uint8Array): boolean {
  const key = node.createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  return node.verify('sha256', message, { key, dsaEncoding: 'der' }, signature);
}
