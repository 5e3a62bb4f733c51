/**
 * Promise: the sandbox serves the reference with the contract, connected to itself. The page loads from and calls only
 * this server, the large script is fetched once, and an installation without the page says so.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mountReference } from '../../mocks/sandbox/node/referencePage.ts';
import { createObserver } from '../../mocks/sandbox/telemetry/observe.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createFront } from '../../mocks/sandbox/transport/front.ts';
import { startSandbox } from '../support/process/process.ts';
import { openSandbox, origin } from '../support/sandbox/harness.ts';

async function ask(path: string, init: RequestInit = {}, parts: Parameters<typeof openSandbox>[0] = {}) {
  const sandbox = await openSandbox(parts);
  return sandbox.fetch(new Request(origin + path, init));
}

const assets = [
  ['/reference/', 'text/html; charset=utf-8'],
  ['/reference/control.html', 'text/html; charset=utf-8'],
  ['/reference/page.js', 'text/javascript; charset=utf-8'],
  ['/reference/page.css', 'text/css; charset=utf-8'],
  ['/reference/settings.js', 'text/javascript; charset=utf-8'],
  ['/reference/scalar.js', 'text/javascript; charset=utf-8'],
] as const;

describe('GET /reference', () => {
  test('leaves no trace: a platform that is created later has the same name and credentials', async () => {
    const create = async (isOpened: boolean): Promise<unknown> => {
      const sandbox = await openSandbox();
      if (isOpened) for (const [path] of assets) await (await sandbox.fetch(new Request(origin + path))).text();
      return (await sandbox.control('POST', '/platforms', { authorization: null })).body;
    };
    expect(await create(true)).toEqual(await create(false));
  });

  test('leads to the page', async () => {
    const response = await ask('/reference');
    expect([response.status, response.headers.get('location')]).toEqual([308, '/reference/']);
  });

  test.each(assets)('%s comes complete and without credentials, and calls only this server', async (path, type) => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toMatch(/http|\*|unsafe-eval/);
    const length = response.headers.get('content-length');
    const size = (await response.arrayBuffer()).byteLength;
    expect(size).toBeGreaterThan(50);
    if (length !== null) expect(size).toBe(Number(length));
  });

  test('what the page asks for is there', async () => {
    const page = await (await ask('/reference/')).text();
    const asked = [...page.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, address = '']) => `/reference/${address}`);
    expect(asked).toHaveLength(5);
    for (const address of asked)
      expect([address, (await ask(address, { method: 'HEAD' })).status]).toEqual([address, 200]);
  });

  test('the script of one version is asked for once, the rest is asked after', async () => {
    const { headers } = await ask('/reference/scalar.js?v=1', { method: 'HEAD' });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const first = await ask('/reference/', { method: 'HEAD' });
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await ask('/reference/', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test.each([
    ['br', 'br', 1_300_000],
    ['gzip, deflate', 'gzip', 1_500_000],
  ])('the script comes compressed for who takes %s', async (accepted, coding, most) => {
    const { headers } = await ask('/reference/scalar.js', { method: 'HEAD', headers: { 'accept-encoding': accepted } });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([coding, 'Origin, Accept-Encoding']);
    expect(Number(headers.get('content-length'))).toBeLessThan(most);
  });

  test.each([
    ['br', 1_500_000],
    // The encoding for a client that accepts no better one. Most of the size is Scalar.
    ['gzip', 1_600_000],
  ])('all that a reader loads before the first request comes in %s to less than %i bytes', async (accepted, most) => {
    const loaded = assets.filter(([path]) => path !== '/reference/control.html');
    const sizes = await Promise.all(
      loaded.map(async ([path]) => {
        const { headers } = await ask(path, { method: 'HEAD', headers: { 'accept-encoding': accepted } });
        return Number(headers.get('content-length'));
      }),
    );
    // The code that builds the page has a few hundred bytes.
    expect(sizes.filter((size) => size > 1000)).toHaveLength(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
  });

  test('HEAD has no body, another method is 405, an unknown file 404', async () => {
    const head = await ask('/reference/scalar.js', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1_000_000);
    const refused = await ask('/reference/', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    for (const path of ['/reference/openapi.json', '/reference/../app.ts', '/reference/%2e%2e%2fpackage.json']) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });

  test('a page of another site gets no credentials, and makes no platform', async () => {
    const foreign = await ask('/reference/settings.js', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(await foreign.text()).toBe(
      'globalThis.countersign = {"basePath":"/2025-10-13","controlPath":"/__sandbox"};\n',
    );
  });

  test('no credentials are filled in where others are let in', async () => {
    expect(await (await ask('/reference/settings.js', {}, { controlToken: 'secret' })).text()).toBe(
      'globalThis.countersign = {"basePath":"/2025-10-13","controlPath":"/__sandbox"};\n',
    );
  });

  test('an installation without the page answers 404 and says how to get it', async () => {
    const log = { info() {}, error() {} };
    const app = createFront({
      serve: () => Promise.reject(new Error('not asked')),
      log,
      observer: createObserver({ log, chance: seededChance(1).scope(''), stopwatch: () => 0 }),
      mount: async (table) => void mountReference(table, { root: new URL('file:///nowhere/') }),
    });
    const response = await app.fetch(new Request(`${origin}/reference/`));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/npm run reference/),
    });
  });

  test('npm start prints its address', async () => {
    const { port, output } = await startSandbox(['--data', ':memory:']);
    expect(output()).toContain(`reference     http://localhost:${port}/reference\n`);
    const served = await fetch(`http://localhost:${port}/reference`);
    const page = readFileSync(new URL('../../generated/reference/index.html', import.meta.url), 'utf8');
    expect((await served.text()) === page).toBe(true);
  });
});
