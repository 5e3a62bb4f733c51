/**
 * Promise: the CORS headers work in a browser. A page from this machine, on another port, can send what the contract
 * needs and read every reply. A page from another origin can read none, and its requests can't use credentials.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser } from '../support/browser/browser.ts';
import { listen } from '../support/process/fetchApp.ts';
import { openPort } from '../support/process/server.ts';
import { byLength } from '../support/run/length.ts';
import { basic, data, openSandbox } from '../support/sandbox/harness.ts';
import { clientKeys, openWallet, registerEmailOtp } from '../support/scenes/builders.ts';

// A name outside this machine that still leads to it, because the browser decides by the name alone.
const elsewhere = 'app.example';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(`--host-resolver-rules=MAP ${elsewhere} 127.0.0.1`, '--no-proxy-server');
}, 60_000);
afterAll(() => browser?.close());

/** A sandbox on a port, and an empty page on another port of that host. */
async function openPage(host = 'localhost') {
  const sandbox = await openSandbox();
  /** The methods of the requests that reached the sandbox, including preflights. */
  const received: string[] = [];
  const { base } = await openPort({
    ...sandbox,
    fetch(request) {
      received.push(request.method);
      return sandbox.fetch(request);
    },
  });
  const headers = { 'content-type': 'text/html' };
  const app = { fetch: () => new Response('<!doctype html>', { headers }) };
  const site = await listen(app, 'localhost', 0, { allowHosts: [elsewhere] });
  onTestFinished(() => site.stop(0));
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(site.address.replace('localhost', host));
  return { sandbox, received, base, page };
}

const credentials = { authorization: basic('sandbox', 'sandbox') };
const json = { 'content-type': 'application/json' };

/** A request for page code: the options of `fetch` that can be passed to a page. */
interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The part of a reply that page code can read. An unreadable reply becomes an error without a reason. */
interface Seen {
  readonly error?: string;
  readonly type?: string;
  readonly status?: number;
  readonly retryAfter?: string | null;
  readonly allow?: string | null;
  readonly body?: { code?: string; reason?: string } | undefined;
}

/** Sends requests from the page. */
function call(page: Page, address: string, init: Call = {}): Promise<Seen> {
  return page.evaluate(
    async ([address, init]) => {
      try {
        const response = await fetch(address, init);
        const { type, status, headers } = response;
        const text = await response.text();
        const body = text === '' ? undefined : JSON.parse(text);
        return { type, status, retryAfter: headers.get('Retry-After'), allow: headers.get('Allow'), body };
      } catch (error) {
        return { error: String(error) };
      }
    },
    [address, init] as const,
  );
}

describe('a page of this machine, on another port', () => {
  test.each(byLength(['app.localhost'], ['localhost', '127.0.0.1', 'app.localhost']))(
    'case 11: served from %s, it may send every header',
    async (host) => {
      const { sandbox, received, base, page } = await openPage(host);
      const { accountId } = await openWallet(sandbox);
      const { id } = await registerEmailOtp(sandbox, accountId);
      const headers = {
        ...credentials,
        ...json,
        'idempotency-key': crypto.randomUUID(),
        'request-id': 'Request:none',
        'service-wallet-signature': 'none',
        prefer: 'code=401',
      };
      const seen = await call(page, `${base}/auth/credentials/${id}`, { method: 'DELETE', headers });
      expect(seen).toMatchObject({ type: 'cors', status: 401, body: { status: 401 } });
      expect(received).toEqual(['OPTIONS', 'DELETE']);
    },
  );

  test('case 13: it reads Retry-After off a 429, and that long a wait is enough', async () => {
    const { sandbox, base, page } = await openPage();
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    const challenge = () =>
      call(page, `${base}/auth/credentials/${id}/challenge`, { method: 'POST', headers: credentials });
    for (let count = 0; count < 5; count += 1) expect((await challenge()).status).toBe(200);
    const refused = await challenge();
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(refused.retryAfter).toMatch(/^[1-9]\d*$/);
    await sandbox.advance(Number(refused.retryAfter));
    expect((await challenge()).status).toBe(200);
  });

  test('case 14: it reads the reason of a 401', async () => {
    const { sandbox, base, page } = await openPage();
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    const body = JSON.stringify({ type: 'EMAIL_OTP', otp: '111111', clientPublicKey: clientKeys().publicKeyHex });
    const init = { method: 'POST', headers: { ...credentials, ...json }, body };
    const seen = await call(page, `${base}/auth/credentials/${id}/verify`, init);
    expect(seen).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', reason: 'Invalid OTP code' } });
  });

  test.each<[name: string, path: string, init: Call, seen: Seen]>([
    ['no credentials', '/customers', {}, { status: 401, body: { code: 'UNAUTHORIZED' } }],
    ['an unknown path', '/nothing', { headers: credentials }, { status: 404, body: { code: 'NOT_FOUND' } }],
    [
      'a method that is not there',
      '/customers',
      { method: 'PUT', headers: credentials },
      { status: 405, allow: 'GET, POST, HEAD, OPTIONS', body: { code: 'METHOD_NOT_ALLOWED' } },
    ],
    [
      'broken JSON',
      '/tokens',
      { method: 'POST', headers: { ...credentials, ...json }, body: '{"name":' },
      { status: 400, body: { code: 'INVALID_INPUT' } },
    ],
    [
      'a type that is not JSON',
      '/tokens',
      { method: 'POST', headers: credentials, body: '{}' },
      { status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    ],
    [
      'a body over the limit',
      '/tokens',
      { method: 'POST', headers: { ...credentials, ...json }, body: ' '.repeat(1024 * 1024 + 1) },
      { status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } },
    ],
  ])('case 14: it reads what is wrong: %s', async (_name, path, init, seen) => {
    const { base, page } = await openPage();
    expect(await call(page, base + path, init)).toMatchObject(seen);
  });
});

describe('a page from elsewhere', () => {
  const unreadable = { error: 'TypeError: Failed to fetch' };

  test('reads no reply, although its request arrives', async () => {
    const { received, base, page } = await openPage(elsewhere);
    expect(await page.evaluate(() => location.hostname)).toBe(elsewhere);
    expect(await call(page, `${base}/customers`)).toEqual(unreadable);
    expect(received).toEqual(['GET']);
    const told = page.waitForEvent('console', { predicate: (message) => message.text().includes('CORS policy') });
    expect(await call(page, `${base}/customers`)).toEqual(unreadable);
    await told;
  });

  test('has nothing done: its preflight is refused', async () => {
    const { sandbox, received, base, page } = await openPage(elsewhere);
    const count = async () => data(await sandbox.client.GET('/customers', {})).totalCount;
    const before = await count();
    const body = JSON.stringify({ customerType: 'INDIVIDUAL', email: 'eve@example.com' });
    const init = { method: 'POST', headers: { ...credentials, ...json }, body };
    expect(await call(page, `${base}/customers`, init)).toEqual(unreadable);
    expect(received).toEqual(['OPTIONS']);
    expect(await count()).toBe(before);
  });
});
