/**
 * Promise: if a sandbox is reachable from other machines, routes without a platform's credentials need the control
 * token. Everything else works as before (D43).
 */
import { describe, expect, test } from 'vitest';
import { run } from '../support/process/process.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const open = () => openSandbox({ controlToken: 'token-1' });
const operated: [method: string, path: string, success: number][] = [
  ['POST', '/platforms', 201],
  ['GET', '/health', 200],
  ['GET', '/metrics', 200],
  ['GET', '/refused-credentials', 200],
];

describe.each(operated)('%s %s', (method, path, success) => {
  test.each(['Bearer token-1', 'bearer token-1', 'BEARER  token-1'])(
    'with %s: as without one on this machine',
    async (authorization) => {
      expect((await (await open()).control(method, path, { authorization })).status).toBe(success);
    },
  );

  test.each([
    null,
    '',
    'Bearer',
    'Bearer ',
    'Bearer token-2',
    'Bearer token-1x',
    'Bearer Token-1',
    'token-1',
    'Basic token-1',
    basic('sandbox', 'sandbox'),
    basic('', 'token-1'),
  ])('with %s: 401 that asks for a Bearer token and does not repeat what was sent', async (authorization) => {
    const sandbox = await open();
    const answer = await sandbox.control(method, path, { authorization });
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Countersign"');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(answer.body)).not.toContain('token-');
  });
});

test("a platform's own routes want its own credentials, not the control token", async () => {
  const sandbox = await open();
  for (const path of ['/clock', '/settings', '/faults', '/outbox']) {
    expect((await sandbox.control('GET', path)).status).toBe(200);
    expect((await sandbox.control('GET', path, { authorization: 'Bearer token-1' })).status).toBe(401);
  }
  expect((await sandbox.send('GET', '/customers')).status).toBe(200);
  expect((await sandbox.send('GET', '/customers', { authorization: 'Bearer token-1' })).status).toBe(401);
  expect((await sandbox.control('GET', '/oidc/sandbox/jwks', { authorization: null })).status).toBe(200);
});

test('an empty token protects: it opens to nobody', async () => {
  const sandbox = await openSandbox({ controlToken: '' });
  for (const authorization of [null, 'Bearer', 'Bearer ']) {
    expect((await sandbox.control('POST', '/platforms', { authorization })).status).toBe(401);
  }
});

test.each([
  [['--control-token', ''], {}],
  [[], { CONTROL_TOKEN: '' }],
])('a process with %j and %j does not listen beyond its machine', async (args, env) => {
  const flags = ['--port', '0', '--data', ':memory:', '--host', '0.0.0.0'];
  const started = run('cli/countersign.mjs', ['start', ...flags, ...args], { ...process.env, ...env });
  expect(await started.exit).toBe(2);
  expect(started.output()).toContain('give a --control-token');
});
