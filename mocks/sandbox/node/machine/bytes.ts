/** Converts bytes and texts with Node's own code, which is many times faster than JavaScript. */

/** Encodes as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return view(bytes).toString('hex');
}

/** Encodes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return view(bytes).toString('base64url');
}

/** The length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** The position of `part` in `whole`; -1 if it isn't there. */
export function indexOfBytes(whole: Uint8Array, part: Uint8Array): number {
  return view(whole).indexOf(part);
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
