/** In place of traffic/unpack.ts: a page can unpack, but only in streams, and what it records comes unpacked. */

/** @returns false: what is packed stays so. */
export function canUnpack(_coding: string): boolean {
  return false;
}

/** @throws Error always. */
export function unpack(coding: string, _bytes: Uint8Array): Uint8Array {
  throw new Error(`${coding} can't be unpacked in a page`);
}
