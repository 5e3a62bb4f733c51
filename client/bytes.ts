import { type Bytes, decodeBase64Url, encodeBase64Url, encodeHex } from '../contract/encodings.ts';

export type { Bytes };

/** Encodes as base64url without padding (RFC 4648, 5; D47), the form of every binary field of the interface. */
export function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  return encodeBase64Url(new Uint8Array(bytes));
}

/**
 * Decodes a base64url text (RFC 4648, 5). Padding is allowed (D47). Decode a challenge once with this before the
 * browser signs it, because the browser signs the bytes, not the text.
 * @throws TypeError for any other text: characters of plain base64, white space, an impossible length, wrong padding,
 * or bits left over after the last byte.
 */
export function fromBase64Url(text: string): Bytes {
  const bytes = decodeBase64Url(text);
  if (bytes === null) throw new TypeError('The text is not base64url.');
  return bytes;
}

/** Encodes as lower-case hexadecimal, the form of every public key of the interface. */
export function toHex(bytes: Uint8Array): string {
  return encodeHex(bytes);
}

/** Encodes a text as UTF-8. */
export function utf8(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** Joins the parts in their order. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
