import canonicalize from 'canonicalize';
import { decodeBase64UrlField, encodeBase64Url } from '../../../contract/encodings.ts';
import { sha256Base64Url } from '../node/machine/crypto.ts';

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
  return sha256Base64Url(value === undefined ? '' : (canonicalize(value) ?? ''));
}
