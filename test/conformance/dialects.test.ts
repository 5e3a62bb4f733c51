/**
 * Promise: HAR files from every recorder can be read. The files in `dialects/` imitate one recorder each, or have one
 * quirk. In each, one reply and one request are wrong. Both are found once, and nothing else.
 */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../conformance/report/report.ts';
import { check, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';
import { zip } from '../support/requests/zip.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const folder = new URL('./dialects/', import.meta.url).pathname;
const files = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => /\.(?:har|zip)$/.test(name))
  .sort();

/** The skipped entries, for files that have some. */
const passedOver: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'chrome.har': { preflight: 1, 'no-reply': 1 },
  'firefox.har': { 'no-reply': 1 },
  'no-reply.har': { 'no-reply': 6 },
  'playwright-attach/attach.har': { elsewhere: 1 },
  'playwright.zip': { elsewhere: 1 },
};

async function findingsOf(file: string) {
  const { code, stdout } = await check('--format', 'json', file);
  const { findings, unreadable, summary } = JSON.parse(stdout);
  const told = (findings as Finding[]).map(({ operationId, in: place, pointer, rule }) =>
    [operationId, place, pointer, rule].join(' '),
  );
  return { code, told, unreadable, summary };
}

const planted = [
  'listCustomers response.body /totalCount schema/type',
  'createCustomer request.body /fullName schema/type',
];

test('there is a file for each recorder and quirk', () => {
  expect(files).toEqual([
    ...['charles.har', 'chrome.har', 'cypress.har', 'firefox.har', 'k6.har', 'mitmproxy.har', 'no-reply.har'],
    ...['null-text.har', 'number-version.har', 'playwright-attach/attach.har', 'playwright-embed.har'],
    ...['playwright.zip', 'proxyman.har', 'reqable.har', 'safari.har', 'wrong-base64.har'],
  ]);
});

test.each(files)('cases 133 and 134, each recorder: %s', async (name) => {
  const { code, told, unreadable, summary } = await findingsOf(join(folder, name));
  expect([told, unreadable, code]).toEqual([planted, [], 1]);
  expect(summary.unrecordedBodies).toBe(0);
  const none = { elsewhere: 0, control: 0, preflight: 0, 'no-reply': 0 };
  expect(summary.skipped).toEqual({ ...none, ...passedOver[name] });
});

describe('an entry that is not whole', () => {
  test('costs itself only, and the file is reported as unreadable', async () => {
    const list = { data: [], hasMore: false, totalCount: '0' };
    const wrong = toEntry({ url: '/customers', status: 200, responseBody: list });
    const odd = { ...wrong, request: { ...wrong.request, headers: {} } };
    const { code, stdout } = await check(writeRecording(toHar([odd, null, wrong])));
    expect(stdout).toMatch(/entry 2 [^\n]*\n {2}response\.body \/totalCount/);
    expect(stdout).toContain('has an entry 0 without request.headers (and 1 more that are not whole). Export');
    expect(code).toBe(2);
  });
});

describe('case 133: bodies in files of their own', () => {
  const attached = (name: string) => {
    const entry = toEntry({ url: '/customers', status: 200 });
    const content = { size: 40, mimeType: 'application/json', _file: name };
    return toHar([{ ...entry, response: { ...entry.response, content } }]);
  };
  const body = JSON.stringify({ data: [], hasMore: false, totalCount: 'two' });
  const beside = (name: string, content: string = body) => {
    const file = writeRecording(attached(name));
    const path = join(dirname(file), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return file;
  };

  test('may be in a folder beside the recording', async () => {
    expect(await findingsOf(beside('resources/a.json'))).toMatchObject({ code: 1, told: [planted[0]] });
  });

  test.each([
    [
      'a file that is missing',
      () => writeRecording(attached('a.json')),
      /has a body in "a\.json", which doesn't exist/,
    ],
    ['a folder', () => writeRecording(attached('.')), /"\."/],
    ['a path that leaves the folder', () => beside('../outside.json'), /"\.\.\/outside\.json", outside its own folder/],
    ['an absolute path', () => writeRecording(attached('/etc/hostname')), /"\/etc\/hostname", which doesn't exist/],
    ['a NUL', () => writeRecording(attached('a\u0000.json')), /which doesn't exist/],
    ['a body of any size', () => beside('a.json', ' '.repeat(64 * 1024 ** 2 + 1)), /of more than 64 MiB/],
  ])('%s: 2, and which', async (_name, make, message) => {
    const { code, stdout } = await check(make());
    expect([code, stdout]).toEqual([2, expect.stringMatching(message)]);
    expect(stdout).not.toContain('totalCount');
  });

  test('a link that leaves the folder is not followed', async () => {
    const outside = join(temporaryFolder(), 'secret.json');
    writeFileSync(outside, body);
    const file = writeRecording(attached('link.json'));
    symlinkSync(outside, join(dirname(file), 'link.json'));
    const { code, stdout } = await check(file);
    expect([code, stdout]).toEqual([2, expect.stringMatching(/"link\.json", outside its own folder/)]);
  });

  const archive = (entries: Parameters<typeof zip>[0]) => writeRecording(zip(entries), 'recording.zip');
  const har = { name: 'har.har', content: attached('a.json') };

  test('may be in an archive, at its top or in a folder', async () => {
    const inFolder = [
      { ...har, name: 'run/har.har' },
      { name: 'run/a.json', content: body },
    ];
    for (const entries of [[har, { name: 'a.json', content: body }], inFolder]) {
      expect(await findingsOf(archive(entries))).toMatchObject({ code: 1, told: [planted[0]] });
    }
  });

  test.each([
    ['no HAR', [{ name: 'a.json', content: body }], /is a ZIP archive without a \.har file/],
    ['two of them', [har, { ...har, name: 'b.har' }], /is a ZIP archive of several \.har files/],
    [
      'a name that leads elsewhere',
      [har, { name: '../a.json', content: body }],
      /can't be read \(invalid relative path/,
    ],
    ['an absolute name', [har, { name: '/a.json', content: body }], /can't be read \(absolute path/],
    ['a body that is not in it', [har], /has a body in "a\.json", which doesn't exist/],
    ['a body that is more than it says', [har, { name: 'a.json', content: body, claimedSize: 3 }], /can't be read/],
    ['a recording that is more than it says', [{ ...har, claimedSize: 3 }], /can't be read/],
    ['a bomb', [har, { name: 'a.json', content: Buffer.alloc(64 * 1024 ** 2 + 1) }], /of more than 64 MiB/],
  ])('an archive with %s: 2, and why', async (_name, entries, message) => {
    const { code, stdout } = await check(archive(entries));
    expect([code, stdout]).toEqual([2, expect.stringMatching(message)]);
    expect(stdout).not.toContain('totalCount');
  });

  test('an archive that is cut', async () => {
    const whole = zip([har, { name: 'a.json', content: body }]);
    const { code, stdout } = await check(writeRecording(whole.subarray(0, -30), 'cut.zip'));
    expect([code, stdout]).toEqual([2, expect.stringMatching(/is a ZIP archive that can't be read/)]);
  });

  test.each(byLength([], ['a GiB']))('a recording that unpacks to more than %s is left', async () => {
    const bomb = gzipSync(Buffer.alloc(1024 ** 3 + 1, ' '), { level: 1 });
    const { code, stdout } = await check(writeRecording(bomb, 'bomb.har.gz'));
    expect([code, stdout]).toEqual([2, expect.stringMatching(/unpacks to more than 1 GiB/)]);
  });
});
