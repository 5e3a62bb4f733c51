/** Promise: findings have the same content in every format: text, JSON, and SARIF for code scanning. */
import { relative } from 'node:path';
import type { Log } from 'sarif';
import { describe, expect, it } from 'vitest';
import { describeRule } from '../../conformance/rules/rule.ts';
import { check, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';

const list = { data: [], hasMore: false, totalCount: 0 };
const good = toEntry({ url: '/customers', status: 200, responseBody: list });
const bad = toEntry({ url: '/customers?limit=0&page=2', status: 200, responseBody: { ...list, totalCount: '0' } });
const lost = toEntry({ url: '/lost', status: 200 });

const record = (entries: readonly unknown[] = [good, bad, lost]) => writeRecording(toHar(entries), 'a recording.har');
const parsed = async (format: string, ...files: string[]) => {
  const { code, stdout, stderr } = await check('--format', format, ...files);
  return { code, stderr, value: JSON.parse(stdout) };
};

describe('reports', () => {
  it('text: findings under their entry, then the sum', async () => {
    const file = record();
    const { stdout } = await check(file);
    expect(
      stdout.replaceAll(file, 'FILE'),
    ).toBe(`FILE: entry 1 (2025-10-13T09:00:00.000Z): listCustomers, GET /customers, answered 200
  request.query /page is not a parameter of this operation: "2"  (undocumented-parameter; assumed: D06 Closed requests, open replies, D01 Supporting operations)
  request.query /limit must be >= 1: 0  (schema/minimum; assumed: D01 Supporting operations)
  response.body /totalCount must be integer: "0"  (schema/type; assumed: D01 Supporting operations)
FILE: entry 2 (2025-10-13T09:00:00.000Z): no operation, GET /lost, answered 200
  request.path isn't the path of an operation: "/lost"  (undocumented-path; assumed: D01 Supporting operations)
3 entries, 3 judged: 4 findings.
`);
  });

  it('JSON: a finding says file, entry, operation, place, pointer, rule and value', async () => {
    const file = record();
    const { code, value, stderr } = await parsed('json', file);
    expect(code).toBe(1);
    expect(value.findings).toHaveLength(4);
    expect(value.findings[2]).toEqual({
      file,
      entry: { index: 1, line: 1, startedDateTime: '2025-10-13T09:00:00.000Z' },
      operationId: 'listCustomers',
      method: 'GET',
      path: '/customers',
      status: 200,
      in: 'response.body',
      pointer: '/totalCount',
      rule: 'schema/type',
      message: 'must be integer',
      value: '0',
      basis: { level: 'assumed', decisions: [{ id: 'D01', title: 'Supporting operations' }] },
      fails: true,
    });
    expect(value.unreadable).toEqual([]);
    expect(value.summary).toMatchObject({ files: 1, entries: 3, judged: 3, findings: 4, failing: 4 });
    expect(stderr).toBe('3 entries, 3 judged: 4 findings.\n');
  });

  it('SARIF 2.1.0: rules, results and their places', async () => {
    const file = relative(process.cwd(), record());
    const { value } = await parsed('sarif', file);
    const { version, runs } = value as Log;
    expect(version).toBe('2.1.0');
    expect(value.$schema).toMatch(/sarif-2\.1\.0/);
    const [run] = runs;
    const rules = run?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual([
      'undocumented-parameter',
      'schema/minimum',
      'schema/type',
      'undocumented-path',
    ]);
    for (const rule of rules) expect(rule.shortDescription?.text).toMatch(/^[A-Z].*\.$/);
    expect(run?.results).toHaveLength(4);
    for (const result of run?.results ?? []) {
      expect(rules.map(({ id }) => id)).toContain(result.ruleId);
      expect(result.level).toBe('error');
      expect(result.message.text).toMatch(/\S/);
      const [location] = result.locations ?? [];
      expect(location?.physicalLocation?.artifactLocation?.uri).toMatch(/^\.\.\/.*a%20recording\.har$/);
      expect(location?.logicalLocations?.[0]?.fullyQualifiedName).toMatch(/^\/log\/entries\/[12]$/);
    }
    expect(run?.results?.[2]?.message.text).toBe(
      'listCustomers answered 200: response.body /totalCount must be integer: "0" (assumed: D01 Supporting operations)',
    );
    expect(run?.invocations?.[0]?.executionSuccessful).toBe(true);
  });

  it.each(['json', 'sarif'])(
    '%s stays whole when there is nothing, and when a file can not be read',
    async (format) => {
      expect(await parsed(format, record([good]))).toMatchObject({ code: 0 });
      const { code, value, stderr } = await parsed(format, '/nowhere.har');
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^\/nowhere\.har does not exist/)]);
      expect(JSON.stringify(value)).toContain('does not exist');
      if (format === 'sarif') expect(value.runs[0].invocations[0].executionSuccessful).toBe(false);
    },
  );

  it('every rule says what it demands', () => {
    expect(describeRule('not-json')).toBe('A body is JSON.');
    expect(describeRule('schema/maxLength')).toBe('Values keep the keyword "maxLength" of their schema.');
  });
});
