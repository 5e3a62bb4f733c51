/** A HAR entry as an exchange: its bodies decoded to text. */
import type { Entry, Header } from 'har-format';
import { decodeBase64 } from '../contract/encodings.ts';
import { decodeBytes } from '../traffic/bytes.ts';
import { type Exchange, type HeaderList, headerValue, type RecordedBody } from '../traffic/exchange.ts';

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
  const { text, encoding, size } = (content ?? {}) as { text?: string; encoding?: unknown; size?: number };
  if (text === undefined) {
    // Browsers leave texts out and say so by a size; a size of 0 may also be theirs for "not known".
    const isEmpty = status === 204 || headerValue(headers, 'content-length') === '0' || (size === 0 && bodySize === 0);
    return isEmpty ? none : { kind: 'unrecorded' };
  }
  if (encoding === undefined || encoding === null || encoding === '') return { kind: 'text', text };
  if (String(encoding).toLowerCase() !== 'base64')
    return { kind: 'unreadable', why: `is recorded in the encoding ${JSON.stringify(encoding)}` };
  const bytes = decodeBase64(text);
  if (bytes === null) return { kind: 'unreadable', why: 'is recorded as base64 and is not' };
  return decodeBytes(bytes, headerValue(headers, 'content-encoding') ?? '');
}
