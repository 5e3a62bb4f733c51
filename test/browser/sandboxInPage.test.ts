/**
 * Promise: the sandbox runs inside a page, without a server or network. It is small, keeps its state over reloads and
 * crashes if asked to, and says what a page's policy must allow. As a service worker it answers an app's requests to
 * the service's address.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import type { createSandbox } from '../../package/browser.ts';
import { writeSandboxInPage } from '../../scripts/build/bundle.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { type StaticHost, serveFiles } from '../support/browser/files.ts';
import { byLength, isLongRun } from '../support/run/length.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-in-page-'));
const empty = '<!doctype html><title>An app</title>';
// Loads the sandbox when a test needs it. The credentials are those of its first platform. It is a file, because a
// strict policy allows no other script, and a text, because Vitest would rewrite its import.
const helper = `globalThis.load = () => import('/index.js');
globalThis.auth = { Authorization: 'Basic ' + btoa('sandbox:sandbox'), 'Content-Type': 'application/json' };`;
const withHelper = `${empty}<script src="/helper.js"></script>`;
const policy = (script: string) => ({ 'Content-Security-Policy': `default-src 'self'; script-src 'self' ${script}` });
const pages = {
  '/helper.js': { text: helper, headers: { 'Content-Type': 'text/javascript' } },
  '/': { text: withHelper },
  '/allowed': { text: withHelper, headers: policy("'wasm-unsafe-eval' 'unsafe-eval'") },
  '/no-eval': { text: withHelper, headers: policy("'wasm-unsafe-eval'") },
  // The worker has its own policy, so the app's policy only needs to allow the addresses that the app calls.
  '/app': {
    text: empty,
    headers: { 'Content-Security-Policy': "default-src 'self'; connect-src 'self' https://api.example.com" },
  },
};
let browser: Browser;
let host: StaticHost;
beforeAll(async () => {
  await writeSandboxInPage(folder);
  host = await serveFiles(join(folder, 'browser'), pages);
  browser = await openBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  host?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A browser of another user: only its pages see the state that it keeps. */
async function openContext(): Promise<BrowserContext> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return context;
}

async function openPage(path = '/', context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await openContext())).newPage();
  await page.goto(host.origin + path);
  return page;
}

declare const load: () => Promise<{ createSandbox: typeof createSandbox }>;
declare const auth: Record<string, string>;

describe('size', () => {
  test('all that a page may load is under 900 KB compressed, and what a first request loads under 800', () => {
    const files = readdirSync(join(folder, 'browser')).filter((name) => name !== 'service-worker.js');
    const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, 'browser', name)), { level: 9 }).length;
    const all = files.reduce((sum, name) => sum + sizeOf(name), 0);
    expect(all / 1000).toBeLessThan(900);
    expect(sizeOf('service-worker.js') / 1000 + sizeOf('sqlite3.wasm') / 1000).toBeLessThan(900);
    // The code that checks passkeys, issuers' tokens and certificates is loaded when real proofs need it.
    const later = files.filter((name) => /^(?:es2015|helpers|webapi|esm)-/.test(name));
    expect(later.length).toBeGreaterThan(3);
    expect((all - later.reduce((sum, name) => sum + sizeOf(name), 0)) / 1000).toBeLessThan(800);
  });
});

describe('in memory', () => {
  test.each(isLongRun ? ['is steered as in Node: a platform of its own, its clock, its codes and its client'] : [])(
    '%s',
    async () => {
      const page = await openPage('/allowed');
      const story = await page.evaluate(async () => {
        const { createSandbox: open } = await load();
        const sandbox = await open({ warm: true });
        const platform = await sandbox.platform({ proofs: 'real', world: 'ready-made' });
        const client = platform.client();
        const query = { type: 'EMBEDDED_WALLET' as const };
        const { data } = await client.GET('/customers/internal-accounts', { params: { query } });
        const accountId = data?.data[0]?.id ?? '';
        const code = platform.control.outbox.code({ accountId });
        await client.POST('/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } });
        await platform.control.clock.freeze();
        const { frozen } = await sandbox.control.clock.get();
        return [data?.totalCount, await code, frozen, (await platform.control.journal.har()).log.entries.length];
      });
      expect(story).toEqual([2, expect.stringMatching(/^\d{6}$/), false, 2]);
    },
  );

  test('a payment goes from a quote to COMPLETED with the network off, and nothing was asked of anybody', async () => {
    const page = await openPage('/allowed');
    const said: string[] = [];
    page.on('console', (message) => void said.push(message.text()));
    await page.evaluate(async () => {
      const { createSandbox: open } = await load();
      Object.assign(globalThis, { sandbox: await open() });
    });
    await page.context().setOffline(true);
    const before = host.asked.length;
    const story = await page.evaluate(async () => {
      const { fetch, advance, url } = (globalThis as unknown as { sandbox: Awaited<ReturnType<typeof createSandbox>> })
        .sandbox;
      const read = async (answer: Response) => ({ ...(await answer.json()), answered: answer.status });
      const { data } = await read(await fetch('/customers/internal-accounts?currency=USD', { headers: auth }));
      const account = data.find(({ balance }: { balance: { amount: number } }) => balance.amount > 0);
      const quote = await read(
        await fetch('/quotes', {
          method: 'POST',
          headers: { ...auth, 'Idempotency-Key': crypto.randomUUID() },
          body: JSON.stringify({
            source: { sourceType: 'ACCOUNT', accountId: account.id },
            destination: {
              destinationType: 'ACCOUNT',
              accountId: (await read(await fetch('/customers/external-accounts', { headers: auth }))).data[0].id,
            },
            lockedCurrencySide: 'SENDING',
            lockedCurrencyAmount: 1000,
            immediatelyExecute: true,
          }),
        }),
      );
      await advance(3600);
      const transaction = await read(await fetch(`/transactions/${quote.transactionId}`, { headers: auth }));
      return { url, quote: quote.answered, message: quote.message, transaction: transaction.status };
    });
    expect(story).toEqual({
      url: `http://sandbox.invalid${basePath}`,
      quote: 201,
      message: undefined,
      transaction: 'COMPLETED',
    });
    // The control surface was loaded with the clock, from the same origin.
    expect(host.asked.slice(before)).toEqual([]);
    expect(said).toEqual([]);
  });

  test.each(isLongRun ? ['the same seed gives the same bytes as in Node'] : [])('%s', async () => {
    const page = await openPage();
    const inPage = await page.evaluate(async () => {
      const { createSandbox: open } = await load();
      const sandbox = await open({ seed: 7 });
      return (await sandbox.fetch('/customers', { headers: auth })).text();
    });
    const { createSandbox: open } = await import('../../package/sandbox.ts');
    const sandbox = await open({ seed: 7 });
    onTestFinished(() => sandbox.close());
    const headers = { Authorization: `Basic ${btoa('sandbox:sandbox')}` };
    expect(inPage).toBe(await (await sandbox.fetch('/customers', { headers })).text());
  });

  test('a policy without unsafe-eval: the error says what is missing', async () => {
    const page = await openPage('/no-eval');
    const opening = page.evaluate(async () => {
      const { createSandbox: open } = await load();
      await open();
    });
    await expect(opening).rejects.toThrow(/forbids what the sandbox needs: add 'unsafe-eval'/);
  });
});

describe.each(isLongRun ? ['kept in the browser'] : [])('%s', () => {
  const write = async (page: Page, keepAs: string, id: string): Promise<number> =>
    page.evaluate(
      async ([name, customer]) => {
        const held = globalThis as { kept?: Awaited<ReturnType<typeof createSandbox>> };
        held.kept ??= await (await load()).createSandbox({ keepAs: name });
        const body = JSON.stringify({ customerType: 'INDIVIDUAL', platformCustomerId: customer, fullName: 'A B' });
        return (await held.kept.fetch('/customers', { method: 'POST', headers: auth, body })).status;
      },
      [keepAs, id] as const,
    );
  const idsIn = (page: Page, keepAs: string): Promise<string[]> =>
    page.evaluate(async (name) => {
      const sandbox = await (await load()).createSandbox({ keepAs: name });
      const ids: string[] = [];
      let cursor = '';
      for (let more = true; more; ) {
        const answer = await sandbox.fetch(`/customers?limit=100${cursor}`, { headers: auth });
        const { data, nextCursor, hasMore } = await answer.json();
        ids.push(...data.map((customer: { platformCustomerId: string }) => customer.platformCustomerId));
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
        more = hasMore;
      }
      return ids;
    }, keepAs);

  test.each(isLongRun ? ['what was written is there after a reload, and of a name each has its own'] : [])(
    '%s',
    async () => {
      const context = await openContext();
      const page = await openPage('/', context);
      expect(await write(page, 'one', 'a')).toBe(201);
      expect(await write(page, 'one', 'b')).toBe(201);
      await page.close();
      const again = await openPage('/', context);
      expect(await idsIn(again, 'one')).toEqual(expect.arrayContaining(['a', 'b']));
      expect(await idsIn(again, 'other')).not.toContain('a');
    },
  );

  test.each(isLongRun ? ['a second page learns who has the name, and gets it when the first closes'] : [])(
    '%s',
    async () => {
      const context = await openContext();
      const [first, second] = [await openPage('/', context), await openPage('/', context)];
      expect(await write(first, 'mine', 'a')).toBe(201);
      await expect(write(second, 'mine', 'b')).rejects.toThrow(/Another page has the sandbox mine open/);
      await first.evaluate(() => (globalThis as unknown as { kept: { close(): Promise<void> } }).kept.close());
      expect(await write(second, 'mine', 'b')).toBe(201);
    },
  );

  test.each(Array.from({ length: byLength(0, 25) }, (_, round) => round))(
    'what was acknowledged is there when the tab crashes in the middle (round %i)',
    async (round) => {
      const context = await openContext();
      const page = await openPage('/', context);
      const acknowledged: string[] = [];
      await page.exposeFunction('acknowledge', (id: string) => void acknowledged.push(id));
      const enough = Promise.withResolvers<void>();
      const watch = setInterval(() => acknowledged.length >= 5 + round && enough.resolve(), 1);
      void page
        .evaluate(async () => {
          const { acknowledge } = globalThis as unknown as { acknowledge(id: string): Promise<void> };
          const sandbox = await (await load()).createSandbox({ keepAs: 'crash' });
          for (let next = 0; ; next += 1) {
            const ids = [`${next}-a`, `${next}-b`, `${next}-c`];
            await Promise.all(
              ids.map(async (id) => {
                const body = JSON.stringify({ customerType: 'INDIVIDUAL', platformCustomerId: id, fullName: 'A B' });
                const { status } = await sandbox.fetch('/customers', { method: 'POST', headers: auth, body });
                if (status === 201) await acknowledge(id);
              }),
            );
          }
        })
        .catch(() => {});
      await enough.promise;
      clearInterval(watch);
      const session = await context.newCDPSession(page);
      const crashed = page.waitForEvent('crash');
      // The crashed page can't answer this.
      void session.send('Page.crash').catch(() => {});
      await crashed;
      const known = [...acknowledged];
      const after = await openPage('/', context);
      expect(await idsIn(after, 'crash')).toEqual(expect.arrayContaining(known));
    },
  );
});

describe('as a service worker', () => {
  const at = 'https://api.example.com/v1';

  /** A page with a strict policy whose service worker answers instead of the service. */
  async function openApp(query: string): Promise<Page> {
    const page = await (await openContext()).newPage();
    await page.goto(`${host.origin}/app`);
    await page.evaluate(async (settings) => {
      await navigator.serviceWorker.register(`/service-worker.js?${settings}`, { type: 'module' });
      await new Promise<void>((resolve) => {
        if (navigator.serviceWorker.controller !== null) resolve();
        navigator.serviceWorker.addEventListener('controllerchange', () => resolve());
      });
    }, query);
    return page;
  }
  const call = (page: Page, method: string, url: string, body?: object) =>
    page.evaluate(
      async ([how, where, sent]) => {
        const headers = { Authorization: `Basic ${btoa('sandbox:sandbox')}`, 'Content-Type': 'application/json' };
        const answer = await fetch(where, { method: how, headers, ...(sent === null ? {} : { body: sent }) });
        return { status: answer.status, body: await answer.json() };
      },
      [method, url, body === undefined ? null : JSON.stringify(body)] as const,
    );

  test("answers the app's own addresses, steers by its control surface, and keeps its state", async () => {
    const page = await openApp(`baseUrl=${at}`);
    const customer = { customerType: 'INDIVIDUAL', platformCustomerId: 'sw', fullName: 'A B' };
    expect(await call(page, 'POST', `${at}/customers`, customer)).toMatchObject({ status: 201 });
    expect(await call(page, 'GET', 'https://api.example.com/__sandbox/clock')).toMatchObject({ status: 200 });
    await page.reload();
    const listed = await call(page, 'GET', `${at}/customers?platformCustomerId=sw`);
    expect(listed).toMatchObject({ status: 200, body: { data: [{ fullName: 'A B' }] } });
  });

  test.each(isLongRun ? ['an unknown setting fails the registration'] : [])('%s', async () => {
    await expect(openApp('wrold=examples')).rejects.toThrow(/ServiceWorker script evaluation failed/);
  });
});
