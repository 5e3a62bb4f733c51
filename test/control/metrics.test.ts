/**
 * Promise: Prometheus can read `GET /__sandbox/metrics`: it has the text format, correct counts, and labels whose
 * number no caller can increase (docs/how-to/monitor.md).
 */
import { expect, test } from 'vitest';
import { must, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const metricLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.e+-]+|\+Inf|NaN)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/** Reads the exposition format 0.0.4 and throws for anything else. */
function parse(text: string): { samples: Sample[]; types: Map<string, string> } {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const samples = text
    .slice(0, -1)
    .split('\n')
    .flatMap((line): Sample[] => {
      const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) {
        expect(types.has(name), `${name} is declared once`).toBe(false);
        types.set(name, type);
      }
      if (line.startsWith('#')) {
        expect(line).toMatch(/^# (TYPE|HELP) [a-zA-Z_:][\w:]* \S/);
        return [];
      }
      const [, sample = '', inside = '', value = ''] = metricLine.exec(line) ?? [];
      expect(sample, line).not.toBe('');
      const labels: Record<string, string> = {};
      for (label.lastIndex = 0; label.lastIndex < inside.length; ) {
        const [, key = '', content = ''] = label.exec(inside) ?? [];
        expect(key, line).not.toBe('');
        labels[key] = content;
      }
      expect(types.has(sample.replace(/_(bucket|sum|count)$/, '')) || types.has(sample), line).toBe(true);
      return [{ name: sample, labels, value: Number(value) }];
    });
  return { samples, types };
}

async function read(sandbox: TestSandbox) {
  const response = await sandbox.fetch(new Request(`${origin}/__sandbox/metrics`));
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parse(await response.text());
}

test('counts every answer by operation, status and code, and how long each took', async () => {
  let now = 0;
  const sandbox = await openSandbox({ stopwatch: () => (now += 3) });
  for (let number = 0; number < 3; number += 1) must(await sandbox.send('GET', '/customers'));
  must(await sandbox.send('GET', '/customers?limit=0'), 400);
  must(await sandbox.send('GET', '/nothing'), 404);
  const { samples } = await read(sandbox);
  const counted = samples.filter(({ name }) => name === 'countersign_requests_total');
  expect(counted.map(({ labels, value }) => [labels, value])).toEqual([
    [{ operation: 'listCustomers', status: '200', code: '' }, 3],
    [{ operation: 'listCustomers', status: '400', code: 'INVALID_INPUT' }, 1],
    [{ operation: 'none', status: '404', code: 'NOT_FOUND' }, 1],
  ]);
  const of = (name: string) =>
    samples.filter((one) => one.name === name && one.labels['operation'] === 'listCustomers');
  const buckets = of('countersign_request_duration_seconds_bucket');
  expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).toSorted((a, b) => a - b));
  expect(buckets.filter(({ labels }) => Number(labels['le']) < 0.003).map(({ value }) => value)).toEqual([0, 0, 0]);
  expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 4 });
  expect(of('countersign_request_duration_seconds_count')[0]?.value).toBe(4);
  expect(of('countersign_request_duration_seconds_sum')[0]?.value).toBeCloseTo(0.012);
});

test('says what store, caches and process have done, and what is in flight', async () => {
  const sandbox = await openSandbox({
    usage: () => ({ memoryBytes: 1024, cpuSeconds: 1.5, startedAt: 1_700_000_000 }),
  });
  for (let number = 0; number < 2; number += 1) must(await sandbox.send('GET', '/customers'));
  const before = await read(sandbox);
  const body = { customerType: 'INDIVIDUAL' };
  await Promise.all(Array.from({ length: 10 }, () => sandbox.send('POST', '/customers', { body })));
  const after = await read(sandbox);
  const value = ({ samples }: typeof before, name: string) => samples.find((one) => one.name === name)?.value ?? -1;
  expect(value(before, 'countersign_reply_cache_hits_total')).toBe(1);
  expect(value(before, 'countersign_requests_in_flight')).toBe(1);
  const grown = (name: string) => value(after, name) - value(before, name);
  expect(grown('countersign_units_total')).toBe(10);
  expect(grown('countersign_commits_total')).toBeLessThan(10);
  expect(value(after, 'countersign_journal_bytes')).toBeGreaterThan(value(before, 'countersign_journal_bytes'));
  expect(value(after, 'countersign_storage_failures_total')).toBe(0);
  expect(value(after, 'process_resident_memory_bytes')).toBe(1024);
  expect(value(after, 'process_cpu_seconds_total')).toBe(1.5);
});

test('nothing that a caller sends creates a new series', async () => {
  const sandbox = await openSandbox();
  must(await sandbox.send('GET', '/customers'));
  const names = async () => (await read(sandbox)).samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  must(await sandbox.send('GET', '/nothing'), 404);
  await names();
  const before = await names();
  for (let number = 0; number < 20; number += 1) {
    must(await sandbox.send('GET', `/nothing-${number}`), 404);
    must(await sandbox.send('GET', '/customers', { headers: { 'X-Request-Id': `id-${number}` } }));
  }
  expect(await names()).toEqual(before);
});
