/**
 * Promise: `countersign replay` shows the differences and what they rest on, in four formats and as questions. A pinned
 * difference doesn't fail until it is gone. If something isn't possible, it says so in one line.
 */
import { join } from 'node:path';
import type { Entry } from 'har-format';
import { describe, expect, test } from 'vitest';
import { bundleLocation } from '../../contract/file.ts';
import { createMock } from '../../mocks/prism/app.ts';
import { runInProcess } from '../support/process/inProcess.ts';
import { writeRecording } from '../support/requests/recordings.ts';
import { playAll, readRecording, recordingNames, tell } from '../support/requests/replayed.ts';
import { byLength } from '../support/run/length.ts';

const folder = new URL('recordings/', import.meta.url).pathname;
const token = join(folder, 'sandbox-api-token.har');

const replay = (...args: string[]) => runInProcess(['replay', ...args]);

/** The recording of a token, changed in two places, as if the service had answered differently. */
function differing(): string {
  const entries = readRecording('sandbox-api-token.har');
  const [created, config] = entries as [Entry, Entry];
  const [token, platform] = [created, config].map(({ response }) => JSON.parse(response.content.text ?? ''));
  created.response.content.text = JSON.stringify({ ...token, permissions: ['TRANSACT'] });
  config.response.content.text = JSON.stringify({ ...platform, isRegulatedFinancialInstitution: undefined });
  const creator = { name: 'another recorder', version: '1' };
  return writeRecording(JSON.stringify({ log: { version: '1.2', creator, entries } }));
}

const first = '/permissions/0 is "TRANSACT" in the recording, and "VIEW" here';
const second = "/isRegulatedFinancialInstitution: isn't in the recording, but is false here";

test('no difference: how many answers of each operation agree, and 0', async () => {
  const { code, stdout, stderr } = await replay(token);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    [
      '  createCustomer  1 of 1 agree',
      '  createToken     1 of 1 agree',
      '  deleteToken     1 of 1 agree',
      '  getConfig       1 of 1 agree',
      '4 entries, 4 played: 0 differences.\n',
    ].join('\n'),
  );
});

test('a difference names entry, operation, place, both values and the decision that it rests on', async () => {
  const { code, stdout } = await replay(differing());
  expect(code).toBe(1);
  expect(stdout).toContain('entry 0 (2025-10-13T00:00:00.000Z): createToken, POST /tokens, answered 201\n');
  expect(stdout).toContain(`  response.body ${first}  (replay/value; given)\n`);
  expect(stdout).toMatch(/response\.body \/isRegulated.*\(replay\/extra; assumed: D\d+ /);
  expect(stdout).toContain('createToken     0 of 1 agree\n');
  expect(stdout).toContain('4 entries, 4 played: 2 differences.\n');
});

describe('formats', () => {
  test('json', async () => {
    const { code, stdout, stderr } = await replay('--format', 'json', differing());
    const { findings, unreadable, summary } = JSON.parse(stdout);
    expect([code, unreadable]).toEqual([1, []]);
    expect(findings).toMatchObject([
      { entry: { index: 0, line: 1 }, operationId: 'createToken', recorded: 'TRANSACT', ours: 'VIEW', fails: true },
      { entry: { index: 1 }, rule: 'replay/extra', ours: false, basis: { level: 'assumed' } },
    ]);
    expect(findings[1]).not.toHaveProperty('recorded');
    expect(summary).toMatchObject({ played: 4, findings: 2, failing: 2, clock: 'followed' });
    expect(summary.operations).toMatchObject({ createToken: { compared: 1, agree: 0 } });
    expect(stderr).toContain('2 differences.');
  });

  test('junit: a failure for each difference, and a passed case for each operation that agrees', async () => {
    const { stdout } = await replay('--format', 'junit', differing());
    expect(stdout).toContain('<testsuites name="countersign replay">');
    expect(stdout.match(/<failure /g)).toHaveLength(2);
    expect(stdout).toContain('<failure type="replay/value"');
    expect(stdout).toContain('<testcase classname="deleteToken" name="1 answer agrees"/>');
  });

  test('github: an annotation at the entry', async () => {
    const file = differing();
    const { stdout } = await replay('--format', 'github', file);
    expect(stdout).toContain(`::error file=${file},line=1,title=createToken%3A replay/value::response.body ${first}`);
  });

  test('questions, by what they rest on', async () => {
    const { code, stdout } = await replay('--questions', differing());
    expect(code).toBe(1);
    expect(stdout).toMatch(/^The interface is silent, and we decided it: D\d+ .*\. What is the rule\?\n- getConfig, /);
    expect(stdout).toMatch(
      /\n\nThe interface names it, and the recording says otherwise\. Which holds\?\n- createToken, response\.body \/permissions\/\*: /,
    );
    expect(stdout).toContain(second);
    expect(stdout).toMatch(/\n2 questions\.\n$/);
  });

  test('questions for a program', async () => {
    const { stdout } = await replay('--questions', '--format', 'json', differing());
    expect(JSON.parse(stdout).questions).toMatchObject([
      { operationId: 'getConfig', rule: 'replay/extra', entries: [{ index: 1 }] },
      { operationId: 'createToken', at: 'response.body /permissions/*', entries: [{ index: 0 }] },
    ]);
  });
});

describe('expected differences', () => {
  const pins = (...more: string[]): string =>
    writeRecording(
      [
        'differences:',
        '  - operation: createToken',
        '    at: response.body /permissions/*',
        '    recorded: TRANSACT',
        '    reason: Their tokens transact.',
        ...more,
        '',
      ].join('\n'),
      'differences.yaml',
    );
  const both = [
    '  - { operation: getConfig, at: response.body /isRegulatedFinancialInstitution, reason: Old version. }',
  ];

  test('all of them: 0, shown with their reason', async () => {
    const { code, stdout } = await replay('--expect', pins(...both), differing());
    expect(code).toBe(0);
    expect(stdout).toContain('[pinned: Their tokens transact.]');
    expect(stdout).toContain('0 differences, and 2 pinned.');
  });

  test('a new one: 1', async () => {
    const { code, stdout } = await replay('--expect', pins(), differing());
    expect([code, stdout.includes('1 difference, and 1 pinned.')]).toEqual([1, true]);
  });

  test('a pinned one that is gone: 1, and which', async () => {
    const file = pins();
    const { code, stdout } = await replay('--expect', file, token);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `${file} pins a difference of createToken at response.body /permissions/*, which no longer exists. Remove it from the file.`,
    );
    const github = await replay('--format', 'github', '--expect', file, token);
    expect(github.stdout).toContain(`::error file=${file},title=Pinned and gone::`);
  });

  test('another value than the pinned one is new', async () => {
    const file = pins(...both, '    ours: true');
    expect((await replay('--expect', file, differing())).code).toBe(2);
    const other = pins(
      '  - { operation: getConfig, at: response.body /isRegulatedFinancialInstitution, ours: true, reason: x }',
    );
    expect((await replay('--expect', other, differing())).code).toBe(1);
  });

  test.each([
    ['no YAML', 'a: [', "isn't YAML: "],
    ['no list', 'differences: 5', 'has no list `differences`'],
    ['no reason', 'differences: [{operation: getConfig, at: response.status}]', 'has no text in differences[0].reason'],
    ['no map', 'differences: [5]', "has a differences[0] that isn't a map"],
    ['an unknown name', 'differences: [{operation: a, at: b, reason: c, why: d}]', 'has differences[0].why, but a'],
  ])('%s: 2', async (_name, text, message) => {
    const { code, stderr } = await replay('--expect', writeRecording(text, 'differences.yaml'), token);
    expect([code, stderr.split('\n').length]).toEqual([2, 2]);
    expect(stderr).toContain(message);
  });
});

test.each<[name: string, args: () => string[], message: string]>([
  ['no file', () => [], 'Name at least one HAR file.'],
  ['a wrong address', () => ['--against', 'localhost', token], '--against takes an address such as'],
  ['a wrong base', () => ['--base', 'api', token], '--base takes an address such as'],
  ['an address that nobody answers at', () => ['--against', 'http://localhost:1', token], "can't be reached: "],
  ['no pair of credentials', () => ['--credentials', 'me', token], '--credentials takes clientId:clientSecret.'],
  ["a world that isn't a file", () => ['--world', 'nowhere.json', token], "nowhere.json doesn't exist"],
  ["a world that isn't JSON", () => ['--world', writeRecording('{', 'w.json'), token], "isn't JSON"],
  [
    'a world that the sandbox refuses',
    () => ['--world', writeRecording('{"customers":5}', 'w.json'), token],
    '--world: ',
  ],
  ['questions in a format of tests', () => ['--questions', '--format', 'junit', token], '--questions takes --format'],
  ['pins that are nowhere', () => ['--expect', 'nowhere.yaml', token], "nowhere.yaml doesn't exist"],
])('%s: one line, and 2', async (_name, args, message) => {
  const { code, stdout, stderr } = await replay(...args());
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each<[name: string, text: string, message: string]>([
  ["a file that isn't a recording", 'hello', 'is not JSON in UTF-8'],
  ['a recording of nothing', '{"log":{"version":"1.2","entries":[]}}', 'has no entries'],
  [
    'a recording of something else',
    JSON.stringify({
      log: {
        version: '1.2',
        entries: [
          {
            ...readRecording('sandbox-api-token.har')[0],
            request: { method: 'GET', url: 'https://example.com/', headers: [] },
          },
        ],
      },
    }),
    'has 1 entry, but none of the service',
  ],
])('%s: one line, and 2', async (_name, text, message) => {
  const { code, stdout } = await replay(writeRecording(text));
  expect(code).toBe(2);
  expect(stdout).toContain(message);
});

test('an entry that can not be played ends with 2, and the others are played', async () => {
  const entries = readRecording('sandbox-api-token.har').slice(1);
  const file = writeRecording(JSON.stringify({ log: { version: '1.2', entries } }));
  const { code, stdout } = await replay(file);
  expect(code).toBe(2);
  expect(stdout).toContain(`${file} has an entry 2 that can't be played: it names Token:`);
  expect(stdout).toContain('Not played: 1 that can');
});

// Loading the mock takes as long as everything else here.
test.each(byLength([], recordingNames('prism-')))('%s plays on the mock without a difference', async (name) => {
  const { fetch } = await createMock({ bundlePath: bundleLocation, log: { info: () => {}, error: () => {} } });
  const answer = async (request: Request): Promise<Response> => fetch(request);
  expect(tell(await playAll(readRecording(name), { fetch: answer }))).toEqual([]);
});
