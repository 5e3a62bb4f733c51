/**
 * Promise: a request that is refused before an operation gets it, such as one to a mistyped path, is in the journal of
 * the platform whose credentials it has. What isn't traffic of an app is not (docs/reference/journal.md).
 */
import type { Entry } from 'har-format';
import { describe, expect, test } from 'vitest';
import { toExchange } from '../../conformance/entry.ts';
import { judge } from '../../conformance/judge.ts';
import { loadContract } from '../../contract/file.ts';
import { openPort } from '../support/process/server.ts';
import { openStore } from '../support/sandbox/database.ts';
import { basic, must, openSandbox, origin, type SendOptions, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

const readJournal = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/journal')).body.data;
const authorization = basic('sandbox', 'sandbox');

/** Sends a request to a whole path of the server. */
async function sendTo(sandbox: TestSandbox, method: string, path: string, headers: Record<string, string> = {}) {
  const { status } = await sandbox.fetch(
    new Request(origin + path, { method, headers: { authorization, ...headers } }),
  );
  return status;
}

type Stray = [
  what: string,
  method: string,
  path: string,
  status: number,
  operationId: string | undefined,
  headers?: object,
];
const strays: Stray[] = [
  ['an unknown path', 'GET', '/2025-10-13/customer', 404, undefined],
  ['an unknown path with a body', 'POST', '/2025-10-13/customer', 404, undefined],
  ['a path without the version', 'GET', '/customers', 404, undefined],
  ['a version that is not served', 'GET', '/2024-01-01/customers', 404, undefined],
  ['two slashes at the beginning', 'GET', '//2025-10-13/customers', 404, undefined],
  ['a slash at the end', 'GET', '/2025-10-13/customers/', 404, undefined],
  ['words where an id should be', 'GET', '/2025-10-13/customers/kyc-link', 404, undefined],
  ['an unknown method', 'PATCH', '/2025-10-13/customers', 405, undefined],
  ['HEAD of what has no GET', 'HEAD', '/2025-10-13/transfer-out', 405, undefined],
  ['a path that is not UTF-8', 'GET', '/2025-10-13/customers/%ff', 400, undefined],
  ['a query that is not UTF-8', 'GET', '/2025-10-13/customers?limit=%ff', 400, undefined],
  ['a path outside that is not UTF-8', 'GET', '/%ff', 400, undefined],
  ['another media type', 'GET', '/2025-10-13/customers', 406, 'listCustomers', { accept: 'text/html' }],
];

describe('with valid credentials', () => {
  test.each(strays)('%s is in the journal', async (_what, method, path, status, operationId, headers = {}) => {
    const sandbox = await openSandbox();
    expect(await sendTo(sandbox, method, path, headers as Record<string, string>)).toBe(status);
    const [entry, ...none] = await readJournal(sandbox);
    expect(none).toEqual([]);
    expect(entry.operationId).toBe(operationId);
    expect(entry).toMatchObject({
      startedAt: await sandbox.now(),
      request: { method, url: origin + path },
      response: { status, headers: { 'Content-Type': 'application/json' } },
    });
    if (method !== 'HEAD') expect(entry.response.body).toMatchObject({ status });
    expect(entry).not.toHaveProperty('fault');
    const judged = (await sandbox.control('GET', `/journal/${entry.id}`)).body;
    expect([judged.operationId, judged.findings]).toEqual([operationId, []]);
    expect((await sandbox.control('GET', '/refused-credentials')).body.data).toEqual([]);
  });

  test('with its body, secrets masked', async () => {
    const sandbox = await openSandbox();
    const body = { fullName: 'Ada Byron', otp: '123456' };
    must(await sandbox.send('POST', '/customer', { body }), 404);
    expect((await readJournal(sandbox))[0].request.body).toEqual({ fullName: 'Ada Byron', otp: '111111' });
  });

  test.each<[what: string, options: SendOptions]>([
    ['larger than an operation takes', { text: 'x'.repeat(1024 * 1024 + 1) }],
    ['that announces more', { text: 'x', headers: { 'content-length': '2000000' } }],
  ])('a body %s is left out', async (_what, options) => {
    const sandbox = await openSandbox();
    must(await sandbox.send('POST', '/customer', options), 404);
    expect((await readJournal(sandbox))[0]).toMatchObject({ response: { status: 404 } });
    expect((await readJournal(sandbox))[0].request).not.toHaveProperty('body');
  });

  test("in the journal of the token's platform, or of the agent's, and in no other", async () => {
    const sandbox = await openSandbox();
    const [one, other] = [await openPlatform(sandbox), await openPlatform(sandbox)];
    const { agent } = await openAgentStage(one);
    const before = (await readJournal(one)).length;
    must(await one.send('GET', '/nothing'), 404);
    must(await agent.send('GET', '/nothing'), 404);
    const added = (await readJournal(one)).slice(0, -before);
    expect(added.map(({ request }: { request: { url: string } }) => new URL(request.url).pathname)).toEqual([
      '/2025-10-13/agents/me/nothing',
      '/2025-10-13/nothing',
    ]);
    expect([await readJournal(other), await readJournal(sandbox)]).toEqual([[], []]);
  });

  test('a listener hears it', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.fetch(new Request(`${origin}/__sandbox/events`, { headers: { authorization } }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    must(await sandbox.send('GET', '/nothing'), 404);
    const { value } = await reader.read();
    await reader.cancel();
    const heard = JSON.parse(new TextDecoder().decode(value).replace(/^data: /, ''));
    expect(heard).toMatchObject({ type: 'EXCHANGE', exchange: { response: { status: 404 } } });
  });

  test('countersign check reads the archive of them, and finds nothing', async () => {
    const sandbox = await openSandbox();
    for (const [, method, path, , , headers = {}] of strays) {
      await sendTo(sandbox, method, path, headers as Record<string, string>);
    }
    const { body: har } = await sandbox.control('GET', '/journal?format=har');
    expect(har.log.entries).toHaveLength(strays.length);
    const verdicts = har.log.entries.map((entry: Entry) => judge(loadContract(), toExchange(entry)));
    expect(verdicts.flatMap((verdict: object) => ('breaches' in verdict ? verdict.breaches : []))).toEqual([]);
  });

  test('on a port, a target that no path can have is in it too, as it was sent', async () => {
    const sandbox = await openSandbox();
    const server = await openPort(sandbox);
    must(await server.request('GET /2025-10-13/agents/../customers HTTP/1.1'), 404);
    must(await server.request('GET /2025-10-13/customers#all HTTP/1.1'), 400);
    must(await server.request('GET /__sandbox/../customers HTTP/1.1'), 404);
    const urls = (await readJournal(sandbox)).map(({ request }: { request: { url: string } }) => request.url);
    expect(urls).toEqual([
      'http://localhost/2025-10-13/customers#all',
      'http://localhost/2025-10-13/agents/../customers',
    ]);
  });
});

test("a Host that only looks like an address doesn't spoil the journal", async () => {
  const sandbox = await openSandbox();
  const server = await openPort(sandbox, { host: '0.0.0.0' });
  for (const host of ['999.1.1.1', '1.2.3.4.5', 'localhost']) {
    const head = `Host: ${host}\r\nAuthorization: ${authorization}\r\nConnection: close`;
    const { status } = await server.exchange(`GET /2025-10-13/customers HTTP/1.1\r\n${head}\r\n\r\n`);
    expect([host, status]).toEqual([host, host === 'localhost' ? 200 : 400]);
  }
  expect(await readJournal(sandbox)).toHaveLength(1);
});

test('what is not traffic of an app is in no journal, and no credentials of it are counted', async () => {
  const sandbox = await openSandbox();
  const paths = [
    '/',
    '/__sandbox/nothing',
    '/__sandbox/%ff',
    '/mcp',
    '/mcp/nothing',
    '/console/nothing',
    '/reference/x',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'PATCH']) {
      await sendTo(sandbox, method, path, { authorization: basic('sandbox', 'wrong') });
      await sendTo(sandbox, method, path);
    }
  }
  must(await sandbox.control('GET', '/watch/2025-10-13/nothing'), 404);
  expect(await sendTo(sandbox, 'OPTIONS', '/2025-10-13/customers')).toBe(204);
  expect(await readJournal(sandbox)).toEqual([]);
  expect((await sandbox.control('GET', '/refused-credentials')).body.data).toEqual([]);
});

test('if the store fails, the refusal is the same', async () => {
  const store = await openStore();
  let fails = false;
  const failing = new Proxy(store, {
    get: (target, name) =>
      name === 'read' && fails ? () => Promise.reject(new Error('gone')) : Reflect.get(target, name).bind?.(target),
  });
  const sandbox = await openSandbox({ store: failing });
  fails = true;
  must(await sandbox.send('GET', '/nothing', { authorization: 'Bearer agent_0' }), 404);
  fails = false;
  expect(await readJournal(sandbox)).toEqual([]);
  await store.close();
});
