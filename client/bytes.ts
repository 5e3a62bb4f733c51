import { base64urlnopad, hex } from '@scure/base';

/** Bytes as WebCrypto takes and gives them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Base64url without padding (RFC 4648, 5; D47), the form of every binary field of the interface. */
export function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  return base64urlnopad.encode(new Uint8Array(bytes));
}

/**
 * The bytes of a base64url text (RFC 4648, 5); padding is allowed (D47). A challenge goes through here once before the
 * browser signs it: what it signs is the bytes, not the text.
 * @throws Error for the characters of plain base64, and for a length that no bytes have.
 */
export function fromBase64Url(text: string): Bytes {
  return new Uint8Array(base64urlnopad.decode(text.replace(/=+$/, '')));
}

/** Lower-case hexadecimal, the form of every public key of the interface. */
export function toHex(bytes: Uint8Array): string {
  return hex.encode(bytes);
}

/** UTF-8 of a text. */
export function utf8(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** The parts one after the other. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
