/**
 * Promise: a client that controls a platform needs a token of that platform with MANAGE, on every route that isn't
 * public. A refused request has no effect (D11, D43).
 */
import { describe, expect, test } from 'vitest';
import { controlOperations } from '../../generated/controlOperations.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { sample } from '../support/run/length.ts';
import { basic, data, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

type Needs = 'manager' | 'operator' | 'anyone';

/** Every route, with the methods of its path and, if it takes one, a body that would change something. */
const routes: [needs: Needs, method: string, path: string, allow: string, body?: object][] = [
  ['operator', 'GET', '/health', 'GET, HEAD, OPTIONS'],
  ['operator', 'GET', '/metrics', 'GET, HEAD, OPTIONS'],
  ['operator', 'GET', '/refused-credentials', 'GET, HEAD, OPTIONS'],
  ['operator', 'POST', '/platforms', 'POST, OPTIONS', {}],
  ['anyone', 'GET', '/oidc/sandbox/jwks', 'GET, HEAD, OPTIONS'],
  ['anyone', 'GET', '/oidc/sandbox/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/clock', 'GET, POST, HEAD, OPTIONS'],
  ['manager', 'POST', '/clock', 'GET, POST, HEAD, OPTIONS', { advanceSeconds: 1 }],
  ['manager', 'GET', '/settings', 'GET, PUT, HEAD, OPTIONS'],
  ['manager', 'PUT', '/settings', 'GET, PUT, HEAD, OPTIONS', { proofs: 'real' }],
  ['manager', 'GET', '/faults', 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ['manager', 'PUT', '/faults', 'GET, PUT, DELETE, HEAD, OPTIONS', { emailOtpSync: { failAt: 1 } }],
  ['manager', 'DELETE', '/faults', 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ['manager', 'GET', '/outbox', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/ledger', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/weight', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/journal', 'GET, DELETE, HEAD, OPTIONS'],
  ['manager', 'DELETE', '/journal', 'GET, DELETE, HEAD, OPTIONS'],
  ['manager', 'GET', '/journal/1', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/events', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/due', 'GET, HEAD, OPTIONS'],
  ['manager', 'GET', '/snapshot', 'GET, PUT, HEAD, OPTIONS'],
  ['manager', 'PUT', '/snapshot', 'GET, PUT, HEAD, OPTIONS', { format: 'countersign-snapshot-1' }],
  ['manager', 'POST', '/oidc/token', 'POST, OPTIONS', { sub: 'a' }],
  ['manager', 'POST', '/reset', 'POST, OPTIONS'],
  ['manager', 'DELETE', '/platform', 'DELETE, OPTIONS'],
];
const managed = routes.filter(([needs]) => needs === 'manager');
const reading = routes.filter(([, , , , body]) => body !== undefined);

test('these are all the routes there are', () => {
  const asNamed = (path: string) => path.replace('/sandbox/', '/{platformId}/').replace('/1', '/{exchangeId}');
  const named = routes.map(([needs, method, path]) => `${needs} ${method} ${asNamed(path)}`);
  expect(named.sort()).toEqual(
    controlOperations.map(({ caller, method, path }) => `${caller} ${method} ${path}`).sort(),
  );
});

/** Everything that the routes could change. */
async function everything(sandbox: TestSandbox): Promise<unknown> {
  const paths = ['/clock', '/settings', '/faults', '/outbox'];
  const customers = await sandbox.send('GET', '/customers');
  return [customers.body, await Promise.all(paths.map(async (path) => (await sandbox.control('GET', path)).body))];
}

async function openChanged(): Promise<TestSandbox> {
  const sandbox = await openSandbox();
  must(await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
  must(await sandbox.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 7 } } }));
  return sandbox;
}

describe.each(sample(managed, 8))('%s: %s %s', (_needs, method, path, _allow, body) => {
  test.each([
    ['no credentials', null],
    ['a wrong secret', basic('sandbox', 'wrong')],
    ['a Bearer token', 'Bearer sandbox'],
  ])('%s: 401, and nothing happens', async (_name, authorization) => {
    const sandbox = await openChanged();
    const before = await everything(sandbox);
    expectRefusal(await sandbox.control(method, path, { authorization, body }), 401, 'UNAUTHORIZED');
    expect(await everything(sandbox)).toEqual(before);
  });

  test('a token with VIEW and TRANSACT: 403, and nothing happens', async () => {
    const sandbox = await openChanged();
    const limited = { name: 'limited', permissions: ['VIEW' as const, 'TRANSACT' as const] };
    const token = data(await sandbox.client.POST('/tokens', { body: limited }));
    const before = await everything(sandbox);
    const authorization = basic(token.clientId, token.clientSecret);
    expectRefusal(await sandbox.control(method, path, { authorization, body }), 403, 'FORBIDDEN');
    expect(await everything(sandbox)).toEqual(before);
  });
});

test.each(routes.filter(([needs]) => needs !== 'manager'))('%s: %s %s needs no credentials', async (...route) => {
  const [, method, path, , body] = route;
  const { status } = await (await openSandbox()).control(method, path, { authorization: null, body });
  expect(status).toBe(method === 'POST' ? 201 : 200);
});

test.each(routes)('%s: %s %s: another method is 405 with Allow', async (_needs, _method, path, allow) => {
  const sandbox = await openSandbox();
  for (const method of ['PATCH', 'POST', 'PUT', 'DELETE'].filter((one) => !allow.includes(one))) {
    const answer = await sandbox.control(method, path);
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  }
  expect((await sandbox.control('OPTIONS', path, { authorization: null })).headers.get('allow')).toBe(allow);
});

describe.each(sample(reading, 5))('the body of %s: %s %s', (_needs, method, path) => {
  test.each<[name: string, body: unknown, places: string[]]>([
    ['a list', [], ['body ']],
    ['null', null, ['body ']],
    ['text', 'x', ['body ']],
    ['a number', 1, ['body ']],
  ])('%s: 400, and nothing happens', async (_name, body, places) => {
    const sandbox = await openChanged();
    const before = await everything(sandbox);
    const refused = expectRefusal(await sandbox.control(method, path, { body }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await everything(sandbox)).toEqual(before);
  });

  test('broken JSON is 400, another type 415, too much 413', async () => {
    const sandbox = await openSandbox();
    const typed = { text: '{}', headers: { 'content-type': 'text/plain' } };
    expectRefusal(await sandbox.control(method, path, { text: '{' }), 400, 'INVALID_INPUT');
    expectRefusal(await sandbox.control(method, path, typed), 415, 'UNSUPPORTED_MEDIA_TYPE');
    // A snapshot may be larger than any other body.
    const most = { '/snapshot': 1024, '/platforms': 64 }[path] ?? 1;
    const large = { text: '{}', headers: { 'content-length': String(most * 1024 * 1024 + 1) } };
    expectRefusal(await sandbox.control(method, path, large), 413, 'PAYLOAD_TOO_LARGE');
  });
});
