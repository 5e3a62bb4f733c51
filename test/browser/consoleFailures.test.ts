/**
 * Promise: no error and no reply makes the console a white page, in a browser whose language `Intl` refuses. A view that
 * fails says so in its place and writes the report; the menu works on, and so do the other views.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { views } from '../../console/views.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { askForTransfer, meetWorld, openConsole, openView } from '../support/browser/console.ts';
import { sample } from '../support/run/length.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());

/** A sandbox with something to show in every view. @returns the addresses of all views, by the view in the menu */
async function fillViews(sandbox: TestSandbox): Promise<string[]> {
  const person = await meetWorld(sandbox);
  must(await askForTransfer(sandbox, person), 201);
  const quote = await sandbox.send('POST', '/quotes', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: person.usd },
      destination: { destinationType: 'ACCOUNT', accountId: person.bank },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
      immediatelyExecute: true,
    },
  });
  must(quote, 201);
  must(await sandbox.send('POST', '/auth/credentials', { body: { type: 'EMAIL_OTP', accountId: person.wallet } }), 201);
  const customers = (await sandbox.send('GET', '/customers')).body.data as { id: string }[];
  const agents = (await sandbox.send('GET', '/agents')).body.data as { id: string }[];
  const exchanges = (await sandbox.control('GET', '/journal')).body.data as { id: string }[];
  return [
    '',
    '/traffic',
    '/traffic/new?operation=createQuote',
    `/traffic/${exchanges[0]?.id}`,
    '/codes',
    '/customers',
    ...customers.map(({ id }) => `/customers/${id}`),
    '/money',
    `/money/${quote.body.id}`,
    `/money/${quote.body.transactionId}`,
    '/agents',
    `/agents/${agents[0]?.id}`,
    '/control',
    '/find/Lookup:1',
  ];
}

/** Opens an address without loading the page again. */
async function show(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/console${address}`);
}

/** Lets the page throw wherever it creates an element of this name. */
async function plantThrow(page: Page, element: string): Promise<void> {
  await page.evaluate((name) => {
    const planted = globalThis as { planted?: string };
    if (planted.planted === undefined) {
      for (const method of ['createElement', 'createElementNS'] as const) {
        const create = Document.prototype[method] as (...given: unknown[]) => Element;
        Object.assign(Document.prototype, {
          [method](...given: unknown[]) {
            if (given.includes(planted.planted)) throw new Error('thrown by the test');
            return create.apply(this, given);
          },
        });
      }
    }
    planted.planted = name;
  }, element);
}

type Json = Readonly<Record<string, unknown>>;

/** Changes every reply that the page gets. The stream of events stays as it is. */
async function changeReplies(page: Page, change: (object: Json, name: string) => Json): Promise<void> {
  const all = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => all(one));
    if (typeof value !== 'object' || value === null) return value;
    return change(Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, all(one, inner)])), name);
  };
  await page.unrouteAll();
  await page.route(/\/(?:2025-10-13|__sandbox)\/(?!.*events)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: all(await response.json()) });
  });
}

/** A console with something in every view. */
async function openFilled() {
  const sandbox = await openSandbox({ proofs: 'real' });
  const addresses = await fillViews(sandbox);
  const { page } = await openConsole(browser, sandbox);
  const main = page.getByRole('main');
  return { addresses, page, main, failures: main.getByText(/ failed\./) };
}

test('a throw shows in the view, or in the part of it that threw, with a text for a report', async () => {
  const { addresses, page, main, failures } = await openFilled();
  const isRefused = await page.evaluate(() => {
    try {
      return Intl.NumberFormat(navigator.language) === undefined;
    } catch {
      return true;
    }
  });
  expect(isRefused).toBe(process.platform === 'linux');

  await plantThrow(page, 'svg');
  await openView(page, 'Money');
  await openView(page, 'Overview');
  await main.getByText('The chart failed.').waitFor();
  await main.getByText(/requests in the last hour/).waitFor();
  expect(await failures.count()).toBe(1);

  // Every view has a heading.
  await plantThrow(page, 'h1');
  await show(page, '/elsewhere');
  for (const address of addresses) {
    await show(page, address);
    const begin = `View: ${address.split('?')[0] || '/'}\nError: Error: thrown by the test`;
    await main.getByLabel('Text for a report').filter({ hasText: begin }).waitFor();
    expect([address, await failures.allTextContents()]).toEqual([
      address,
      [expect.stringMatching(/^This view failed\./)],
    ]);
    expect([address, await page.getByRole('navigation').getByRole('link').count()]).toEqual([address, views.length]);
  }
  await plantThrow(page, 'nothing');
  await openView(page, 'Control');
  expect(await failures.count()).toBe(0);
}, 60_000);

test('replies of a newer sandbox are shown, and replies without what a view needs are not a white page', async () => {
  const { addresses, page, main, failures } = await openFilled();
  const visit = async (address: string): Promise<string[]> => {
    await show(page, address);
    await main.getByRole('heading', { level: 1 }).or(failures).first().waitFor();
    const waiting = main.getByText(/^(?:Loading|Looking)…$/);
    await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(0);
    expect([address, await page.getByRole('navigation').getByRole('link').count()]).toEqual([address, views.length]);
    return failures.allTextContents();
  };

  // Words and fields that the console doesn't know. The fields of headers and places are names of the platform's own.
  await changeReplies(page, (object, name) => ({
    ...Object.fromEntries(
      Object.entries(object).map(([field, value]) => [
        field,
        typeof value === 'string' && /^[A-Z_]{5,}$/.test(value) ? 'MADE_LATER' : value,
      ]),
    ),
    ...(['headers', 'places'].includes(name) ? {} : { addedLater: { kind: 'MADE_LATER', list: [1] } }),
  }));
  await page.reload();
  for (const address of sample(addresses, 6)) {
    expect([address, await visit(address)]).toEqual([address, []]);
  }

  // Every object within an object is gone.
  await changeReplies(page, (object) =>
    Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== 'object' || Array.isArray(value))),
  );
  await page.reload();
  const failed = [];
  for (const address of sample(addresses, 6)) failed.push(...(await visit(address)));
  expect(failed.length).toBeGreaterThan(0);
}, 60_000);
