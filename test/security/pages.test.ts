/**
 * Promise: a page that is open in a browser on this machine but came from elsewhere can't steer the sandbox: not by a
 * request that needs no credentials here, nor by the browser's own. What pages may read is in `http/cors.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { openSandbox } from '../support/harness.ts';

const foreign = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://evil.example:4010',
  'http://127.0.0.1.evil.example',
  'null',
  'file://',
  'http://localhost@evil.example',
  'chrome-extension://abc',
];

describe('what needs no credentials on this machine', () => {
  test.each(foreign)('a page of %s is refused, and nothing happens', async (origin) => {
    const sandbox = await openSandbox();
    const options = { authorization: null, headers: { origin } };
    const first = (await sandbox.control('POST', '/platforms', { authorization: null })).body;
    const answer = await sandbox.control('POST', '/platforms', options);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await sandbox.control('GET', '/metrics', options)).status).toBe(403);
    // The number in a platform's name counts those that were made.
    const next = (await sandbox.control('POST', '/platforms', { authorization: null })).body;
    const again = await openSandbox();
    const both = [await again.control('POST', '/platforms'), await again.control('POST', '/platforms')];
    expect(both.map(({ body }) => body.platformId)).toEqual([first.platformId, next.platformId]);
  });

  test.each([undefined, 'http://localhost:3000', 'http://app.localhost', 'http://[::1]:4010'])(
    'a page of %s may, and so may what is no page',
    async (origin) => {
      const options = { authorization: null, headers: origin === undefined ? {} : { origin } };
      expect((await (await openSandbox()).control('POST', '/platforms', options)).status).toBe(201);
    },
  );

  test('beyond this machine the control token decides, whoever shows it', async () => {
    const sandbox = await openSandbox({ controlToken: 'token' });
    const options = { authorization: 'Bearer token', headers: { origin: 'https://console.example' } };
    expect((await sandbox.control('POST', '/platforms', options)).status).toBe(201);
  });
});

test("no reply lets a browser send a page's credentials along, or be framed, cached or read from elsewhere", async () => {
  const sandbox = await openSandbox();
  for (const origin of [...foreign, 'http://localhost:3000']) {
    const { headers } = await sandbox.send('GET', '/customers', { headers: { origin } });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    if (foreign.includes(origin)) expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});
