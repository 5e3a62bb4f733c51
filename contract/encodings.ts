import { base64nopad, base64urlnopad, hex } from '@scure/base';

/** Bytes in the type that WebCrypto uses. */
export type Bytes = ReturnType<Uint8ArrayConstructor['from']>;

/**
 * Decodes base64 (RFC 4648, 4), with or without padding. Null for any other text: another alphabet, white space, an
 * impossible length, wrong padding, or bits left over after the last byte (RFC 4648, 3.5).
 */
export function decodeBase64(text: string): Bytes | null {
  return decode(base64nopad, unpadded(text));
}

/** Decodes base64url (RFC 4648, 5), with or without padding. Null for any other text, as {@link decodeBase64}. */
export function decodeBase64Url(text: string): Bytes | null {
  return decode(base64urlnopad, unpadded(text));
}

/**
 * Decodes base64url like {@link decodeBase64Url}, but allows bits left over after the last byte. It is for fields that
 * name or carry something and prove nothing: hand-written values often have such bits (D47).
 */
export function decodeBase64UrlField(text: string): Bytes | null {
  const bare = unpadded(text);
  if (bare === null || bare.length % 4 === 1) return null;
  // Zeros fill the last group. The bits that were left over end up in bytes that are then removed.
  const whole = decode(base64urlnopad, bare.padEnd(Math.ceil(bare.length / 4) * 4, 'A'));
  return whole === null ? null : whole.slice(0, Math.floor((bare.length * 3) / 4));
}

/** Decodes base64 or base64url, but not a mixture of the two alphabets. Null for any other text. */
export function decodeEitherBase64(text: string): Bytes | null {
  return /[-_]/.test(text) ? decodeBase64Url(text) : decodeBase64(text);
}

/** Decodes hexadecimal in either case, two characters per byte. Null for any other text. */
export function decodeHex(text: string): Bytes | null {
  return decode(hex, text);
}

/** Encodes base64 with padding (RFC 4648, 4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = base64nopad.encode(plain(bytes));
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Encodes base64url without padding (RFC 4648, 5; D47), the form in which we write all bytes. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return base64urlnopad.encode(plain(bytes));
}

/** Encodes lower-case hexadecimal. */
export function encodeHex(bytes: Uint8Array): string {
  return hex.encode(plain(bytes));
}

/**
 * The same bytes in this realm's Uint8Array. A test in jsdom has another `Uint8Array` than Node's Buffers, and the
 * encoders refuse those.
 */
function plain(bytes: Uint8Array): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  const { buffer, byteOffset, byteLength }: Uint8Array = bytes;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

interface Decoder {
  decode(text: string): Uint8Array;
}

function decode(decoder: Decoder, text: string | null): Bytes | null {
  if (text === null) return null;
  try {
    return new Uint8Array(decoder.decode(text));
  } catch {
    return null;
  }
}

/** Removes the padding. @returns null if the padding doesn't fill the last group of four exactly */
function unpadded(text: string): string | null {
  if (!text.endsWith('=')) return text;
  return text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : null;
}
