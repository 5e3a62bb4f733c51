/**
 * Promise: `/console` and every address below it serve one page. It runs only its own files, under a policy that never
 * executes text as a script. The first view is small. The path gives access to nothing else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { mountConsole } from '../../mocks/sandbox/node/consolePage.ts';
import { isConsoleThere } from '../../mocks/sandbox/node/installed.ts';
import { createRouteTable } from '../../mocks/sandbox/transport/routes.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';

const get = (sandbox: TestSandbox, path: string, headers: Record<string, string> = {}) =>
  sandbox.fetch(new Request(origin + path, { headers }));

/** The files that the page names, which a browser loads before it shows anything. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
}

test.each([
  '/console',
  '/console/',
  '/console/traffic',
  '/console/traffic/17?operation=createQuote',
  '/console/customers/Customer:01a22497-175c-7410-be96-27c1e80aefda',
  '/console/find/%22%3E%3Cscript%3E',
])('%s is the page', async (path) => {
  const sandbox = await openSandbox();
  const response = await get(sandbox, path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await response.text()).toBe(readFileSync(join(projectRoot, 'generated/console/index.html'), 'utf8'));
});

test('its policy lets it run its own files, call its own server, and never make a script from a text', async () => {
  const response = await get(await openSandbox(), '/console');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const page = await response.text();
  expect(page).not.toMatch(/<style| style=| on\w+=/);
  for (const [, attributes, inside] of page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
    expect([attributes?.includes('src="/console/assets/'), inside]).toEqual([true, '']);
  }
});

test('the first view is at most 200 KB of gzip', async () => {
  const sandbox = await openSandbox();
  const page = await (await get(sandbox, '/console')).text();
  const first = filesOf(page);
  expect(first.length).toBeGreaterThan(1);
  let bytes = gzipSync(page).length;
  for (const path of first) {
    const response = await get(sandbox, path);
    expect([path, response.status]).toEqual([path, 200]);
    bytes += gzipSync(await response.text()).length;
  }
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(200_000);
});

test('its files may be kept for good, come compressed, and have the same policy', async () => {
  const sandbox = await openSandbox();
  const [path = ''] = filesOf(await (await get(sandbox, '/console')).text()).filter((one) => one.endsWith('.js'));
  const response = await get(sandbox, path, { 'accept-encoding': 'br' });
  const { headers } = response;
  expect([response.status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
    'br',
    'public, max-age=31536000, immutable',
  ]);
  expect(headers.get('content-security-policy')).toContain('trusted-types');
  await response.body?.cancel();
});

test.each([
  '/console/assets/nothing.js',
  '/console/assets/..%2Findex.html',
  '/console/assets/..%2F..%2Fopenapi.json',
  '/console/assets/%2Fetc%2Fpasswd',
])("%s isn't a file of the console", async (path) => {
  const response = await get(await openSandbox(), path);
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  expectRefusal(answer, 404, 'NOT_FOUND');
});

test('the start page leads to it, and only a GET is answered', async () => {
  const sandbox = await openSandbox();
  const { links } = await (await get(sandbox, '/')).json();
  expect(links[0]).toMatchObject({ href: '/console', type: 'text/html' });
  const posted = await sandbox.fetch(new Request(`${origin}/console`, { method: 'POST' }));
  expectRefusal(
    { status: posted.status, headers: posted.headers, body: await posted.json() },
    405,
    'METHOD_NOT_ALLOWED',
  );
});

test('an installation without it says so', async () => {
  const root = new URL(`file://${temporaryFolder()}/`);
  expect([isConsoleThere(), isConsoleThere(root)]).toEqual([true, false]);
  const table = createRouteTable();
  expect(await mountConsole(table, root)()).toBe(false);
  const found = table.find('GET', '/console');
  if (found.kind !== 'route') throw new Error('There is no route.');
  const headers = { get: () => null, has: () => false, weigh: () => 0, [Symbol.iterator]: () => [].values() };
  const request = { method: 'GET', origin, address: '/console', headers, body: null };
  const call = { request, facts: {} as never, path: {} };
  await expect(found.route.answer(call)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
