/** The bytes of a body as text, whatever they are packed in. */
import zlib from 'node:zlib';
import { attachmentBytes } from '../contract/bounds.ts';
import type { RecordedBody } from './exchange.ts';

/** Some recorders keep the bytes as they came, some unpack them and leave the header: what is text as it is, stays. */
export function decodeBytes(bytes: Uint8Array, contentEncoding: string): RecordedBody {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const text = asText(bytes);
  if (codings.length === 0 || (text !== undefined && isJson(text))) {
    return text === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text };
  }
  // Node 20 has no zstd: nobody can tell here what the body was.
  if (codings.includes('zstd') && zlib.zstdDecompressSync === undefined) return { kind: 'unrecorded' };
  try {
    const unpacked = asText(codings.reduceRight((packed, coding) => unpack(coding, packed), bytes));
    return unpacked === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text: unpacked };
  } catch {
    if (text !== undefined) return { kind: 'text', text };
    return { kind: 'unreadable', why: `cannot be unpacked as ${codings.join(', ')}` };
  }
}

/** A reply that unpacks to more is a trap, not a reply of this service. */
const options = { maxOutputLength: attachmentBytes };

/** @throws Error for a coding that nobody knows, and for bytes that are not in it. */
function unpack(coding: string, bytes: Uint8Array): Uint8Array {
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

function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
