/**
 * Promise: every reply has an id that finds its line in the log. It is the caller's id if that one is valid. No log
 * line contains anything that may be a secret (docs/how-to/monitor.md).
 */
import { describe, expect, test } from 'vitest';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import type { RequestLine } from '../../mocks/sandbox/telemetry/log.ts';
import { SandboxBug } from '../../mocks/sandbox/tools/problem.ts';
import { basic, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

async function openLogged(parts: Parameters<typeof openSandbox>[0] = {}) {
  const lines: RequestLine[] = [];
  const errors: [string, Readonly<Record<string, unknown>>][] = [];
  const log = {
    info: () => {},
    error: (line: string, facts: Readonly<Record<string, unknown>>) => void errors.push([line, facts]),
    request: (line: RequestLine) => void lines.push(line),
  };
  let now = 0;
  const sandbox = await openSandbox({ log, stopwatch: () => (now += 2.5), ...parts });
  return { sandbox, lines, errors };
}

const idOf = (answer: { headers: Headers }) => answer.headers.get('x-request-id');

describe('the id', () => {
  test('is the caller’s where it can stand in a header and a line, on whatever is answered', async () => {
    const { sandbox, lines } = await openLogged();
    const headers = { 'X-Request-Id': 'checkout-42.a:b_c' };
    const asked: [method: string, path: string, status: number][] = [
      ['GET', '/customers', 200],
      ['GET', '/customers/Customer%3Ax', 404],
      ['GET', '/nothing', 404],
      ['PATCH', '/customers', 405],
      ['HEAD', '/customers', 200],
      ['OPTIONS', '/customers', 204],
    ];
    for (const [method, path, status] of asked) {
      const answer = await sandbox.send(method, path, { headers });
      expect([answer.status, idOf(answer)], `${method} ${path}`).toEqual([status, 'checkout-42.a:b_c']);
    }
    expect(idOf(await sandbox.control('GET', '/clock', { headers }))).toBe('checkout-42.a:b_c');
    expect(lines).toHaveLength(asked.length + 1);
    expect(new Set(lines.map(({ id }) => id))).toEqual(new Set(['checkout-42.a:b_c']));
  });

  test.each(['', ' ', 'a b', 'a,b', 'é', 'x'.repeat(129), '{"a":1}'])('is generated in place of %j', async (given) => {
    const { sandbox, lines } = await openLogged();
    const answer = await sandbox.send('GET', '/customers', { headers: { 'X-Request-Id': given } });
    expect(idOf(answer)).toMatch(/^[0-9a-f]{16}-1$/);
    expect(lines.map(({ id }) => id)).toEqual([idOf(answer)]);
  });

  test('of ours is another each time, and the same again in a run of the same seed', async () => {
    const ids = async () => {
      const { sandbox } = await openLogged();
      return Promise.all([1, 2, 3].map(async () => idOf(await sandbox.send('GET', '/customers'))));
    };
    const first = await ids();
    expect(new Set(first).size).toBe(3);
    expect(await ids()).toEqual(first);
  });

  test('is not the Request-Id of a signed retry, and takes no part in it', async () => {
    const { sandbox } = await openLogged();
    const headers = { 'Request-Id': 'Request:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff' };
    expect(idOf(await sandbox.send('GET', '/customers', { headers }))).toMatch(/^[0-9a-f]{16}-1$/);
  });

  test('a page may read it and send it', async () => {
    const { sandbox } = await openLogged();
    const answer = await sandbox.send('GET', '/customers', { headers: { origin: 'http://localhost:3000' } });
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' };
    const allowed = await sandbox.send('OPTIONS', '/customers', { headers: preflight, authorization: null });
    expect(allowed.headers.get('access-control-allow-headers')).toContain('X-Request-Id');
  });
});

describe('the line', () => {
  const ask = (sandbox: TestSandbox, method: string, path: string, options = {}) => sandbox.send(method, path, options);

  test('says id, method, operation, platform, status, time taken and code, and nothing else', async () => {
    const { sandbox, lines } = await openLogged();
    await ask(sandbox, 'GET', '/customers?limit=1');
    await ask(sandbox, 'POST', '/customers', { body: { customerType: 'NOBODY' } });
    await ask(sandbox, 'GET', '/customers', { authorization: basic('nobody', 'wrong') });
    await ask(sandbox, 'GET', '/nothing/s3cret');
    must(await sandbox.control('GET', '/clock'));
    const shared = { method: 'GET', ms: 2.5, code: null };
    expect(lines.map(({ id: _id, ...line }) => line)).toEqual([
      { ...shared, operation: 'listCustomers', platform: 'sandbox', status: 200 },
      {
        ...shared,
        method: 'POST',
        operation: 'createCustomer',
        platform: 'sandbox',
        status: 400,
        code: 'INVALID_INPUT',
      },
      {
        ...shared,
        operation: 'listCustomers',
        platform: null,
        status: 401,
        code: 'UNAUTHORIZED',
        refused: 'UNKNOWN_CLIENT_ID',
      },
      { ...shared, operation: null, platform: 'sandbox', status: 404, code: 'NOT_FOUND' },
      { ...shared, operation: 'GET /__sandbox/clock', platform: 'sandbox', status: 200 },
    ]);
  });

  test('has the trace of the caller where it names one', async () => {
    const { sandbox, lines } = await openLogged();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (const traceparent of [`00-${trace}-00f067aa0ba902b7-01`, 'nonsense', `00-${trace}`]) {
      await ask(sandbox, 'GET', '/customers', { headers: { traceparent } });
    }
    expect(lines.map((line) => line.trace)).toEqual([trace, undefined, undefined]);
  });

  test('no secret that was sent or answered is in any of them', async () => {
    const { sandbox, lines } = await openLogged();
    const code = 'AGENT-DEMO-2025';
    const redeemed = await sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null });
    must(await sandbox.send('GET', '/agents/me', { authorization: `Bearer ${redeemed.body.accessToken}` }));
    must(await sandbox.send('GET', '/customers?platformCustomerId=ada%40example.com'));
    must(await sandbox.send('GET', '/customers', { authorization: basic('sandbox', 's3cret') }), 401);
    const text = JSON.stringify(lines);
    for (const secret of [code, redeemed.body.accessToken, 'example.com', 's3cret', btoa('sandbox:sandbox')]) {
      expect(text).not.toContain(secret);
    }
  });

  test('a fault of ours is logged with the id of its reply', async () => {
    const getCustomer = { handle: () => Promise.reject(new SandboxBug('broken', { why: 'planted' })) };
    const { sandbox, errors } = await openLogged({ handlers: { ...handlers, getCustomer } });
    const answer = await sandbox.send('GET', '/customers/Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff');
    expect([answer.status, errors]).toEqual([500, [['broken', { requestId: idOf(answer), why: 'planted' }]]]);
  });

  test('a connection that a fault rule drops has status 0', async () => {
    const { sandbox, lines } = await openLogged();
    must(await sandbox.control('PUT', '/faults', { body: { rules: [{ operation: '*', drop: 'before' }] } }));
    await expect(sandbox.send('GET', '/customers')).rejects.toThrow();
    expect(lines.at(-1)).toMatchObject({ operation: 'listCustomers', status: 0 });
  });
});
