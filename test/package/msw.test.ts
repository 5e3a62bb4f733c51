/** Promise: behind Mock Service Worker, code that calls the service's real address gets a sandbox with state. */
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServiceClient } from '../../generated/client.ts';
import { createHandlers } from '../../package/msw.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { readWorkerSettings } from '../../package/workerSettings.ts';

const baseUrl = 'https://api.example.com/payments/v7/';
const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };

async function openWorker() {
  const sandbox = await createSandbox();
  const server = setupServer(...createHandlers(sandbox, { baseUrl }));
  server.listen({ onUnhandledFrame: 'error' });
  onTestFinished(async () => {
    server.close();
    await sandbox.close();
  });
  return sandbox;
}

describe('handlers', () => {
  test('the client of the contract works as against the service, and what it wrote is there', async () => {
    const sandbox = await openWorker();
    const client = createServiceClient({ baseUrl, credentials });
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'ada', fullName: 'Ada Lovelace' } as const;
    expect((await client.POST('/customers', { body })).response.status).toBe(201);
    const { data } = await client.GET('/customers', { params: { query: { platformCustomerId: 'ada' } } });
    expect(data?.data).toMatchObject([{ fullName: 'Ada Lovelace' }]);
    await sandbox.reset();
    const { data: after } = await client.GET('/customers', { params: { query: { platformCustomerId: 'ada' } } });
    expect(after?.totalCount).toBe(0);
  });

  test('refusals, headers and empty bodies pass through as they are', async () => {
    await openWorker();
    const refused = await fetch(`${baseUrl}customers`, { method: 'POST', body: '{"half":', headers: {} });
    expect(refused.status).toBe(401);
    const authorization = `Basic ${btoa('sandbox:sandbox')}`;
    const broken = await fetch(`${baseUrl}customers`, {
      method: 'POST',
      body: '{"half":',
      headers: { authorization, 'content-type': 'application/json' },
    });
    expect([broken.status, (await broken.json()).code]).toEqual([400, 'INVALID_INPUT']);
    const head = await fetch(`${baseUrl}customers`, { method: 'HEAD', headers: { authorization } });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test("the control surface is at the service's origin", async () => {
    await openWorker();
    const authorization = `Basic ${btoa('sandbox:sandbox')}`;
    const clock = await fetch('https://api.example.com/__sandbox/clock', { headers: { authorization } });
    expect(await clock.json()).toMatchObject({ frozen: false });
  });

  test('an invalid base address is refused when the handlers are made', async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.close());
    expect(() => createHandlers(sandbox, { baseUrl: '/v7' })).toThrow(TypeError);
  });
});

describe('settings of the service worker', () => {
  const read = (query: string) =>
    readWorkerSettings(`https://app.example/files/service-worker.js${query}`, '/2025-10-13');

  test.each([
    ['', 'https://app.example/2025-10-13', 'https://app.example/__sandbox'],
    ['?baseUrl=https://api.example.com/v1/', 'https://api.example.com/v1', 'https://api.example.com/__sandbox'],
    ['?baseUrl=/api&controlUrl=/steer/', 'https://app.example/api', 'https://app.example/steer'],
  ])('%s', (query, base, control) => {
    expect(read(query)).toMatchObject({ baseUrl: base, controlUrl: control, reference: false });
  });

  test('all of them', () => {
    expect(read('?keepAs=a&proofs=real&world=examples&seed=7&reference=true')).toMatchObject({
      reference: true,
      options: { keepAs: 'a', proofs: 'real', world: 'examples', seed: 7 },
    });
  });

  test.each([
    ['?wrold=examples', /^wrold isn't a setting of the service worker: it knows baseUrl, /],
    ['?world=mars', /^world is ready-made or examples, not mars\.$/],
    ['?seed=lucky', /^seed is a whole number, not lucky\.$/],
    ['?proofs=none', /^proofs is magic or real, not none\.$/],
  ])('%s is refused', (query, message) => {
    expect(() => read(query)).toThrow(message);
  });
});
