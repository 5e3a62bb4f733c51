/** Turns a HAR entry into an exchange, with its bodies decoded to text. */
import type { Entry, Header } from 'har-format';
import { decodeBase64 } from '../contract/encodings.ts';
import { decodeBytes, isJson } from '../traffic/bytes.ts';
import { type HeaderList, headerValue, type RecordedBody, type RecordedExchange } from '../traffic/exchange.ts';

/** The exchange that a recorded entry describes. */
export function toExchange({ request, response }: Entry): RecordedExchange {
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

/**
 * Leaves out the pseudo headers of HTTP/2. If there is no Content-Type, the recording's own note of the type becomes
 * one.
 */
function toHeaders(lines: readonly Header[], mimeType: string | undefined): HeaderList {
  const headers = lines.filter(({ name }) => !name.startsWith(':')).map(({ name, value }) => [name, value] as const);
  const isNoted = mimeType !== undefined && mimeType !== '' && mimeType !== 'x-unknown';
  const hasType = headerValue(headers, 'content-type') !== undefined;
  return isNoted && !hasType ? [...headers, ['Content-Type', mimeType]] : headers;
}

const none: RecordedBody = { kind: 'text', text: '' };

/** Marks the bytes of a body that was in a separate file. */
const fromFile = Symbol('fromFile');

/** A body as recorders write it. HAR has `encoding` for replies only, but some recorders write it for requests too. */
interface Written {
  readonly text?: string | null;
  readonly encoding?: unknown;
  /** Playwright's name of the file that has the body. */
  readonly _file?: unknown;
  readonly [fromFile]?: Uint8Array;
}

function requestBody({ postData, bodySize }: Entry['request'], headers: HeaderList): RecordedBody {
  const { params, ...written } = (postData ?? {}) as Written & { params?: readonly unknown[] };
  const { text, _file: file, [fromFile]: bytes } = written;
  if (bytes !== undefined) return decodeBytes(bytes, headerValue(headers, 'content-encoding') ?? '');
  if (typeof text === 'string' && text !== '') return decodeText(text, written, headers);
  if (file !== undefined) return { kind: 'unrecorded' };
  if (params !== undefined && params.length > 0) return { kind: 'unreadable', why: 'is a form' };
  const announced = Number(headerValue(headers, 'content-length') ?? 0);
  return bodySize > 0 || announced > 0 ? { kind: 'unrecorded' } : none;
}

function responseBody({ status, content, bodySize }: Entry['response'], headers: HeaderList): RecordedBody {
  const { size, ...written } = (content ?? {}) as Written & { size?: number };
  const { text, _file: file, [fromFile]: bytes } = written;
  if (bytes !== undefined) return decodeBytes(bytes, headerValue(headers, 'content-encoding') ?? '');
  if (file !== undefined && (text ?? '') === '') return { kind: 'unrecorded' };
  if (typeof text === 'string') return decodeText(text, written, headers);
  // Browsers leave texts out and show that by a size. A size of 0 may also mean "not known".
  const isEmpty = status === 204 || headerValue(headers, 'content-length') === '0' || (size === 0 && bodySize === 0);
  return isEmpty ? none : { kind: 'unrecorded' };
}

function decodeText(text: string, { encoding }: Written, headers: HeaderList): RecordedBody {
  if (encoding === undefined || encoding === null || encoding === '') return { kind: 'text', text };
  if (String(encoding).toLowerCase() !== 'base64')
    return { kind: 'unreadable', why: `is recorded in the encoding ${JSON.stringify(encoding)}` };
  const bytes = decodeBase64(text);
  const decoded = bytes === null ? undefined : decodeBytes(bytes, headerValue(headers, 'content-encoding') ?? '');
  const isSound = decoded?.kind === 'text' && (decoded.text === '' || isJson(decoded.text));
  // Some recorders mark every body as base64, and write texts unencoded.
  if (!isSound && isJson(text)) return { kind: 'text', text };
  return decoded ?? { kind: 'unreadable', why: 'is recorded as base64 and is not' };
}

/**
 * The entry with the bodies that are in separate files.
 * @param read returns a body by the name of its file.
 * @throws what `read` throws.
 */
export async function withAttachments(entry: Entry, read: (name: string) => Promise<Uint8Array>): Promise<Entry> {
  const { request, response } = entry;
  const [postData, content] = await Promise.all([attach(request.postData, read), attach(response.content, read)]);
  if (postData === request.postData && content === response.content) return entry;
  return { ...entry, request: { ...request, postData }, response: { ...response, content } } as Entry;
}

async function attach(body: unknown, read: (name: string) => Promise<Uint8Array>): Promise<unknown> {
  const { _file: file, ...others } = (body ?? {}) as Written;
  if (typeof file !== 'string' || (others.text ?? '') !== '') return body;
  return { ...others, [fromFile]: await read(file) };
}
