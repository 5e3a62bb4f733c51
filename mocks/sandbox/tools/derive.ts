import { decodeHex } from '../../../contract/encodings.ts';
import { hkdfSha256 } from '../node/machine/crypto.ts';

/**
 * Bytes that belong to one thing of one platform and are the same whenever asked for; not to be guessed from others.
 * @param platformKey what a platform that came from elsewhere was given there, in hex; its own when absent.
 */
export type Derive = (
  platformId: string,
  label: string,
  length: number,
  platformKey?: string,
) => Uint8Array<ArrayBuffer>;

/** The label under which a platform's own key can be asked for, to go along in its snapshot. */
export const platformKeyLabel = '';

/**
 * Each platform has a key of its own, from which no other's can be told: HKDF-SHA-256 (RFC 5869), twice.
 * @param key of the store, in hex: what is derived lasts as long as the store.
 */
export function createDerive(key: string): Derive {
  return (platformId, label, length, platformKey) => {
    const own = platformKey === undefined ? hkdfSha256(fromHex(key), platformId, 32) : fromHex(platformKey);
    return label === platformKeyLabel ? own : hkdfSha256(own, label, length);
  };
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeHex(text);
  if (bytes === null) throw new TypeError('The key is not hexadecimal');
  return bytes;
}
