/**
 * Unpacks content codings with Node's zlib. In a page another module replaces this one
 * (mocks/sandbox/browser/unpack.ts).
 */
import zlib from 'node:zlib';
import { attachmentBytes } from '../contract/bounds.ts';

/**
 * Whether this runtime can unpack a coding: Node 20 has no zstd. It accepts an unknown coding, so that `unpack` refuses
 * it.
 */
export function canUnpack(coding: string): boolean {
  return coding !== 'zstd' || zlib.zstdDecompressSync !== undefined;
}

/** A reply that unpacks to more is an attack, not a reply of this service. */
const options = { maxOutputLength: attachmentBytes };

/** @throws Error for an unknown coding, and for bytes that don't have it */
export function unpack(coding: string, bytes: Uint8Array): Uint8Array {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(bytes, options);
    case 'br':
      return zlib.brotliDecompressSync(bytes, options);
    case 'zstd':
      return zlib.zstdDecompressSync(bytes, options);
    case 'deflate':
      // RFC 9110 means the zlib form, but some servers send the raw form.
      return bytes[0] !== undefined && (bytes[0] & 0x0f) === 8
        ? zlib.inflateSync(bytes, options)
        : zlib.inflateRawSync(bytes, options);
    default:
      throw new Error(`unknown content coding ${coding}`);
  }
}
