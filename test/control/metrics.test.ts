/**
 * Promise: Prometheus can read `GET /__sandbox/metrics`: it has the text format, correct counts, and labels whose
 * number no caller can increase (docs/how-to/monitor.md).
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Reader, Store } from '../../mocks/sandbox/store/store.ts';
import { Loads } from '../../mocks/sandbox/store/units/load.ts';
import { StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { openStore } from '../support/sandbox/database.ts';
import { basic, must, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';

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
  // A store in memory counts the look at the platforms too.
  expect(grown('countersign_units_total')).toBe(11);
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

describe('the heaviest platforms', () => {
  const named = async (sandbox: TestSandbox, name: string) =>
    (await read(sandbox)).samples.filter((one) => one.name === `countersign_platform_${name}`);

  test('are ten, and the series of those that are lighter or deleted end', async () => {
    const sandbox = await openSandbox();
    const platforms = [];
    for (let number = 0; number < 11; number += 1) platforms.push(await openPlatform(sandbox));
    const [light, ...heavy] = platforms;
    for (const one of heavy) must(await one.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    const idsOf = async (name: string) =>
      (await named(sandbox, name)).map(({ labels: { platform = '', ...others } }) => {
        expect(others).toEqual({});
        return platform;
      });
    for (const name of ['bytes', 'event_listeners', 'units_waiting', 'unit_seconds_total']) {
      const ids = await idsOf(name);
      expect([name, ids.length, ids.includes(light?.platformId ?? '')]).toEqual([name, 10, false]);
    }
    const ids = await idsOf('bytes');
    const deleted = heavy.find(({ platformId }) => ids.includes(platformId));
    must(await (deleted as TestPlatform).control('DELETE', '/platform'), 204);
    expect(await idsOf('bytes')).not.toContain(deleted?.platformId);
  });

  test('have their bytes, listeners and time', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    const sampleOf = async (name: string) =>
      (await named(sandbox, name)).find(({ labels }) => labels['platform'] === platform.platformId)?.value ?? -1;
    expect(await sampleOf('bytes')).toBe((await platform.control('GET', '/weight')).body.bytes);
    const seconds = await sampleOf('unit_seconds_total');
    must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    expect(await sampleOf('unit_seconds_total')).toBeGreaterThan(seconds);
    expect(await sampleOf('bytes')).toBe((await platform.control('GET', '/weight')).body.bytes);
    expect([await sampleOf('event_listeners'), await sampleOf('units_waiting')]).toEqual([0, 0]);
    const headers = { authorization: basic(platform.clientId, platform.clientSecret) };
    const heard = await sandbox.fetch(new Request(`${origin}/__sandbox/events`, { headers }));
    const reader = (heard.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    expect(await sampleOf('event_listeners')).toBe(1);
    await reader.cancel();
    expect(await sampleOf('event_listeners')).toBe(0);
  });

  test('are absent without the storage, and everything else is there', async () => {
    const store = await openStore();
    onTestFinished(() => store.close());
    let isGone = false;
    const failing = new Proxy(store, {
      get(_, name) {
        if (name === 'read' && isGone) return async () => Promise.reject(new StorageUnavailable('gone'));
        const value = Reflect.get(store, name, store);
        return typeof value === 'function' ? value.bind(store) : value;
      },
    });
    const sandbox = await openSandbox({ store: failing });
    expect(await named(sandbox, 'bytes')).not.toEqual([]);
    isGone = true;
    expect(await named(sandbox, 'bytes')).toEqual([]);
    expect((await read(sandbox)).samples.map(({ name }) => name)).toContain('countersign_units_total');
  });

  test('tell how many of their units wait', async () => {
    const loads = new Loads(() => 0);
    const turn = Promise.withResolvers<void>();
    const store = {
      transaction: async (_id: string, work: (tx: Reader) => Promise<unknown>) => {
        await turn.promise;
        return work({} as Reader);
      },
    } as unknown as Store;
    const units = [1, 2, 3].map((number) => loads.unit(store, 'one', async () => number));
    expect([loads.of('one').waiting, loads.of('other').waiting]).toEqual([3, 0]);
    turn.resolve();
    expect(await Promise.all(units)).toEqual([1, 2, 3]);
    expect(loads.of('one').waiting).toBe(0);
  });
});
