import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** SHA-256 of the bytes, or of the UTF-8 of a text. */
export function sha256(data: Uint8Array | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Bytes as base64url without padding (RFC 4648, 5), the only form the sandbox emits. */
export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** The one spelling of a base64url value: padding and stray bits gone, so that ids compare as bytes (D47). */
export function normalizeBase64Url(text: string): string {
  return Buffer.from(text, 'base64url').toString('base64url');
}

/**
 * Hash of a JSON value in its canonical form (RFC 8785): key order and white space make no difference (D15).
 * `undefined` (no body) has a hash of its own.
 */
export function hashJson(value: unknown): string {
  return sha256(value === undefined ? '' : (canonicalize(value) ?? '')).toString('base64url');
}
