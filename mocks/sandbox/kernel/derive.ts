import { hkdfSync } from 'node:crypto';

/** Bytes that belong to one thing of one platform and are the same whenever asked for; not to be guessed from others. */
export type Derive = (platformId: string, label: string, length: number) => Uint8Array<ArrayBuffer>;

/** @param key of the store, in hex: what is derived lasts as long as the store. HKDF-SHA-256 (RFC 5869). */
export function createDerive(key: string): Derive {
  return (platformId, label, length) =>
    new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'hex'), '', JSON.stringify([platformId, label]), length));
}
