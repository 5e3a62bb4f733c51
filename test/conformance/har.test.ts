/**
 * Promise: recordings are read as recorders write them, in bounded memory. If one can't be read, the message names the
 * cause and what to do.
 */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Entry } from 'har-format';
import { describe, expect, it } from 'vitest';
import { toExchange } from '../../conformance/entry.ts';
import { readHar, UnreadableRecording } from '../../conformance/har.ts';
import type { RecordedBody } from '../../traffic/exchange.ts';
import { runCountersign, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';
import { byLength } from '../support/run/length.ts';

const list = { data: [], hasMore: false, totalCount: 0 };
const listed = toEntry({ url: '/customers', status: 200, responseBody: list });

async function readAll(file: string): Promise<{ entries: Entry[]; error?: UnreadableRecording }> {
  const entries: Entry[] = [];
  try {
    for await (const entry of readHar(file)) entries.push(entry);
  } catch (error) {
    if (!(error instanceof UnreadableRecording)) throw error;
    return { entries, error };
  }
  return { entries };
}

describe('files', () => {
  it('gives the entries in order, whatever stands around them', async () => {
    const log = { entries: [listed, listed], pages: [{ entries: [1] }], version: '1.2', creator: { version: '9' } };
    expect((await readAll(writeRecording(JSON.stringify({ log })))).entries).toEqual([listed, listed]);
  });

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['indentation', (text: string) => Buffer.from(JSON.stringify(JSON.parse(text), undefined, 2))],
  ])('with %s', async (_what, write) => {
    const entry = toEntry({ url: '/customers', status: 200, responseBody: { note: 'Grüße, 東京 🎉' } });
    // Long enough that some multi-byte characters cross the borders of chunks.
    const entries = Array.from({ length: 2000 }, () => entry);
    expect(await readAll(writeRecording(write(toHar(entries))))).toEqual({ entries });
  });

  const text = toHar([listed, listed]);
  it.each<[string, string | Uint8Array, RegExp, number]>([
    ['an empty file', '', /^is empty$/, 0],
    ['garbage', 'log: entries', /^is not JSON in UTF-8/, 0],
    ['what only begins like a ZIP archive', 'PK\u0003\u0004 zip', /^is a ZIP archive that can't be read/, 0],
    ['UTF-16', Buffer.from(text, 'utf16le'), /^is not JSON in UTF-8/, 0],
    ['a file cut in an entry', text.slice(0, -200), /^ends in the middle, after 1 whole entries$/, 1],
    ['a file cut after its entries', text.slice(0, -3), /^ends in the middle, after 2 whole entries$/, 2],
    ['garbage after an entry', text.replace('},{', '},,{'), /^is not JSON in UTF-8, after 1 whole entries$/, 1],
    ['another JSON document', '{"openapi":"3.1.0"}', /^is JSON but not a HAR file: it has no log\.version$/, 0],
    ['an array', '[1,2]', /^is JSON but not a HAR file/, 0],
    ['a word', '"log"', /^is JSON but not a HAR file/, 0],
    ['no entries', toHar([]), /^has no entries$/, 0],
    ['HAR 1.1', toHar([listed], '1.1'), /^is HAR "1\.1", but only HAR 1\.2 can be read$/, 0],
    [
      'an entry without a request',
      toHar([listed, { response: listed.response }]),
      /^has an entry 1 without request\.method$/,
      0,
    ],
    ['an invalid entry', toHar([null]), /^has an entry 0 without request\.method$/, 0],
    [
      "headers that aren't list",
      toHar([{ ...listed, request: { ...listed.request, headers: {} } }]),
      /^has an entry 0 without request\.headers$/,
      0,
    ],
    [
      "a body that isn't text",
      toHar([{ ...listed, response: { ...listed.response, content: { text: {} } } }]),
      /^has an entry 0 without text in response\.content$/,
      0,
    ],
    ['a gzip file that is cut', gzipSync(text).subarray(0, 60), /^is a gzip file that ends in the middle$/, 0],
    [
      'a damaged gzip file',
      Buffer.concat([gzipSync(text).subarray(0, 20), Buffer.alloc(200, 7)]),
      /^is a damaged gzip file$/,
      0,
    ],
  ])('could not be read: %s', async (_what, content, message, whole) => {
    const { entries, error } = await readAll(writeRecording(content));
    expect(error?.message).toMatch(message);
    expect(error?.remedy).toMatch(/^[A-Z].*\.$/);
    if (whole > 0) expect(entries).toHaveLength(whole);
  });

  it('could not be read: no such file, a folder', async () => {
    expect((await readAll('/nowhere/at/all.har')).error?.message).toBe('does not exist');
    expect((await readAll('/tmp')).error?.message).toBe('is a folder');
  });

  it.each(byLength([], ['memory does not grow with the file']))('%s', async () => {
    const entry = toEntry({ url: '/customers', status: 200, responseBody: { ...list, padding: 'x'.repeat(2000) } });
    const file = writeRecording(toHar(Array.from({ length: 10_000 }, () => entry)));
    const { code, stdout } = await runCountersign(['check', file], ['--max-old-space-size=48']);
    expect(stdout).toBe('10000 entries, 10000 judged: 0 findings.\n');
    expect(code).toBe(0);
  });
});

describe('bodies', () => {
  const json = JSON.stringify({ text: 'Grüße' });
  const bodyOf = (content: object, headers: Record<string, string> = {}): RecordedBody => {
    const entry = toEntry({ url: '/customers', status: 200, responseHeaders: headers });
    return toExchange({ ...entry, response: { ...entry.response, content } } as Entry).response.body;
  };

  it.each<[string, Uint8Array, string]>([
    ['plain', Buffer.from(json), ''],
    ['plain, and unpacked by the recorder', Buffer.from(json), 'gzip'],
    ['plain, and unpacked by the recorder', Buffer.from(json), 'br'],
    ['gzip', gzipSync(json), 'gzip'],
    ['gzip by its old name', gzipSync(json), 'X-GZIP'],
    ['deflate', deflateSync(json), 'deflate'],
    ['deflate without its frame', deflateRawSync(json), 'deflate'],
    ['brotli', brotliCompressSync(json), 'br'],
    ['zstd', zstdCompressSync(json), 'zstd'],
    ['packed twice', gzipSync(brotliCompressSync(json)), 'br, gzip'],
  ])('case 118: base64, %s', (_what, bytes, coding) => {
    const content = { mimeType: 'application/json', encoding: 'base64', text: Buffer.from(bytes).toString('base64') };
    expect(bodyOf(content, coding === '' ? {} : { 'content-encoding': coding })).toEqual({ kind: 'text', text: json });
  });

  it("says what isn't text", () => {
    const base64 = (bytes: Uint8Array) => ({ encoding: 'base64', text: Buffer.from(bytes).toString('base64') });
    expect(bodyOf(base64(Buffer.from([0xff, 0xfe])))).toEqual({ kind: 'unreadable', why: 'is not UTF-8' });
    expect(bodyOf(base64(Buffer.from([0xff])), { 'content-encoding': 'br' })).toEqual({
      kind: 'unreadable',
      why: 'cannot be unpacked as br',
    });
    for (const text of ['e30!', 'e30===', 'e3 0=', 'e30=e30=', 'e']) {
      expect(bodyOf({ encoding: 'base64', text })).toEqual({
        kind: 'unreadable',
        why: 'is recorded as base64 and is not',
      });
    }
    expect(bodyOf({ encoding: 'hex', text: '7b7d' })).toEqual({
      kind: 'unreadable',
      why: 'is recorded in the encoding "hex"',
    });
  });

  it('tells a body that was left out from none', () => {
    expect(bodyOf({ size: 20 })).toEqual({ kind: 'unrecorded' });
    expect(bodyOf({ size: 20, text: '' })).toEqual({ kind: 'text', text: '' });
    expect(bodyOf({ size: 0 }, { 'content-length': '0' })).toEqual({ kind: 'text', text: '' });
  });

  it("a form isn't text", () => {
    const entry = toEntry({ url: '/customers', method: 'POST', status: 201 });
    const postData = { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: 'b' }] };
    const { request } = toExchange({ ...entry, request: { ...entry.request, postData } } as Entry);
    expect(request.body).toEqual({ kind: 'unreadable', why: 'is a form' });
    expect(request.headers).toContainEqual(['Content-Type', 'application/x-www-form-urlencoded']);
  });

  it('joins the lines of a header, takes the same twice once, leaves out those of HTTP/2', () => {
    const entry = toEntry({ url: '/customers', status: 200 });
    const headers = [':status 200', 'Vary a', 'vary b', 'X x\nx'].map((line) => {
      const [name = '', value = ''] = line.split(/ (.*)/s);
      return { name, value };
    });
    const { response } = toExchange({ ...entry, response: { ...entry.response, headers } } as Entry);
    expect(response.headers.map(([name]) => name)).toEqual(['Vary', 'vary', 'X']);
  });
});
