import canonicalize from 'canonicalize';
import { type Bytes, decodeBase64UrlField, encodeBase64Url } from '../../../contract/encodings.ts';
import { sha256Base64Url } from '../node/machine/crypto.ts';

/**
 * The bytes of a base64url field that has passed the contract's pattern, or that we wrote.
 * @throws TypeError for a text that the pattern refuses.
 */
export function base64UrlBytes(text: string): Bytes {
  const bytes = decodeBase64UrlField(text);
  if (bytes === null) throw new TypeError('The text is not base64url');
  return bytes;
}

/**
 * The canonical spelling of a base64url field, without padding and left-over bits, so that ids compare as bytes (D47).
 * @throws TypeError for a text that the contract's pattern refuses.
 */
export function normalizeBase64Url(text: string): string {
  return encodeBase64Url(base64UrlBytes(text));
}

/**
 * The hash of a JSON value in its canonical form (RFC 8785). Key order and white space make no difference (D15).
 * `undefined` (no body) has its own hash.
 */
export function hashJson(value: unknown): string {
  return sha256Base64Url(value === undefined ? '' : (canonicalize(value) ?? ''));
}
