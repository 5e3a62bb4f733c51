/**
 * Promise: a server serves the contract that it follows: as JSON, byte for byte, and as YAML that every reader parses
 * to the same. It compresses it and answers 304 if the client asks for that, and pages may read it.
 */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { bundleLocation } from '../../contract/file.ts';
import { createAsset } from '../../mocks/sandbox/node/assets.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { openSandbox, origin } from '../support/sandbox/harness.ts';

const bundle = readFileSync(bundleLocation);
const files = ['/openapi.json', '/openapi.yaml'] as const;

async function open() {
  const sandbox = await openSandbox();
  return async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const response = await sandbox.fetch(new Request(origin + path, { method, headers }));
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  };
}

test('the JSON is the bundle to the byte, without credentials', async () => {
  const ask = await open();
  const { status, headers, bytes } = await ask('/openapi.json');
  expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
    200,
    'application/json',
    String(bundle.length),
  ]);
  expect(bytes.equals(bundle)).toBe(true);
});

test.each(isLongRun ? ['the YAML says the same to readers of YAML 1.2 and of 1.1'] : [])('%s', async () => {
  const ask = await open();
  const { headers, bytes } = await ask('/openapi.yaml');
  expect(headers.get('content-type')).toBe('application/yaml');
  const document = JSON.parse(bundle.toString());
  // Reading it takes a second.
  for (const version of ['1.2', '1.1'] as const) {
    expect(parse(bytes.toString(), { version, maxAliasCount: 0 })).toEqual(document);
  }
});

test('the guides are there as text, with their tables', async () => {
  const ask = await open();
  const { status, headers, bytes } = await ask('/guides.md');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(bytes.toString()).toMatch(/^# Guides\n[\s\S]*\n## Idempotency\n[\s\S]*\| `createQuote` \|/);
});

test.each([
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, gzip', 'gzip'],
  ['*', 'br'],
  ['identity', null],
  ['zstd', null],
  ['identity;q=0', null],
  ['gzip;q=0, br;q=0', null],
  ['!!', null],
])('Accept-Encoding %s gets the coding %s', async (accepted, coding) => {
  const ask = await open();
  const { status, headers, bytes } = await ask('/openapi.json', { 'accept-encoding': accepted });
  expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([
    200,
    coding,
    'Origin, Accept-Encoding',
  ]);
  expect(Number(headers.get('content-length'))).toBe(bytes.length);
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? ''] ?? ((content: Buffer) => content);
  expect(unpack(bytes).equals(bundle)).toBe(true);
  if (coding !== null) expect(bytes.length).toBeLessThan(bundle.length / 7);
});

test.each(files)('%s is sent once: who has it gets 304, in its coding', async (path) => {
  const ask = await open();
  const tags = new Set<string>();
  for (const accepted of ['identity', 'gzip', 'br']) {
    const first = await ask(path, { 'accept-encoding': accepted }, 'HEAD');
    const etag = first.headers.get('etag') ?? '';
    tags.add(etag);
    expect([first.status, first.bytes.length, first.headers.get('cache-control')]).toEqual([200, 0, 'no-cache']);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(path, { 'accept-encoding': accepted, 'if-none-match': known });
      expect([known, again.status, again.bytes.length, again.headers.get('etag')]).toEqual([known, 304, 0, etag]);
    }
    const other = await ask(path, { 'accept-encoding': accepted, 'if-none-match': '"other"' }, 'HEAD');
    expect(other.status).toBe(200);
  }
  expect(tags.size).toBe(3);
});

test('two sandboxes give it the same tag', async () => {
  const tags = await Promise.all(
    [1, 2].map(async () => (await (await open())('/openapi.json', {}, 'HEAD')).headers.get('etag')),
  );
  expect(tags[0]).toBe(tags[1]);
});

test.each(files)('%s answers HEAD and OPTIONS, and other methods with 405', async (path) => {
  const sandbox = await openSandbox();
  const ask = (method: string) => sandbox.fetch(new Request(origin + path, { method }));
  const options = await ask('OPTIONS');
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const refused = await ask('PUT');
  const answer = { status: refused.status, headers: refused.headers, body: await refused.json() };
  expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
});

test('a page of this machine can import it, a page from elsewhere can not', async () => {
  const ask = await open();
  const allowed = async (page: string) =>
    (await ask('/openapi.json', { origin: page }, 'HEAD')).headers.get('access-control-allow-origin');
  expect(await allowed('http://localhost:3000')).toBe('http://localhost:3000');
  expect(await allowed('https://evil.example')).toBeNull();
});

test('it is compressed once, and again when the file changed', async () => {
  const path = join(temporaryFolder(), 'file.json');
  const write = (letter: string, second: number) => {
    writeFileSync(path, letter.repeat(5000));
    utimesSync(path, second, second);
  };
  write('a', 1);
  let conversions = 0;
  const convert = async (text: string) => {
    conversions += 1;
    return text;
  };
  const asset = createAsset({ type: 'text/plain', places: [path], convert });
  const read = async (): Promise<string> => {
    const reply = await asset.send({ headers: new Headers({ 'accept-encoding': 'br' }) as never });
    if (reply?.stream === undefined) throw new Error('There is no file');
    return brotliDecompressSync(await buffer(reply.stream)).toString();
  };
  expect((await read()) + (await read())).toBe('a'.repeat(10_000));
  expect(conversions).toBe(1);
  write('b', 2);
  expect(await read()).toBe('b'.repeat(5000));
  expect(conversions).toBe(2);
});
