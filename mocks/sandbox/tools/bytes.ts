import canonicalize from 'canonicalize';
import { decodeBase64UrlField, encodeBase64Url } from '../../../contract/encodings.ts';
import { hash } from '../node/machine/crypto.ts';

/** SHA-256 of the bytes, or of the UTF-8 of a text. */
export function sha256(data: Uint8Array | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/**
 * The one spelling of a base64url field: padding and left-over bits gone, so that ids compare as bytes (D47).
 * @throws TypeError for a text that the contract's pattern refuses.
 */
export function normalizeBase64Url(text: string): string {
  const bytes = decodeBase64UrlField(text);
  if (bytes === null) throw new TypeError('The text is not base64url');
  return encodeBase64Url(bytes);
}

/**
 * Hash of a JSON value in its canonical form (RFC 8785): key order and white space make no difference (D15).
 * `undefined` (no body) has a hash of its own.
 */
export function hashJson(value: unknown): string {
  return sha256(value === undefined ? '' : (canonicalize(value) ?? '')).toString('base64url');
}
