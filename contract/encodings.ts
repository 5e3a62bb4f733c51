import { base64nopad, base64urlnopad, hex } from '@scure/base';

/** Bytes as WebCrypto takes and gives them. */
export type Bytes = ReturnType<Uint8ArrayConstructor['from']>;

/**
 * Base64 (RFC 4648, 4), padded or not. Null for anything else: another alphabet, white space, a length that no bytes
 * have, padding of the wrong length, bits left over after the last byte (RFC 4648, 3.5).
 */
export function decodeBase64(text: string): Bytes | null {
  return decode(base64nopad, unpadded(text));
}

/** Base64url (RFC 4648, 5), padded or not. Null for anything else, as {@link decodeBase64}. */
export function decodeBase64Url(text: string): Bytes | null {
  return decode(base64urlnopad, unpadded(text));
}

/**
 * Base64url as {@link decodeBase64Url}, but with any bits left over after the last byte: for fields that name or carry
 * something and prove nothing, where hand-written values often have such bits (D47).
 */
export function decodeBase64UrlField(text: string): Bytes | null {
  const bare = unpadded(text);
  if (bare === null || bare.length % 4 === 1) return null;
  // Zeros fill the last group, so that the bits that were left over belong to bytes that are cut off again.
  const whole = decode(base64urlnopad, bare.padEnd(Math.ceil(bare.length / 4) * 4, 'A'));
  return whole === null ? null : whole.slice(0, Math.floor((bare.length * 3) / 4));
}

/** Either of the two, never a mixture of their alphabets. Null for anything else. */
export function decodeEitherBase64(text: string): Bytes | null {
  return /[-_]/.test(text) ? decodeBase64Url(text) : decodeBase64(text);
}

/** Hexadecimal in either case, two characters a byte. Null for anything else. */
export function decodeHex(text: string): Bytes | null {
  return decode(hex, text);
}

/** Base64 with padding (RFC 4648, 4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = base64nopad.encode(plain(bytes));
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Base64url without padding (RFC 4648, 5; D47): the form in which everything of ours writes bytes. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return base64urlnopad.encode(plain(bytes));
}

/** Lower-case hexadecimal. */
export function encodeHex(bytes: Uint8Array): string {
  return hex.encode(plain(bytes));
}

/**
 * The same bytes as what this realm calls a Uint8Array. A test in jsdom has another `Uint8Array` than the Buffers that Node
 * makes, and the encoders refuse those.
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

/** The text without its padding; null if that is not what fills the last group of four. */
function unpadded(text: string): string | null {
  if (!text.endsWith('=')) return text;
  return text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : null;
}
