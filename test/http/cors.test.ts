/**
 * Promise: a page from this machine, on any port, can send every header of the contract and read every reply, including
 * errors. A page from another origin can read none.
 */
import { describe, expect, test } from 'vitest';
import { operations, requestHeaders, responseHeaders } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { type Answer, openSandbox, type SendOptions } from '../support/sandbox/harness.ts';
import { openWallet, registerEmailOtp } from '../support/scenes/builders.ts';

const page = 'http://localhost:3000';
const namesIn = (answer: Answer, header: string): string[] =>
  (answer.headers.get(header) ?? '').toLowerCase().split(/, ?/).filter(Boolean);

describe('preflight', () => {
  const ask = (method: string, origin = page): SendOptions => ({
    authorization: null,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers':
        'authorization,content-type,idempotency-key,request-id,service-wallet-signature',
    },
  });

  test.each(operations)('case 11: $method $path may be called, with each header by name', async ({ method, path }) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', path.replaceAll(/\{\w+\}/g, 'Any:1'), ask(method));
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(namesIn(answer, 'access-control-allow-methods')).toContain(method.toLowerCase());
    const wanted = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Prefer', ...requestHeaders];
    expect(namesIn(answer, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(wanted.map((name) => name.toLowerCase())),
    );
    expect(namesIn(answer, 'vary')).toContain('origin');
  });

  const asking = (headers: string): SendOptions => ({
    authorization: null,
    headers: { origin: page, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
  });

  test.each([
    'x-stainless-lang,x-stainless-retry-count,x-stainless-runtime-version',
    'sentry-trace, baggage',
    'traceparent,tracestate',
    "x-of-tomorrow,a!#$%&'+.^_`|~-1",
  ])('any other header that is asked for is allowed too: %s', async (asked) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', '/customers', asking(asked));
    const allowed = namesIn(answer, 'access-control-allow-headers');
    expect(allowed).toEqual(expect.arrayContaining([...asked.split(/, ?/), 'authorization', 'idempotency-key']));
    expect(new Set(allowed).size).toBe(allowed.length);
  });

  test.each(['*', 'a b', 'a:b', 'a"b', 'é', '', ',,', 'a\tb', '(x)'])(
    '"%s" isn\'t a header and is not allowed',
    async (asked) => {
      const sandbox = await openSandbox();
      const [none, answer] = [
        await sandbox.send('OPTIONS', '/customers', asking('authorization')),
        await sandbox.send('OPTIONS', '/customers', asking(asked)),
      ];
      expect(namesIn(answer, 'access-control-allow-headers')).toEqual(namesIn(none, 'access-control-allow-headers'));
    },
  );

  test('what is asked for does not make the answer grow without bound', async () => {
    const sandbox = await openSandbox();
    const asked = Array.from({ length: 20_000 }, (_, index) => `x-${index}`).join(',');
    const answer = await sandbox.send('OPTIONS', '/customers', asking(asked));
    expect((answer.headers.get('access-control-allow-headers') ?? '').length).toBeLessThan(10_000);
  });

  test('a page that may call may do so from another network, no other may', async () => {
    const sandbox = await openSandbox({ allowOrigins: ['https://app.example'] });
    const told = async (origin: string) => {
      const headers = { ...asking('authorization').headers, origin, 'access-control-request-private-network': 'true' };
      const answer = await sandbox.send('OPTIONS', '/customers', { authorization: null, headers });
      return [
        answer.headers.get('access-control-allow-origin'),
        answer.headers.get('access-control-allow-private-network'),
      ];
    };
    expect(await told('https://app.example')).toEqual(['https://app.example', 'true']);
    expect(await told('https://evil.example')).toEqual([null, null]);
  });

  test('no wildcard stands anywhere, because it never covers Authorization', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', '/customers', ask('GET'));
    for (const [name, value] of answer.headers)
      if (name.startsWith('access-control-')) expect(value).not.toContain('*');
  });

  test('a page from elsewhere is not told that it may', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', '/customers', ask('GET', 'https://evil.example'));
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('which pages', () => {
  test.each([
    'http://localhost',
    'http://localhost:5173',
    'https://localhost:8443',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://app.localhost:3000',
    'http://a.b.localhost',
    'http://127.8.8.8:3000',
  ])('%s can read', async (origin) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', '/customers', { headers: { origin } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect(namesIn(answer, 'vary')).toContain('origin');
  });

  test('of an origin that was named can read too', async () => {
    const sandbox = await openSandbox({ allowOrigins: ['https://app.example'] });
    const answer = await sandbox.send('GET', '/customers', { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  test.each([
    'https://evil.example',
    'https://app.example',
    'http://localhost.evil.example',
    'http://notlocalhost:3000',
    'http://evil.example:3000?localhost',
    'http://127.0.0.1.evil.example',
    'http://localhost:3000/',
    'http://localhost:3000 http://evil.example',
    'null',
    '',
  ])('"%s" can\'t read', async (origin) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', '/customers', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(namesIn(answer, 'vary')).toContain('origin');
  });

  test('without Origin nothing is allowed to anybody', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', '/customers');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('replies that page code can read', () => {
  const origin = { origin: page };

  test.each<[name: string, method: string, path: string, options: SendOptions, status: number]>([
    ['no credentials', 'GET', '/customers', { authorization: null }, 401],
    ['a wrong secret', 'GET', '/customers', { authorization: 'Basic YTpi' }, 401],
    ['bad JSON', 'POST', '/tokens', { text: '{"name":' }, 400],
    ['another type', 'POST', '/tokens', { text: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    ['too large', 'POST', '/tokens', { text: ' '.repeat(1024 * 1024 + 1) }, 413],
    ['not acceptable', 'GET', '/customers', { headers: { accept: 'text/html' } }, 406],
    ['unknown path', 'GET', '/nothing', {}, 404],
    ['unknown id', 'GET', '/customers/Customer:none', {}, 404],
    ['broken escape', 'GET', '/customers/%ZZ', {}, 400],
    ['wrong method', 'PUT', '/customers', {}, 405],
  ])('case 14: %s', async (_name, method, path, options, status) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send(method, path, { ...options, headers: { ...options.headers, ...origin } });
    expectRefusal(answer, status, answer.body?.code);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(namesIn(answer, 'vary')).toContain('origin');
    const wanted = ['Allow', 'Preference-Applied', 'Idempotency-Replayed', ...responseHeaders];
    expect(namesIn(answer, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(wanted.map((name) => name.toLowerCase())),
    );
  });

  test('case 13: the limit of challenges shows Retry-After by name', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    const challenge = () => sandbox.send('POST', `/auth/credentials/${id}/challenge`, { headers: origin });
    for (let count = 0; count < 5; count += 1) expect((await challenge()).status).toBe(200);
    const refused = await challenge();
    expectRefusal(refused, 429, 'RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.headers.get('access-control-allow-origin')).toBe(page);
    expect(namesIn(refused, 'access-control-expose-headers')).toContain('retry-after');
  });

  test('the answer to OPTIONS itself, which has Allow', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('OPTIONS', '/customers', { authorization: null, headers: origin });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    expect(answer.headers.get('allow')).toContain('POST');
    expect(namesIn(answer, 'access-control-expose-headers')).toContain('allow');
  });

  test('the control surface', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.control('GET', '/clock', { headers: origin });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page]);
  });
});
