import { parse } from 'content-type';
import { type BodyBounds, replyBounds, requestBounds } from './bounds.ts';
import type { FoundFault } from './faults.ts';
import { parseJson, readJson } from './json.ts';

/** A body as it was sent, with the headers that describe it. */
export interface SentBody {
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** The body's bytes or text. If there is no text: the reason, as the end of the sentence "The body …". */
  readonly content: Uint8Array | string | { readonly unreadable: string };
}

export type BodyReading =
  /** No bytes, whatever the headers say. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'json';
      readonly value: unknown;
      /** Values of a reply that reading changes. Empty for a request: there such a value is a fault. */
      readonly unkept: readonly FoundFault[];
    }
  | { readonly kind: 'broken'; readonly faults: readonly FoundFault[] };

/**
 * Reads a request's body. It must be within the limits, uncompressed, declared as JSON, UTF-8, and have only values
 * that are kept.
 */
export function readRequestBody(sent: SentBody, bounds: BodyBounds = requestBounds): BodyReading {
  const { content, contentEncoding } = sent;
  if (isEmpty(content)) return { kind: 'none' };
  if (isLarger(content, bounds.bytes)) {
    return broken({ in: 'body', pointer: '', rule: 'body-too-large', message: `has more than ${bounds.bytes} bytes` });
  }
  if ((contentEncoding?.trim().toLowerCase() ?? 'identity') !== 'identity') {
    const message = 'must be left out, because encoded request bodies are not accepted';
    const at = { in: 'header', pointer: '/Content-Encoding', rule: 'media-type' } as const;
    return broken({ ...at, message, value: contentEncoding });
  }
  return readText(sent, (text) => readJson(text, bounds));
}

/** Reads a reply's body, already unpacked. Replies may be larger than requests. */
export function readReplyBody(sent: SentBody): BodyReading {
  return isEmpty(sent.content) ? { kind: 'none' } : readText(sent, (text) => parseJson(text, replyBounds));
}

function readText(
  { contentType, content }: SentBody,
  read: (text: string) => ReturnType<typeof readJson | typeof parseJson>,
): BodyReading {
  const at = { in: 'header', pointer: '/Content-Type', rule: 'media-type' } as const;
  if (contentType === null) return broken({ ...at, message: 'is required, and is application/json' });
  if (!isJson(contentType)) return broken({ ...at, message: 'must be application/json', value: contentType });
  const text = ArrayBuffer.isView(content) ? decodeUtf8(content) : content;
  if (typeof text !== 'string') {
    return broken({ in: 'body', pointer: '', rule: 'not-json', message: text.unreadable });
  }
  // A byte order mark at the start is skipped (RFC 8259, 8.1).
  const reading = read(text.startsWith('\ufeff') ? text.slice(1) : text);
  if ('faults' in reading) return { kind: 'broken', faults: reading.faults };
  return { kind: 'json', value: reading.value, unkept: 'unkept' in reading ? reading.unkept : [] };
}

function broken(fault: FoundFault): BodyReading {
  return { kind: 'broken', faults: [fault] };
}

function isEmpty(content: SentBody['content']): boolean {
  return ArrayBuffer.isView(content) ? content.length === 0 : content === '';
}

function isLarger(content: SentBody['content'], limit: number): boolean {
  if (ArrayBuffer.isView(content)) return content.length > limit;
  return typeof content === 'string' && new TextEncoder().encode(content).length > limit;
}

function decodeUtf8(bytes: Uint8Array): string | { readonly unreadable: string } {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { unreadable: 'is not UTF-8' };
  }
}

function isJson(contentType: string): boolean {
  try {
    const { type, parameters } = parse(contentType);
    return type === 'application/json' && (parameters['charset']?.toLowerCase() ?? 'utf-8') === 'utf-8';
  } catch {
    // This isn't a media type at all.
    return false;
  }
}
