/** The bytes of a body as text, whatever they are packed in. */
import type { RecordedBody } from './exchange.ts';
import { canUnpack, unpack } from './unpack.ts';

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
  // Nobody can tell here what the body was.
  if (!codings.every(canUnpack)) return { kind: 'unrecorded' };
  try {
    const unpacked = asText(codings.reduceRight((packed, coding) => unpack(coding, packed), bytes));
    return unpacked === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text: unpacked };
  } catch {
    if (text !== undefined) return { kind: 'text', text };
    return { kind: 'unreadable', why: `cannot be unpacked as ${codings.join(', ')}` };
  }
}

/** How many bytes a text takes as UTF-8, in Node and in a page. */
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
