import { decodeHex } from '../../../contract/encodings.ts';
import { hkdfSha256 } from '../node/machine/crypto.ts';

/**
 * Returns the bytes for one thing of one platform. They are always the same, and can't be guessed from others.
 * @param platformKey for an imported platform, its original key, in hex; its own key if absent.
 */
export type Derive = (
  platformId: string,
  label: string,
  length: number,
  platformKey?: string,
) => Uint8Array<ArrayBuffer>;

/** The label of a platform's own key, which its snapshot contains. */
export const platformKeyLabel = '';

/**
 * Gives each platform its own key, which reveals nothing about other keys: HKDF-SHA-256 (RFC 5869), twice.
 * @param key of the store, in hex. The derived bytes stay the same as long as the store exists.
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
