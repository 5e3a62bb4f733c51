/**
 * Promise: a web page from another origin can't make a sandbox on a port of this machine do anything. That holds on any
 * route, under any name, and with any credentials that its browser sends. In process no page can reach the sandbox, and
 * nothing is refused. `guard.test.ts` has the guard's own table, `browser/pages.test.ts` tests real browsers, and
 * `http/cors.test.ts` tests what pages may read.
 */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import { controlOperations } from '../../generated/controlOperations.ts';
import { operations } from '../../generated/operations.ts';
import { createMock } from '../../mocks/prism/app.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { noteAnswer } from '../support/ledger/coverage.ts';
import { openPort } from '../support/process/server.ts';
import { isLongRun, sample } from '../support/run/length.ts';
import { type Answer, basic, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const foreign = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://evil.example:4010',
  'null',
  'file://',
];

/** Every address that does something, and some that don't. */
const routes: [method: string, path: string][] = [
  ...operations.map(({ method, path }): [string, string] => [method, basePath + path.replaceAll(/\{\w+\}/g, 'Any:1')]),
  ...controlOperations.map(({ method, path }): [string, string] => [method, `/__sandbox${path}`]),
  ['POST', `${basePath}/agents/device-codes/AGENT-DEMO-2025/redeem`],
  ['GET', '/reference/'],
  ['GET', '/reference/settings.js'],
  ['GET', `${basePath}/customers%3f`],
  ['POST', '/nothing'],
];
const unsafe = routes.filter(([method]) => method !== 'GET');
/** For what one of the tests below shows for every route. */
const some = sample(unsafe, 12);
const body = '{"customerType":"INDIVIDUAL"}';

// Every sandbox has its own port, so no connection is reused for another one.
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** Sends requests to a port one after the other, with the credentials that a browser would have kept and a body. */
function ask(port: number, method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const framing = method === 'GET' ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const all = { authorization: basic('sandbox', 'sandbox'), ...framing, ...headers };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all, agent }, async (reply) => {
      const given = new Headers(reply.headers as Record<string, string>);
      const answer = { status: reply.statusCode ?? 0, headers: given, body: await json(reply).catch(() => undefined) };
      resolve(answer);
    });
    sent.on('error', reject).end(method === 'GET' ? undefined : body);
  });
}

/** The platform's whole state. */
async function stateOf(sandbox: TestSandbox): Promise<unknown> {
  return (await sandbox.control('GET', '/snapshot')).body.digest;
}

function expectNotAdmitted(answer: Answer, flag: string): void {
  expect(expectRefusal(answer, 403, 'NOT_ADMITTED').message).toContain(flag);
  expect(answer.headers.get('x-request-id')).toMatch(/\w/);
}

describe('a sandbox on this machine', () => {
  test.each(['127.0.0.1.evil.example:4010', '10.0.2.2'])(
    'a request to the host %s: 403 on every route, before credentials are checked, and nothing changes',
    async (host) => {
      const sandbox = await openSandbox();
      const { port } = await openPort(sandbox);
      const before = await stateOf(sandbox);
      for (const [method, path] of routes) {
        const answer = await ask(port, method, path, { host });
        expectNotAdmitted(answer, `--allow-host ${host.split(':')[0]}.`);
        const anonymous = await ask(port, method, path, { host, authorization: 'Basic !' });
        expect([method, path, anonymous.status]).toEqual([method, path, 403]);
      }
      expect(await stateOf(sandbox)).toBe(before);
    },
  );

  test.each(foreign)(
    'a request from a page of %s: 403 on every route that may change something, and nothing changes',
    async (origin) => {
      const sandbox = await openSandbox();
      const { port } = await openPort(sandbox);
      const before = await stateOf(sandbox);
      for (const [method, path] of some) expectNotAdmitted(await ask(port, method, path, { origin }), '--allow-origin');
      expect(await stateOf(sandbox)).toBe(before);
    },
  );

  test('by a page that the browser does not name: 403, and nothing happens', async () => {
    const sandbox = await openSandbox();
    const { port } = await openPort(sandbox);
    const before = await stateOf(sandbox);
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const [method, path] of unsafe) expectNotAdmitted(await ask(port, method, path, headers), 'no Origin');
    expect(await stateOf(sandbox)).toBe(before);
  });

  test.each([undefined, 'http://localhost:3000', 'http://app.localhost', 'http://[::1]:4010', 'http://127.0.0.1:5173'])(
    "a page of %s gets through, and so does what isn't a page",
    async (origin) => {
      const { port } = await openPort(await openSandbox());
      const headers = { ...(origin && { origin, 'sec-fetch-site': 'cross-site' }) };
      for (const host of ['localhost:1', 'wallet.localhost', '[::1]:4010']) {
        const made = await ask(port, 'POST', `${basePath}/customers`, { ...headers, host });
        expect([made.status, made.headers.get('access-control-allow-origin')]).toEqual([201, origin ?? null]);
        expect(
          (await ask(port, 'POST', '/__sandbox/platforms', { ...headers, host, 'content-type': 'x' })).status,
        ).toBe(415);
        expect((await ask(port, 'GET', '/__sandbox/metrics', { ...headers, host })).status).toBe(200);
      }
    },
  );

  test('the flags let in what they name, to change and to read', async () => {
    const origin = 'https://app.example';
    const sandbox = await openSandbox({ allowOrigins: [origin] });
    const { port } = await openPort(sandbox, { allowHosts: ['host.docker.internal'] });
    const headers = { origin, host: 'host.docker.internal:4010' };
    const made = await ask(port, 'POST', `${basePath}/customers`, headers);
    expect([made.status, made.headers.get('access-control-allow-origin')]).toEqual([201, origin]);
    const others = { ...headers, origin: 'https://other.example' };
    expectNotAdmitted(
      await ask(port, 'POST', `${basePath}/customers`, others),
      '--allow-origin https://other.example.',
    );
  });

  test('a refusal is answered on the same connection, counted, and has the id of its request', async () => {
    const sandbox = await openSandbox();
    const { port } = await openPort(sandbox);
    const headers = { origin: 'https://evil.example', 'x-request-id': 'mine' };
    const [path, address] = [`${basePath}/customers`, `http://localhost${basePath}/customers`];
    const refused = await ask(port, 'POST', path, headers);
    expect([refused.headers.get('x-request-id'), refused.headers.get('connection')]).toEqual(['mine', 'keep-alive']);
    const { body: metrics } = await sandbox.control('GET', '/metrics');
    expect(metrics).toContain('countersign_requests_total{operation="none",status="403",code="NOT_ADMITTED"} 1');
    const response = new Response(JSON.stringify(refused.body), { status: 403, headers: refused.headers });
    await noteAnswer(new Request(address, { method: 'POST' }), response);
  });

  test('a page of this machine may read why the name it used is refused', async () => {
    const { port } = await openPort(await openSandbox());
    const origin = 'http://localhost:3000';
    const answer = await ask(port, 'GET', `${basePath}/customers`, { origin, host: '10.0.2.2:4010' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, origin]);
  });
});

describe('a sandbox that lets others in', () => {
  const open = async () => {
    const sandbox = await openSandbox({ controlToken: 'token', allowOrigins: ['https://console.example'] });
    return { sandbox, ...(await openPort(sandbox, { host: '0.0.0.0' })) };
  };

  test('is asked for by any name', async () => {
    const { port } = await open();
    expect((await ask(port, 'POST', `${basePath}/customers`, { host: 'sandbox.team.example' })).status).toBe(201);
  });

  test('takes changes from its own pages, those of the flag and those of the developer’s own machine', async () => {
    const { port } = await open();
    const host = 'sandbox.team.example:4010';
    for (const origin of [`http://${host}`, `https://${host}`, 'https://console.example', 'http://localhost:5173']) {
      const { status } = await ask(port, 'POST', `${basePath}/customers`, { host, origin });
      expect([origin, status]).toEqual([origin, 201]);
    }
    const headers = { authorization: 'Bearer token', origin: 'https://console.example' };
    expect((await ask(port, 'POST', '/__sandbox/platforms', { ...headers, 'content-type': 'x' })).status).toBe(415);
  });

  test.each(foreign)('takes none from %s', async (origin) => {
    const { sandbox, port } = await open();
    const before = await stateOf(sandbox);
    for (const [method, path] of some) {
      expectNotAdmitted(await ask(port, method, path, { origin, host: 'sandbox.team.example' }), '--allow-origin');
    }
    expect(await stateOf(sandbox)).toBe(before);
  });
});

test.each(isLongRun ? ['the stateless mock has the same guard'] : [])('%s', async () => {
  const quiet = { info: () => {}, error: () => {} };
  const bundlePath = new URL('../../generated/openapi.json', import.meta.url);
  const mock = await createMock({ bundlePath, log: quiet, allowOrigins: ['https://app.example'] });
  const { port } = await openPort({ fetch: async (request) => mock.fetch(request), onPort: mock });
  const path = `${basePath}/customers`;
  expectNotAdmitted(await ask(port, 'POST', path, { origin: 'https://evil.example' }), '--allow-origin');
  expectNotAdmitted(await ask(port, 'GET', path, { host: 'evil.example' }), '--allow-host evil.example.');
  expect((await ask(port, 'POST', path, { origin: 'https://app.example' })).status).toBe(201);
});

describe('in process', () => {
  test.each(['http://sandbox.test', 'https://api.evil.example', 'http://10.0.2.2:4010'])(
    'any host will do: %s, for a caller with the headers of any page',
    async (base) => {
      const sandbox = await openSandbox();
      const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };
      for (const more of [{}, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }]) {
        const init = { method: 'POST', headers: { ...headers, ...more } };
        const made = await sandbox.fetch(new Request(`${base}${basePath}/customers`, { ...init, body }));
        expect(made.status).toBe(201);
        expect((await sandbox.fetch(new Request(`${base}/__sandbox/platforms`, init))).status).toBe(201);
      }
    },
  );
});

test("no reply lets a browser send a page's credentials, or frame, cache or read it on another origin", async () => {
  const sandbox = await openSandbox();
  for (const origin of [...foreign, 'http://localhost:3000']) {
    const { headers } = await sandbox.send('GET', '/customers', { headers: { origin } });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    if (foreign.includes(origin)) expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});
