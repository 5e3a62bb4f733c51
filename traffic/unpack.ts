/** Content codings by Node's zlib. In a page another module stands in its place (mocks/sandbox/browser/unpack.ts). */
import zlib from 'node:zlib';
import { attachmentBytes } from '../contract/bounds.ts';

/** Whether this runtime can say what is inside: Node 20 has no zstd. A coding that nobody knows is for `unpack` to refuse. */
export function canUnpack(coding: string): boolean {
  return coding !== 'zstd' || zlib.zstdDecompressSync !== undefined;
}

/** A reply that unpacks to more is a trap, not a reply of this service. */
const options = { maxOutputLength: attachmentBytes };

/** @throws Error for a coding that nobody knows, and for bytes that are not in it. */
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
      // The zlib form by RFC 9110; some servers send the bare one.
      return bytes[0] !== undefined && (bytes[0] & 0x0f) === 8
        ? zlib.inflateSync(bytes, options)
        : zlib.inflateRawSync(bytes, options);
    default:
      throw new Error(`unknown content coding ${coding}`);
  }
}
