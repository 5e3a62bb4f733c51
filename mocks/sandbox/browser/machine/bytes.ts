/** Converts bytes and texts, like node/machine/bytes.ts. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { base64urlnopad } from '@scure/base';

/** Encodes as lower-case hexadecimal. */
export const toHex: (bytes: Uint8Array) => string = bytesToHex;

/** Encodes as base64url without padding. */
export const toBase64Url: (bytes: Uint8Array) => string = base64urlnopad.encode;

/** The length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return utf8.encode(text).length;
}

const utf8 = new TextEncoder();

/** The position of `part` in `whole`; -1 if it isn't there. */
export function indexOfBytes(whole: Uint8Array, part: Uint8Array): number {
  for (let at = 0; at + part.length <= whole.length; at += 1) {
    if (part.every((byte, index) => whole[at + index] === byte)) return at;
  }
  return -1;
}
