/**
 * Promise: in a real browser no page from another origin can change or read anything of a sandbox on this machine, by
 * any kind of request that a page can make. Pages from this machine still work, whatever headers their libraries add.
 * SECURITY.md shows the table: kinds of request × targets.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { listen } from '../support/process/fetchApp.ts';
import { openPort } from '../support/process/server.ts';
import { byLength } from '../support/run/length.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

/** The host of the attacker's page, and a name of the attacker that leads to the sandbox itself. */
const elsewhere = 'evil.example';
const rebound = 'rebound.example';

let browser: Browser;
beforeAll(async () => {
  const rules = [elsewhere, rebound].map((name) => `MAP ${name} 127.0.0.1`).join(',');
  browser = await openBrowser(`--host-resolver-rules=${rules}`, '--no-proxy-server');
}, 60_000);
afterAll(() => browser?.close());

interface Target {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}
const redeem = `${basePath}/agents/device-codes/AGENT-DEMO-2025/redeem`;

/** The attacker's targets, each with the state that shows whether the attack worked. */
const targets: Readonly<Record<string, Target>> = {
  control: { method: 'POST', path: '/__sandbox/reset' },
  write: { method: 'POST', path: `${basePath}/customers` },
  redeem: { method: 'POST', path: redeem },
  read: { method: 'GET', path: `${basePath}/customers` },
};

/** The attacker's page and the attacked sandbox. */
interface Attacked extends Scene {
  readonly page: Page;
}

interface Scene {
  readonly sandbox: TestSandbox;
  readonly port: number;
  readonly context: BrowserContext;
  readonly attacker: string;
  /** The requests that reached the sandbox's app: `GET /__sandbox/health 200`. */
  readonly passed: string[];
}

/** An attacker's page, and a sandbox on a port with data to protect. */
async function openScene(): Promise<Scene> {
  const sandbox = await openSandbox();
  const body = { customerType: 'INDIVIDUAL', fullName: 'Secret Name' };
  must(await sandbox.send('POST', '/customers', { body }), 201);
  const passed: string[] = [];
  const { port } = await openPort({
    onPort: sandbox.onPort,
    async fetch(request) {
      const response = await sandbox.fetch(request);
      passed.push(`${request.method} ${new URL(request.url).pathname} ${response.status}`);
      return response;
    },
  });
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await openPage(context, elsewhere);
  return { sandbox, port, context, passed, attacker: page.url() };
}

/** An empty page on a new port. */
async function openPage(context: BrowserContext, host: string): Promise<Page> {
  const headers = { 'content-type': 'text/html' };
  const site = await listen({ fetch: () => new Response('<!doctype html>', { headers }) }, 'localhost', 0, {
    allowHosts: [elsewhere],
  });
  onTestFinished(() => site.stop(0));
  const page = await context.newPage();
  await page.goto(site.address.replace('localhost', host));
  return page;
}

/** The platform's state, and whether the device code is still valid. */
async function stateOf({ sandbox }: Scene): Promise<unknown> {
  const { body } = await sandbox.control('GET', '/snapshot');
  return body.digest;
}

/** A request for page code. */
interface Call {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly mode?: 'no-cors';
  readonly credentials?: 'include';
}

/** The text of a reply that page code can read, or nothing. */
const fetchIn = (page: Page, address: string, init: Call): Promise<string> =>
  page.evaluate(
    async ([address, init]) => {
      const text = await fetch(address, init).then(
        (response) => response.text(),
        () => '',
      );
      return text;
    },
    [address, init] as const,
  );

/** Submits a form with the credentials in its address, into this window or into one that the page has opened. */
async function submitForm(
  { page, context, port }: Attacked,
  { method, path }: Target,
  target: string,
): Promise<string> {
  const action = `http://sandbox:sandbox@localhost:${port}${path}`;
  const opening = target === '_self' ? undefined : context.waitForEvent('page');
  const arrived = context.waitForEvent('response', (response) => response.url().includes(path));
  const opener = await page.evaluateHandle(
    ([action, method, target]) => {
      const opened = target === '_self' ? null : window.open('', target);
      const form = Object.assign(document.createElement('form'), { action, method, target });
      document.body.append(form);
      form.submit();
      return opened;
    },
    [action, method, target] as const,
  );
  await arrived;
  const opened = await opening;
  await (opened ?? page).waitForLoadState();
  // A navigation shows its result only to the user: the page has gone, or it can't read the other window.
  if (opened === undefined) return '';
  return opener.evaluate((other) => {
    try {
      return other?.document.body.textContent ?? '';
    } catch {
      return '';
    }
  });
}

/** Makes the browser keep credentials from an address. It sends them with every later request that needs them. */
async function cacheCredentials({ context, port }: Scene): Promise<void> {
  const page = await context.newPage();
  await page.goto(`http://sandbox:sandbox@localhost:${port}${basePath}/config`);
  await page.close();
}

type Attack = (scene: Attacked, target: Target) => Promise<string>;
const noCors: Attack = ({ page, port }, { method, path }) =>
  fetchIn(page, `http://localhost:${port}${path}`, { method, mode: 'no-cors', credentials: 'include' });

/** Each returns what the page could read. */
const attacks: Readonly<Record<string, Attack>> = {
  form: (scene, target) => submitForm(scene, target, '_self'),
  popup: (scene, target) => submitForm(scene, target, 'other'),
  'no-cors fetch': noCors,
  'cached Basic': async (scene, target) => {
    await cacheCredentials(scene);
    const read = await noCors(scene, target);
    const { page, port } = scene;
    return (
      read +
      (await fetchIn(page, `http://localhost:${port}${target.path}`, { method: target.method, credentials: 'include' }))
    );
  },
  link: async ({ page, context, port }, { path }) => {
    const arrived = context.waitForEvent('response', (response) => response.url().includes(path));
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href, target: '_blank', textContent: 'Click' });
      document.body.append(link);
      link.click();
    }, `http://localhost:${port}${path}`);
    await arrived;
    return '';
  },
  image: async (scene, { path }) => {
    await cacheCredentials(scene);
    return scene.page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      return image.decode().then(
        () => 'drawn',
        () => '',
      );
    }, `http://localhost:${scene.port}${path}`);
  },
  'rebound name': async ({ context, port }, { method, path }) => {
    const page = await context.newPage();
    await page.goto(`http://${rebound}:${port}/`);
    const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' };
    const body = method === 'POST' ? { body: '{"customerType":"INDIVIDUAL"}' } : {};
    return fetchIn(page, `http://${rebound}:${port}${path}`, { method, headers, ...body });
  },
};

describe('a page from elsewhere', () => {
  // In the short run each attack has one target, because a page in a browser is slow.
  const names = Object.keys(targets);
  const ways = Object.keys(attacks).map(
    (way, index) => [way, byLength([names[index % names.length] ?? ''], names)] as const,
  );

  test.each(ways)('way "%s": the page changes nothing and reads nothing (%j)', async (way, whats) => {
    const scene = await openScene();
    const before = await stateOf(scene);
    for (const what of whats) {
      const target = targets[what] as Target;
      const page = await scene.context.newPage();
      await page.goto(scene.attacker);
      const read = await (attacks[way] as Attack)({ ...scene, page }, target);
      expect([what, read]).toEqual([what, expect.not.stringMatching(/Secret|totalCount|accessToken|drawn/)]);
      expect([what, await stateOf(scene)]).toEqual([what, before]);
    }
    // Only requests that change nothing reached the app.
    expect(scene.passed.filter((line) => !/^(GET|OPTIONS) /.test(line))).toEqual([]);
    expect((await scene.sandbox.send('POST', redeem.slice(basePath.length))).status).toBe(200);
  });
});

describe('a page of this machine', () => {
  // Headers that vendors' fetch libraries and monitoring tools add, and an unknown one.
  const added = {
    'X-Stainless-Lang': 'js',
    'X-Stainless-Retry-Count': '0',
    'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
    baggage: 'sentry-environment=production',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    'X-Of-Tomorrow': '1',
  };

  const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json', ...added };
  const init = { method: 'POST', headers, body: '{"customerType":"INDIVIDUAL"}' };
  const openContext = async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context;
  };

  test('still works, under every name of this machine for itself and for the sandbox', async () => {
    const sandbox = await openSandbox();
    const { port } = await openPort(sandbox);
    const context = await openContext();
    for (const host of byLength(['127.0.0.1', 'app.localhost'], ['localhost', '127.0.0.1', '[::1]', 'app.localhost'])) {
      const page = await openPage(context, host);
      for (const name of ['localhost', '127.0.0.1', '[::1]', 'sandbox.localhost']) {
        const made = await fetchIn(page, `http://${name}:${port}${basePath}/customers`, init);
        expect([host, name, made]).toEqual([host, name, expect.stringContaining('"INDIVIDUAL"')]);
      }
      await fetchIn(page, `http://localhost:${port}/__sandbox/reset`, { method: 'POST', headers });
      expect((await sandbox.send('GET', '/customers')).body.totalCount).toBe(2);
    }
  });

  test.each(byLength([], ['that the sandbox serves itself may call it under every name that it admits']))(
    '%s',
    async () => {
      const { port } = await openPort(await openSandbox(), { allowHosts: [rebound] });
      const page = await (await openContext()).newPage();
      for (const host of ['localhost', rebound]) {
        await page.goto(`http://${host}:${port}/nothing`);
        expect(await fetchIn(page, `${basePath}/customers`, init)).toContain('"INDIVIDUAL"');
      }
    },
  );

  test.each(byLength([], ['is joined by those of an origin that --allow-origin names']))('%s', async () => {
    const page = await openPage(await openContext(), elsewhere);
    const { port } = await openPort(await openSandbox({ allowOrigins: [new URL(page.url()).origin] }));
    expect(await fetchIn(page, `http://localhost:${port}${basePath}/customers`, init)).toContain('"INDIVIDUAL"');
  });
});
