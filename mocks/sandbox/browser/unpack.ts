/** Replaces traffic/unpack.ts. A page can unpack only streams, and what it records is already unpacked. */

/** @returns false: packed bodies stay packed. */
export function canUnpack(_coding: string): boolean {
  return false;
}

/** @throws Error always */
export function unpack(coding: string, _bytes: Uint8Array): Uint8Array {
  throw new Error(`${coding} can't be unpacked in a page`);
}
