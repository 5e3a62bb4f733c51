/**
 * Promise: a sandbox of the package is independent. It answers the same in process and on a port, the test controls its
 * time and its initial world, no other sandbox sees it, and closing it leaves nothing behind.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../package/index.ts';
import { createSandbox, type Sandbox, type SandboxOptions, type SnapshotDocument } from '../../package/sandbox.ts';
import { isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic, data } from '../support/sandbox/harness.ts';

const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

async function open(options?: SandboxOptions): Promise<{ sandbox: Sandbox; client: ServiceClient }> {
  const sandbox = await createSandbox(options);
  onTestFinished(() => sandbox.close());
  return { sandbox, client: createServiceClient({ baseUrl: sandbox.url, credentials, fetch: sandbox.fetch }) };
}

const countCustomers = async (client: ServiceClient): Promise<number> =>
  data(await client.GET('/customers')).totalCount;
const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Byron' } as const;
const addCustomer = async (client: ServiceClient) => data(await client.POST('/customers', { body: ada }));

describe('in process', () => {
  test('answers the generated client at its url', async () => {
    const { sandbox, client } = await open();
    expect(sandbox.url).toMatch(/\/2025-10-13$/);
    expect(await countCustomers(client)).toBe(2);
  });

  test('takes a path, an address of any origin, a URL and a request; with init as fetch does', async () => {
    const { fetch, url } = (await open()).sandbox;
    const elsewhere = 'https://api.example.com/2025-10-13/customers';
    const inputs = ['/customers', `${url}/customers`, elsewhere, new URL(`${url}/customers`)];
    for (const input of inputs) expect((await fetch(input, { headers })).status).toBe(200);
    expect((await fetch(new Request(elsewhere, { headers }))).status).toBe(200);
    expect((await fetch(new Request(elsewhere, { headers }), { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await fetch('/customers')).status).toBe(401);
    expect((await fetch('/__sandbox/health')).status).toBe(200);
  });

  test('ends a request that was given up, as fetch does', async () => {
    const { fetch } = (await open()).sandbox;
    await expect(fetch('/customers', { headers, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  test('case 121: two sandboxes do not see each other, on the same seed either', async () => {
    const [one, other] = await Promise.all([open({ seed: 7 }), open({ seed: 7 })]);
    const [mine, theirs] = await Promise.all([addCustomer(one.client), addCustomer(other.client)]);
    expect(mine).toEqual(theirs);
    await addCustomer(one.client);
    await one.sandbox.advance(3600);
    expect([await countCustomers(one.client), await countCustomers(other.client)]).toEqual([4, 3]);
    await one.sandbox.reset();
    expect([await countCustomers(one.client), await countCustomers(other.client)]).toEqual([2, 3]);
    await one.sandbox.close();
    expect(await countCustomers(other.client)).toBe(3);
  });
});

test.each(isLongRun ? ['warm, it has compiled what a first request needs'] : [])('%s', async () => {
  // Validators are cached for the whole process, so only freshly loaded modules show when they are compiled.
  vi.resetModules();
  const { createSandbox: createFresh } = await import('../../package/sandbox.ts');
  const compile = vi.spyOn(globalThis, 'Function');
  const countCompiled = async (options: SandboxOptions) => {
    const sandbox = await createFresh(options);
    onTestFinished(() => sandbox.close());
    compile.mockClear();
    const client = sandbox.client();
    data(await client.GET('/customers'));
    data(await client.POST('/customers', { body: ada }));
    return compile.mock.calls.length;
  };
  expect(await countCompiled({})).toBeGreaterThan(0);
  expect(await countCompiled({ warm: true })).toBe(0);
});

describe('its time and its first moment', () => {
  const now = async ({ fetch }: Sandbox) => (await (await fetch('/__sandbox/clock', { headers })).json()) as object;

  test('advances, and goes back with a reset alone', async () => {
    const { sandbox } = await open({ frozenAt: new Date('2026-02-03T04:05:06Z') });
    expect(await now(sandbox)).toEqual({ now: '2026-02-03T04:05:06.000Z', frozen: true });
    await sandbox.advance(90);
    expect(await now(sandbox)).toEqual({ now: '2026-02-03T04:06:36.000Z', frozen: true });
    await expect(sandbox.advance(-1)).rejects.toThrow(/advanceSeconds/);
    await sandbox.reset();
    expect(await now(sandbox)).toEqual({ now: '2026-02-03T04:05:06.000Z', frozen: true });
  });

  test('runs with the machine when nothing is said, and stands still on a seed', async () => {
    expect(await now((await open()).sandbox)).toMatchObject({ frozen: false });
    expect(await now((await open({ seed: 1 })).sandbox)).toEqual({ now: '2025-10-13T00:00:00.000Z', frozen: true });
  });

  test('begins with the world that is asked for, and a reset brings it back', async () => {
    const { sandbox, client } = await open({
      proofs: 'real',
      world: { customers: [{ customer: ada, accounts: [{ currency: 'USDB', balance: 5 }] }] },
    });
    const balances = async () =>
      data(await client.GET('/customers/internal-accounts')).data.map(({ balance }) => balance.amount);
    expect(await balances()).toEqual([5]);
    expect(await (await sandbox.fetch('/__sandbox/settings', { headers })).json()).toMatchObject({ proofs: 'real' });
    await addCustomer(client);
    await sandbox.reset();
    expect(await balances()).toEqual([5]);
  });

  test("begins with the contract's examples by their name, and again after a reset", async () => {
    const { sandbox, client } = await open({ world: 'examples' });
    const path = { quoteId: 'Quote:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e50' };
    const header = { 'Service-Wallet-Signature': 'sandbox-valid-signature' };
    const execute = () => client.POST('/quotes/{quoteId}/execute', { params: { path, header } });
    expect(data(await execute()).status).toBe('COMPLETED');
    expect((await execute()).response.status).toBe(409);
    await sandbox.reset();
    expect(data(await execute()).status).toBe('COMPLETED');
  });

  test('refuses an invalid world, seed and instant, and says what is wrong', async () => {
    const customer = { customerType: 'INDIVIDUAL', email: 'nobody' } as const;
    await expect(createSandbox({ world: { customers: [{ customer }] } })).rejects.toThrow(
      /\/world\/customers\/0\/customer\/email/,
    );
    await expect(createSandbox({ seed: 1.5 })).rejects.toThrow(/whole number, not 1\.5/);
    await expect(createSandbox({ frozenAt: new Date('soon') })).rejects.toThrow(/not a valid date/);
  });
});

describe('on a port', () => {
  test('is the same sandbox at a new url, which it frees again', async () => {
    const { sandbox, client } = await open();
    const url = await sandbox.listen();
    expect(url).toMatch(/^http:\/\/localhost:\d+\/2025-10-13$/);
    expect(sandbox.url).toBe(url);
    await addCustomer(createServiceClient({ baseUrl: url, credentials }));
    expect(await countCustomers(client)).toBe(3);
    await sandbox.close();
    await expect(fetch(`${url}/customers`, { headers })).rejects.toThrow();
  });

  test('takes the port that is asked for, once, and says so when it is taken', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    const port = Number(new URL(await one.sandbox.listen()).port);
    await expect(one.sandbox.listen()).rejects.toThrow(/already listens/);
    await expect(other.sandbox.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await one.sandbox.close();
    expect(await other.sandbox.listen({ port })).toBe(`http://localhost:${port}/2025-10-13`);
  });

  test('lets nobody else in without a control token', async () => {
    const { sandbox } = await open();
    await expect(sandbox.listen({ host: '0.0.0.0' })).rejects.toThrow(/with a controlToken/);
    const guarded = (await open({ controlToken: 'let-me-in' })).sandbox;
    const { port } = new URL(await guarded.listen({ host: '0.0.0.0' }));
    const health = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/__sandbox/health`, { headers: { authorization } });
    expect([(await health('')).status, (await health('Bearer let-me-in')).status]).toEqual([401, 200]);
  });
});

describe('at its end', () => {
  test('answers what is in flight, then nothing; closing again does nothing', async () => {
    const { sandbox } = await open();
    const inFlight = sandbox.fetch('/customers', { method: 'POST', headers, body: JSON.stringify(ada) });
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect((await inFlight).status).toBe(201);
    await expect(sandbox.fetch('/customers')).rejects.toThrow(/closed/);
    await expect(sandbox.listen()).rejects.toThrow(/closed/);
    await expect(sandbox.reset()).rejects.toThrow(/closed/);
  });

  test('ends a stream of events that somebody reads', async () => {
    const { sandbox } = await open();
    const { body } = await sandbox.fetch('/__sandbox/events', { headers });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    const next = reader.read();
    await sandbox.close();
    expect((await next).done).toBe(true);
  });

  test('frees a port that it was only about to take', async () => {
    const { sandbox } = await open();
    const listening = sandbox.listen();
    await sandbox.close();
    const { port } = new URL(await listening);
    const refused = await new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(false));
      socket.once('error', () => resolve(true));
      socket.once('close', () => socket.destroy());
    });
    expect(refused).toBe(true);
  });

  test('keeps a file that was asked for, whose sandbox goes on', async () => {
    const file = join(temporaryFolder(), 'deep', 'sandbox.sqlite');
    const first = await open({ file });
    const { id } = await addCustomer(first.client);
    await first.sandbox.close();
    expect(existsSync(file)).toBe(true);
    const { client } = await open({ file });
    expect(data(await client.GET('/customers')).data[0]?.id).toBe(id);
  });
});

test('tells of faults of its own where it is asked to', async () => {
  const faults: string[] = [];
  const file = join(temporaryFolder(), 'sandbox.sqlite');
  const { sandbox } = await open({ file, onFault: (message) => faults.push(message) });
  const database = new DatabaseSync(file);
  database.exec('drop table customers');
  database.close();
  expect((await sandbox.fetch('/customers', { headers })).status).toBe(500);
  expect(faults).toHaveLength(1);
});

test('a snapshot that was taken of one is what another begins with, and returns to', async () => {
  const take = async ({ fetch }: Sandbox) => (await fetch('/__sandbox/snapshot', { headers })).text();
  const here = await open();
  await addCustomer(here.client);
  const taken = await take(here.sandbox);
  const there = await open({ world: JSON.parse(taken) as SnapshotDocument });
  await addCustomer(there.client);
  await there.sandbox.reset();
  expect(await take(there.sandbox)).toBe(taken);
});
