/**
 * Promise: the recordings show the current behaviour of the servers. Recording again gives the same bytes, and no
 * recording breaks the contract.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Har } from 'har-format';
import { describe, expect, test } from 'vitest';
import { checkFiles } from '../../conformance/check.ts';
import { createMatcher } from '../../conformance/match.ts';
import type { Finding, Summary } from '../../conformance/report/report.ts';
import { loadContract } from '../../contract/file.ts';
import { operations } from '../../generated/operations.ts';
import { readWorkflows } from '../../scripts/lib/arazzo.ts';
import {
  keepRecordings,
  type Recording,
  recordAgents,
  recordMocks,
  recordWorkflows,
} from '../../scripts/record/main.ts';
import { recordFetch } from '../../traffic/record.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const folder = new URL('./recordings/', import.meta.url).pathname;
const names = readdirSync(folder);
const again = 'npm run record writes them again; look at what changed, then commit it';

function expectSame(recordings: readonly Recording[]): void {
  for (const [name, text] of recordings) {
    const [kept, now] = [readFileSync(join(folder, name), 'utf8').split('\n'), text.split('\n')];
    const line = kept.findIndex((one, index) => one !== now[index]);
    // Only the line, because the difference of whole files isn't readable.
    expect([name, line, kept[line]], again).toEqual([name, line, now[line]]);
    expect([name, kept.length], again).toEqual([name, now.length]);
  }
}

describe('recorded again', () => {
  test('there is one for each domain of the mock and each workflow file', () => {
    const domains = [...new Set(operations.map(({ domain }) => `prism-${domain}.har`))];
    const workflows = readWorkflows().map(({ name }) => `sandbox-${name}.har`);
    expect(names.sort(), again).toEqual([...domains, ...workflows, 'sandbox-ai-agent.har'].sort());
  });

  // Loading the mock takes as long as everything else here.
  test.each(byLength([], ['mock']))('the %s', async () => {
    const recordings = await recordMocks();
    expect(recordings.length).toBeGreaterThan(0);
    expectSame(recordings);
  });

  // Only a few, because the runner is slow. `npm run record -- --check` compares all.
  test('workflows against the sandbox', async () => {
    expectSame(await recordWorkflows(byLength(['api-token'], ['first-credential', 'api-token'])));
  });

  test('the walk of an AI agent', async () => {
    expectSame(await recordAgents());
  });
});

test('the folder gets the recordings that changed, loses those that are gone, and keeps the rest', () => {
  const out = temporaryFolder();
  const put = (name: string, text: string) => writeFileSync(join(out, name), text);
  for (const name of ['same.har', 'changed.har', 'gone.har', 'README.md']) put(name, 'old');
  const wanted = new Map([
    ['same.har', 'old'],
    ['changed.har', 'new'],
    ['added.har', 'new'],
  ]);
  const state = () => Object.fromEntries(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  const before = state();
  const named = (check: boolean) =>
    keepRecordings(wanted, out, check).map((line) => line.replace(/(?<= )\S+\/(?=[^/]+$)/, ''));
  expect(named(true)).toEqual(['would change changed.har', 'would change added.har', 'would remove gone.har']);
  expect(state()).toEqual(before);
  expect(named(false)).toEqual(['wrote changed.har', 'wrote added.har', 'removed gone.har']);
  expect(state()).toEqual({ ...Object.fromEntries(wanted), 'README.md': 'old' });
});

test.each(names)('%s passes the check', async (name) => {
  const findings: Finding[] = [];
  let summary: Summary | undefined;
  const report = {
    finding: (finding: Finding) => findings.push(finding),
    unreadable: () => {},
    end: (end: Summary) => {
      summary = end;
    },
  };
  const contract = loadContract();
  const options = { contract, match: createMatcher(), report, requireBodies: true, progress: () => {} };
  const code = await checkFiles([join(folder, name)], options);
  expect([findings, code]).toEqual([[], 0]);
  expect(summary?.judged).toBe(summary?.entries);
});

test('every documented reply of every operation is in the recordings of the mock', () => {
  const seen = new Set<string>();
  for (const name of names.filter((one) => one.startsWith('prism-'))) {
    const { log } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Har;
    for (const { request, response } of log.entries) {
      const { pathname } = new URL(request.url);
      const route = operations.find(
        ({ method, path }) =>
          method === request.method &&
          new RegExp(`^/2025-10-13${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      );
      seen.add(`${route?.id} ${response.status}`);
    }
  }
  const missing = operations.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((one) => !seen.has(one)),
  );
  expect(missing).toEqual([]);
});

test.each(names)('%s holds nothing of the machine', (name) => {
  const { log } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Har;
  for (const { request, response, time } of log.entries) {
    expect(request.url).toMatch(/^http:\/\/localhost:4010\/2025-10-13\//);
    expect(time).toBe(0);
    const headers = [...request.headers, ...response.headers].map((header) => header.name.toLowerCase());
    for (const own of ['host', 'user-agent', 'date', 'connection']) expect(headers).not.toContain(own);
  }
});

test('what a client sends and receives is recorded, and reaches both as it was', async () => {
  let instant = 5000;
  const client = recordFetch(
    async (request) => {
      instant += 20;
      return new Response(`{"got":${await request.text()}}`, { status: 201, headers: { 'X-One': '1' } });
    },
    () => instant,
  );
  const answer = await client.fetch(
    new Request('http://a.example/b?c=d', { method: 'POST', body: '{"otp":"123456"}' }),
  );
  expect([answer.status, await answer.text()]).toEqual([201, '{"got":{"otp":"123456"}}']);
  const [entry, ...none] = client.entries;
  expect(none).toEqual([]);
  expect(entry).toMatchObject({
    startedDateTime: '1970-01-01T00:00:05.000Z',
    time: 20,
    request: { method: 'POST', url: 'http://a.example/b?c=d', postData: { text: '{"otp":"111111"}' }, bodySize: 16 },
    response: { status: 201, content: { text: '{"got":{"otp":"111111"}}', size: 24 }, bodySize: 24 },
  });
});
