/** Bytes and texts, as in node/machine/bytes.ts. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { base64urlnopad } from '@scure/base';

/** Lower-case hexadecimal. */
export const toHex: (bytes: Uint8Array) => string = bytesToHex;

/** Base64url without padding. */
export const toBase64Url: (bytes: Uint8Array) => string = base64urlnopad.encode;

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return utf8.encode(text).length;
}

const utf8 = new TextEncoder();

/** Where the bytes of `part` begin in `whole`; -1 if they aren't in it. */
export function indexOfBytes(whole: Uint8Array, part: Uint8Array): number {
  for (let at = 0; at + part.length <= whole.length; at += 1) {
    if (part.every((byte, index) => whole[at + index] === byte)) return at;
  }
  return -1;
}
