/** Decodes the bytes of a body to text, with any content coding. */
import type { RecordedBody } from './exchange.ts';
import { canUnpack, unpack } from './unpack.ts';

/**
 * Some recorders store the original bytes; others unpack them and leave the header. So bytes that are already text
 * stay.
 */
export function decodeBytes(bytes: Uint8Array, contentEncoding: string): RecordedBody {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const text = asText(bytes);
  if (codings.length === 0 || (text !== undefined && isJson(text))) {
    return text === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text };
  }
  // The body's content can't be known here.
  if (!codings.every(canUnpack)) return { kind: 'unrecorded' };
  try {
    const unpacked = asText(codings.reduceRight((packed, coding) => unpack(coding, packed), bytes));
    return unpacked === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text: unpacked };
  } catch {
    if (text !== undefined) return { kind: 'text', text };
    return { kind: 'unreadable', why: `cannot be unpacked as ${codings.join(', ')}` };
  }
}

/** The length of a text in UTF-8 bytes, in Node and in a page. */
export function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}

const encoder = new TextEncoder();

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
