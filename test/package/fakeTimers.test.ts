/**
 * Promise: a sandbox works as usual in a test with fake timers, whichever timers are faked and whenever. Its clock
 * follows only a faked `Date` (package/README.md).
 */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../package/sandbox.ts';
import { sample } from '../support/run/length.ts';
import { basic } from '../support/sandbox/harness.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
});

// `queueMicrotask` and `process.nextTick` are left out, as in Vitest's own default, because Node's `Response.json()`
// waits for them.
const configs: [name: string, config: Parameters<typeof vi.useFakeTimers>[0]][] = [
  ['as Vitest does unless told otherwise', {}],
  ['with the exports of node:timers too', { fakeNodeBuiltins: true }],
  ['that pass by themselves', { shouldAdvanceTime: true }],
];

/** Uses every function of a sandbox, with its own `fetch` and on a port. */
async function useAll(open: typeof createSandbox): Promise<void> {
  const sandbox = await open();
  const make = (url: string, fetch: typeof sandbox.fetch) =>
    fetch(`${url}/customers`, { method: 'POST', headers, body: JSON.stringify({ customerType: 'INDIVIDUAL' }) });
  expect((await make(sandbox.url, sandbox.fetch)).status).toBe(201);
  await sandbox.advance(301);
  expect((await make(await sandbox.listen(), fetch as typeof sandbox.fetch)).status).toBe(201);
  const rules = [{ operation: 'listCustomers', delayMs: 5 }];
  const plant = { method: 'PUT', headers, body: JSON.stringify({ rules }) };
  expect((await sandbox.fetch('/__sandbox/faults', plant)).status).toBe(200);
  const list = await (await sandbox.fetch('/customers', { headers })).json();
  expect(list).toMatchObject({ totalCount: 4 });
  await sandbox.reset();
  expect(await (await sandbox.fetch('/customers', { headers })).json()).toMatchObject({ totalCount: 2 });
  await sandbox.close();
}

test.each(configs)('timers faked %s', async (_name, config) => {
  vi.useFakeTimers(config);
  await useAll(createSandbox);
});

test.each(sample(configs, 2))('timers faked %s, before the sandbox is imported', async (_name, config) => {
  vi.resetModules();
  vi.useFakeTimers(config);
  const { createSandbox: open } = await import('../../package/sandbox.ts');
  expect(open).not.toBe(createSandbox);
  await useAll(open);
});

test('fakes that come and go while a sandbox is open', async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  for (let round = 0; round < 3; round += 1) {
    vi.useFakeTimers();
    const first = sandbox.fetch('/customers', { headers });
    vi.useRealTimers();
    expect((await first).status).toBe(200);
    expect((await sandbox.fetch('/customers', { headers })).status).toBe(200);
  }
});

test('time follows a faked Date, and advance() goes on from there; if the Date goes back, time stands', async () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) });
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const now = async () => (await (await sandbox.fetch('/__sandbox/clock', { headers })).json()).now;
  expect(await now()).toBe('2030-01-01T00:00:00.000Z');
  vi.advanceTimersByTime(60_000);
  await sandbox.advance(60);
  expect(await now()).toBe('2030-01-01T00:02:00.000Z');
  vi.setSystemTime(Date.UTC(2029, 0, 1));
  expect(await now()).toBe('2030-01-01T00:02:00.000Z');
  vi.setSystemTime(Date.UTC(2030, 0, 1, 0, 5));
  expect(await now()).toBe('2030-01-01T00:06:00.000Z');
  expect((await sandbox.fetch('/customers', { headers })).status).toBe(200);
});
