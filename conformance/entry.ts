/** A HAR entry as an exchange: its bodies decoded to text. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Entry, Header } from 'har-format';
import { decodeBase64 } from '../contract/encodings.ts';
import { type Exchange, type HeaderList, headerValue, type RecordedBody } from './exchange.ts';

/** The exchange that an entry of a recording tells of. */
export function toExchange({ request, response }: Entry): Exchange {
  const requestHeaders = toHeaders(request.headers, request.postData?.mimeType);
  const responseHeaders = toHeaders(response.headers, response.content?.mimeType);
  return {
    request: {
      method: request.method.toUpperCase(),
      url: request.url,
      headers: requestHeaders,
      body: requestBody(request, requestHeaders),
    },
    response: {
      status: response.status,
      headers: responseHeaders,
      body: responseBody(response, responseHeaders),
    },
  };
}

/** Without the pseudo headers of HTTP/2. Where there is no Content-Type, the recording's own note of the type is one. */
function toHeaders(lines: readonly Header[], mimeType: string | undefined): HeaderList {
  const headers = lines.filter(({ name }) => !name.startsWith(':')).map(({ name, value }) => [name, value] as const);
  const isNoted = mimeType !== undefined && mimeType !== '' && mimeType !== 'x-unknown';
  const hasType = headerValue(headers, 'content-type') !== undefined;
  return isNoted && !hasType ? [...headers, ['Content-Type', mimeType]] : headers;
}

const none: RecordedBody = { kind: 'text', text: '' };

function requestBody({ postData, bodySize }: Entry['request'], headers: HeaderList): RecordedBody {
  const { text, params } = (postData ?? {}) as { text?: string; params?: readonly unknown[] };
  if (text !== undefined && text !== '') return { kind: 'text', text };
  if (params !== undefined && params.length > 0) return { kind: 'unreadable', why: 'is a form' };
  const announced = Number(headerValue(headers, 'content-length') ?? 0);
  return bodySize > 0 || announced > 0 ? { kind: 'unrecorded' } : none;
}

function responseBody({ status, content, bodySize }: Entry['response'], headers: HeaderList): RecordedBody {
  const { text, encoding, size } = (content ?? {}) as { text?: string; encoding?: string; size?: number };
  if (text === undefined) {
    // Browsers leave texts out and say so by a size; a size of 0 may also be theirs for "not known".
    const isEmpty = status === 204 || headerValue(headers, 'content-length') === '0' || (size === 0 && bodySize === 0);
    return isEmpty ? none : { kind: 'unrecorded' };
  }
  if (encoding === undefined || encoding === '') return { kind: 'text', text };
  if (encoding.toLowerCase() !== 'base64')
    return { kind: 'unreadable', why: `is recorded in the encoding "${encoding}"` };
  const bytes = decodeBase64(text);
  if (bytes === null) return { kind: 'unreadable', why: 'is recorded as base64 and is not' };
  return decodeBytes(bytes, headerValue(headers, 'content-encoding') ?? '');
}

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
  try {
    const unpacked = asText(codings.reduceRight((packed, coding) => unpack(coding, packed), bytes));
    return unpacked === undefined ? { kind: 'unreadable', why: 'is not UTF-8' } : { kind: 'text', text: unpacked };
  } catch {
    if (text !== undefined) return { kind: 'text', text };
    return { kind: 'unreadable', why: `cannot be unpacked as ${codings.join(', ')}` };
  }
}

/** A reply may unpack to this many bytes: more is a trap, not a reply of this service. */
const options = { maxOutputLength: 64 * 1024 * 1024 };

/** @throws Error for a coding that nobody knows, and for bytes that are not in it. */
function unpack(coding: string, bytes: Uint8Array): Uint8Array {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    case 'zstd':
      return zstdDecompressSync(bytes, options);
    case 'deflate':
      // The zlib form by RFC 9110; some servers send the bare one.
      return bytes[0] !== undefined && (bytes[0] & 0x0f) === 8
        ? inflateSync(bytes, options)
        : inflateRawSync(bytes, options);
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
