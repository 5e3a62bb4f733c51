/**
 * Promise: findings appear where people look: at the line of the recording in a pull request, and on a CI's test page.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';
import { zip } from '../support/requests/zip.ts';

const list = { data: [], hasMore: false, totalCount: 0 };
const good = toEntry({ url: '/customers', status: 200, responseBody: list });
const odd = '<&"\u0001\n\ufffe]]>, 100%: ü';
const bad = toEntry({ url: '/customers?limit=0', status: 200, responseBody: { ...list, totalCount: odd } });

/** In the format of recorders, in which each entry has its own lines. */
const indented = (entries: readonly unknown[]) => JSON.stringify(JSON.parse(toHar(entries)), undefined, 2);

describe('annotations', () => {
  const read = (text: string) =>
    text.split('\n').flatMap((line) => {
      const [, level, properties = '', message = ''] = /^::(\w+) ([^:]*)::(.*)$/.exec(line) ?? [];
      if (level === undefined) return [];
      const named = Object.fromEntries(properties.split(',').map((one) => one.split('=') as [string, string]));
      return [{ level, ...named, message } as Record<string, string>];
    });

  test('each finding is at the line where its entry begins, in one line', async () => {
    const file = writeRecording(indented([good, bad, good, bad]));
    const { code, stdout, stderr } = await check('--format', 'github', file);
    const found = read(stdout);
    const lines = readFileSync(file, 'utf8').split('\n');
    const entries = lines.flatMap((line, index) => (line === '      {' ? [String(index + 1)] : []));
    expect(entries).toHaveLength(4);
    expect(found.map(({ line }) => line)).toEqual([entries[1], entries[1], entries[3], entries[3]]);
    expect(found.map(({ level, file: named }) => [level, named])).toEqual(Array(4).fill(['error', file]));
    expect(found[0]).toMatchObject({ title: 'listCustomers%3A schema/minimum' });
    expect(found[1]?.message).toContain('response.body /totalCount must be integer');
    expect(found[1]?.message).toContain('100%25');
    expect([code, stderr, stdout.split('\n').at(-2)]).toEqual([1, '', '4 entries, 4 judged: 4 findings.']);
  });

  test('also far down in a large file, and without a line where there is none', async () => {
    const many = Array.from({ length: 3000 }, () => good);
    const text = indented([...many, bad]);
    const file = writeRecording(text);
    const lines = text.split('\n');
    const last = lines.lastIndexOf('      {') + 1;
    expect(read((await check('--format', 'github', file)).stdout).map(({ line }) => line)).toEqual([
      `${last}`,
      `${last}`,
    ]);
    const packed = writeRecording(zip([{ name: 'har.har', content: text }]), 'a.zip');
    expect(read((await check('--format', 'github', packed)).stdout).map(({ line }) => line)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('what could not be read is one as well', async () => {
    const { code, stdout } = await check('--format', 'github', '/nowhere.har');
    expect([code, read(stdout)]).toEqual([2, [expect.objectContaining({ file: '/nowhere.har', title: 'Not judged' })]]);
  });
});

describe('JUnit', () => {
  /** The elements of a document with their attributes. Throws if the document isn't well-formed. */
  function parse(xml: string): { name: string; attributes: Record<string, string>; below: string | undefined }[] {
    const open: string[] = [];
    const found: ReturnType<typeof parse> = [];
    const rest = xml
      .replace(/^<\?xml[^>]*\?>/, '')
      .replaceAll(
        /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g,
        (_tag, closing: string, name: string, listed: string, alone: string) => {
          if (closing !== '') expect(open.pop()).toBe(name);
          else {
            const attributes = Object.fromEntries(
              [...listed.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
            );
            found.push({ name, attributes, below: open.at(-1) });
            if (alone === '') open.push(name);
          }
          return '';
        },
      );
    expect(open).toEqual([]);
    expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#10);)|[^\t\n\r -\ud7ff\ue000-\ufffd]/);
    return found;
  }

  test('a finding is a failed case of its operation', async () => {
    const file = writeRecording(indented([good, bad]));
    const { code, stdout } = await check('--format', 'junit', file);
    const elements = parse(stdout);
    expect(code).toBe(1);
    expect(elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes)).toEqual([
      { classname: 'listCustomers', file, name: 'entry 1: GET /customers answered 200: request.query /limit' },
      { classname: 'listCustomers', file, name: 'entry 1: GET /customers answered 200: response.body /totalCount' },
    ]);
    expect(elements.filter(({ name }) => name === 'failure').map(({ attributes }) => attributes['type'])).toEqual([
      'schema/minimum',
      'schema/type',
    ]);
  });

  test('a file that could not be read is an error, and what is well is a case that passed', async () => {
    const failed = parse((await check('--format', 'junit', '/nowhere.har')).stdout);
    expect(failed.at(-1)).toMatchObject({ name: 'error', below: 'testcase' });
    const { code, stdout } = await check('--format', 'junit', writeRecording(toHar([good])));
    expect([code, parse(stdout).map(({ name }) => name)]).toEqual([0, ['testsuites', 'testsuite', 'testcase']]);
  });
});

test('a status that is not declared lists each that is, once', async () => {
  const { stdout } = await check(writeRecording(toHar([toEntry({ url: '/customers', status: 418 })])));
  const [, listed = ''] = /is not declared, only ([\d, ]+)/.exec(stdout) ?? [];
  const statuses = listed.split(', ').map(Number);
  expect(statuses.length).toBeGreaterThan(5);
  expect(statuses).toEqual([...new Set(statuses)].sort((a, b) => a - b));
});
