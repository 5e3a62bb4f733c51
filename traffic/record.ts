/**
 * Writes an HTTP exchange as a HAR 1.2 entry (http://www.softwareishard.com/blog/har-12-spec/), with secrets masked.
 * The sandbox's journal, `npm run record` and the proxy all use this, so their recordings have the same form.
 */
import type { Entry, Header, QueryString } from 'har-format';
import { maskBody, maskHeader, maskNamed, maskPlainText, maskUrl } from '../contract/mask.ts';
import { version } from '../generated/operations.ts';
import { decodeBytes, utf8Length } from './bytes.ts';
import type { Capture, CapturedBody } from './capture.ts';
import type { HeaderList, RecordedBody, RecordedExchange } from './exchange.ts';
import { headerValue } from './exchange.ts';

const httpVersion = 'HTTP/1.1';

/**
 * The start of a HAR file. It has the contract's version, so that a release without a change of the contract leaves every
 * recording unchanged.
 */
export const harHeadBy = (name: string): string =>
  `{"log":{"version":"1.2","creator":${JSON.stringify({ name, version })},"entries":[\n`;

/** Identifies the sandbox's own recordings. In these, breaking one of our decisions is a fault of ours. */
export const sandboxCreator = 'Countersign sandbox';

/** The text before and after the entries of a HAR file. */
export const harParts = {
  head: harHeadBy('Countersign'),
  tail: '\n]}}\n',
} as const;

/** Writes an entry with one line for each of its parts, so that a diff shows where it changed. */
export function writeEntry(entry: Entry): string {
  const { request, response, ...rest } = entry;
  const line = (value: object): string => JSON.stringify(value);
  return `${line(rest).slice(0, -1)},\n "request":${line(request)},\n "response":${line(response)}}`;
}

/**
 * Writes a HAR file with the oldest entry first. Entries with the same time keep their order.
 * @param name identifies the creator of the file.
 */
export function writeHar(entries: readonly Entry[], name = 'Countersign'): string {
  const sorted = entries.toSorted((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime));
  return harHeadBy(name) + sorted.map(writeEntry).join(',\n') + harParts.tail;
}

/** Turns a capture into the form that is judged: bodies decoded to text. */
export function exchangeOf(capture: Capture): RecordedExchange {
  const { method, url, status, requestHeaders, responseHeaders } = capture;
  return {
    request: { method, url, headers: requestHeaders, body: decode(capture.requestBody, requestHeaders) },
    response: { status, headers: responseHeaders, body: decode(capture.responseBody, responseHeaders) },
  };
}

function decode(body: CapturedBody | undefined, headers: HeaderList): RecordedBody {
  if (body === undefined) return { kind: 'text', text: '' };
  if (typeof body === 'string') return { kind: 'text', text: body };
  if ('leftOut' in body) return { kind: 'unrecorded' };
  return decodeBytes(body, headerValue(headers, 'content-encoding') ?? '');
}

/**
 * Turns a capture into an entry, with secrets masked. If a body wasn't kept or isn't text, its place stays empty,
 * because secrets in it couldn't be found.
 */
export function toEntry(capture: Capture): Entry {
  const { request, response } = exchangeOf(capture);
  const [sentSize, gotSize] = [sizeOf(capture.requestBody), sizeOf(capture.responseBody)];
  const sent = { text: '', ...describeBody(request.body, request.headers) };
  const got = describeBody(response.body, response.headers);
  const postData = sentSize === 0 ? {} : { postData: { mimeType: mediaType(request.headers), ...sent } };
  return {
    startedDateTime: new Date(capture.startedAt).toISOString(),
    time: capture.durationMs,
    request: {
      method: request.method,
      url: maskUrl(request.url),
      httpVersion,
      cookies: [],
      headers: maskHeaders(request.headers),
      queryString: readQuery(request.url),
      ...postData,
      headersSize: -1,
      bodySize: sentSize,
    },
    response: {
      status: response.status,
      statusText: '',
      httpVersion,
      cookies: [],
      headers: maskHeaders(response.headers),
      content: {
        size: response.body.kind === 'text' ? utf8Length(response.body.text) : gotSize,
        mimeType: mediaType(response.headers),
        ...(gotSize === 0 ? {} : got),
      },
      redirectURL: maskUrl(headerValue(response.headers, 'location') ?? ''),
      headersSize: -1,
      bodySize: gotSize,
    },
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: capture.durationMs, receive: 0 },
  };
}

/** In bytes, as it was sent. */
function sizeOf(body: CapturedBody | undefined): number {
  if (body === undefined) return 0;
  if (typeof body === 'string') return utf8Length(body);
  return 'leftOut' in body ? body.leftOut : body.length;
}

function describeBody(body: RecordedBody, headers: HeaderList): { text?: string; comment?: string } {
  if (body.kind === 'unrecorded') return { comment: 'left out: it is too large' };
  if (body.kind === 'unreadable') return { comment: `left out: it ${body.why}` };
  const masked = maskJsonText(body.text);
  if (masked !== undefined) return { text: masked };
  if (isJson(headers)) return { text: 'left out: it is not JSON' };
  const plain = maskPlainText(body.text);
  return plain === undefined ? { comment: 'left out: it is not JSON, and may hold a secret' } : { text: plain };
}

/**
 * Writes JSON again, so that a repeated field can't hide anything. A number keeps its digits, even if JavaScript can't
 * represent it. Undefined if the text isn't JSON.
 */
function maskJsonText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text, keepDigits);
    return JSON.stringify(maskBody(value), (_key, child) =>
      typeof child === 'string' && child.startsWith(digits) ? rawJson(child.slice(digits.length)) : child,
    );
  } catch {
    return undefined;
  }
}

const digits = '\u0000number ';

const keepDigits = ((_key: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' && String(value) !== source ? digits + source : value) as Parameters<typeof JSON.parse>[1];

// Part of ES2026, in Node since version 22. TypeScript 5.9 doesn't know it yet.
const rawJson = (source: string): unknown => (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON(source);

function maskHeaders(headers: HeaderList): Header[] {
  return headers.map(([name, value]) => ({ name, value: String(maskBody(maskHeader(name, value))) }));
}

function readQuery(url: string): QueryString[] {
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value: String(maskNamed([name], value)) }));
}

function mediaType(headers: HeaderList): string {
  return headerValue(headers, 'content-type') ?? '';
}

function isJson(headers: HeaderList): boolean {
  return /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(mediaType(headers));
}

/** A client that records its exchanges. Send one request at a time: start the next after the reply. */
export function recordFetch(fetch: (request: Request) => Response | Promise<Response>, now: () => number) {
  const entries: Entry[] = [];
  return {
    entries,
    async fetch(request: Request): Promise<Response> {
      const startedAt = now();
      const sent = new Uint8Array(await request.clone().arrayBuffer());
      const response = await fetch(request);
      const got = new Uint8Array(await response.clone().arrayBuffer());
      const capture: Capture = {
        startedAt,
        durationMs: now() - startedAt,
        method: request.method,
        url: request.url,
        requestHeaders: [...request.headers],
        requestBody: sent,
        status: response.status,
        responseHeaders: [...response.headers],
        responseBody: got,
      };
      entries.push(toEntry(capture));
      return response;
    },
  };
}
