/**
 * Promise: on the published site every button of the reference and the console works without a server. One sandbox in
 * the page answers both, even offline, and no other server gets a request.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { serveFiles } from '../support/browser/files.ts';
import { openPort } from '../support/process/server.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

let browser: Browser;
const site = join(mkdtempSync(join(tmpdir(), 'countersign-site-')), 'site');
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/site/main.ts', '--out', site], { cwd: projectRoot });
  browser = await openBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  rmSync(dirname(site), { recursive: true, force: true });
});

/** A new browser, and a plain static host with the site. */
async function visit() {
  const host = await serveFiles(site);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  onTestFinished(async () => {
    await context.close();
    host.close();
  });
  // The reference has megabytes of script, and the machine may be busy.
  context.setDefaultTimeout(120_000);
  const asked = new Set<string>();
  context.on('request', (request) => asked.add(new URL(request.url()).origin));
  return { host, context, asked };
}

/** Clicks "Test Request" of an operation, then "Send", and returns the answer that the page shows. */
async function press(page: Page, tag: string, method: string, path: string, shown: string) {
  const anchor = `tag/${tag}/${method}${path}`;
  await page.evaluate((hash) => {
    location.hash = hash;
  }, anchor);
  const operation = page.locator(`[id$="${anchor}"]`).first();
  await operation.getByRole('button', { name: 'Test Request' }).click();
  const isOurs = (address: string) => decodeURI(address).includes('/sandbox/');
  const [response] = await Promise.all([
    page.waitForResponse((one) => isOurs(one.url()) && one.request().method() === method),
    page.getByRole('button', { name: new RegExp(`^Send ${method} request`, 'i') }).click(),
  ]);
  await page.getByText(shown).first().waitFor();
  await page.keyboard.press('Escape');
  return response.json();
}

test('a wallet signs in, money is sent, the clock moves, and an agent may pay, by the buttons of the page', async () => {
  const { host, context, asked } = await visit();
  const [page, control] = [await context.newPage(), await context.newPage()];
  await page.goto(`${host.origin}/reference/`);
  await control.goto(`${host.origin}/reference/control.html`);
  await page.locator('.picture svg').first().waitFor();
  const before = await press(page, 'quotes', 'GET', '/quotes/{quoteId}', '200 OK');
  expect(before).toMatchObject({ status: 'PENDING' });

  // "Start over" reset the sandbox and reloaded the page.
  expect(await press(page, 'customers', 'POST', '/customers', '201 Created')).toMatchObject({ id: expect.any(String) });
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Start over' }).click()]);
  await page.locator('.picture svg').first().waitFor();
  expect(await press(page, 'customers', 'GET', '/customers', '200 OK')).toMatchObject({ totalCount: 2 });

  await context.setOffline(true);
  host.close();
  const session = await press(page, 'auth', 'POST', '/auth/credentials/{id}/verify', '200 OK');
  expect(session).toMatchObject({ encryptedSessionSigningKey: expect.any(String) });
  expect(await press(page, 'quotes', 'POST', '/quotes/{quoteId}/execute', '200 OK')).toMatchObject({
    status: expect.stringMatching(/^(?:PENDING|PROCESSING|COMPLETED)$/),
  });
  const clock = await press(control, 'clock', 'GET', '/clock', '200 OK');
  const moved = await press(control, 'clock', 'POST', '/clock', '200 OK');
  expect(Date.parse(moved.now)).toBeGreaterThan(Date.parse(clock.now));
  const action = await press(page, 'agents', 'POST', '/agents/{agentId}/actions/{actionId}/approve', '200 OK');
  expect(action).toMatchObject({ status: 'APPROVED' });
  expect([...asked]).toEqual([host.origin]);
}, 300_000);

test('the reference that a sandbox serves has one in the page beside it, and neither sees the other', async () => {
  const { base } = await openPort(await openSandbox());
  const { origin } = new URL(base);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${origin}/reference/`);
  const created = await page.evaluate(async (version) => {
    const headers = { Authorization: `Basic ${btoa('reference:reference')}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ customerType: 'INDIVIDUAL', platformCustomerId: 'here', fullName: 'A B' });
    const at = (place: string) => `${place}${version}/customers`;
    const made = await fetch(at('/reference/sandbox'), { method: 'POST', headers, body });
    const count = async (place: string): Promise<number> =>
      (await (await fetch(`${at(place)}?platformCustomerId=here`, { headers })).json()).totalCount;
    return { status: made.status, inPage: await count('/reference/sandbox'), served: await count('') };
  }, new URL(base).pathname);
  expect(created).toEqual({ status: 201, inPage: 1, served: 0 });
  expect(complaints).toEqual([]);
}, 120_000);
/** Opens a view of the console from its menu. */
async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Sends an operation in the console with the contract's example, and expects it in Traffic. */
async function sendByConsole(page: Page, operation: string, status: number): Promise<void> {
  await openView(page, 'Traffic');
  await page.getByRole('link', { name: 'New request', exact: true }).click();
  await page.getByRole('combobox', { name: 'Operation' }).selectOption(operation);
  await page.getByRole('button', { name: /^Send [A-Z]+$/ }).click();
  await page.getByText(`Answered with ${status}`).waitFor();
  await openView(page, 'Traffic');
  await page.getByRole('link', { name: new RegExp(`${status} ${operation}`) }).click();
  await page.getByText('This exchange matches the contract.').waitFor();
  // There is no command line tool that could call a sandbox in a page, so no command is shown.
  expect(await page.getByLabel('Command', { exact: true }).count()).toBe(0);
}

test('the console shows the sandbox of the page, and steers it: with the network, and without', async () => {
  const { host, context, asked } = await visit();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${host.origin}/`);
  await page.getByRole('link', { name: 'Console' }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  const live = page.getByRole('status').getByText('Live', { exact: true });
  await live.waitFor();
  await openView(page, 'Customers');
  await page.getByRole('link', { name: /Amara Okafor/ }).click();
  await page.getByRole('region', { name: 'External accounts' }).waitFor();
  // Its address is a deep link, on a host that has no file there.
  await page.reload();
  await page.getByRole('region', { name: 'External accounts' }).waitFor();
  await sendByConsole(page, 'createCustomer', 201);

  // The reference uses the same sandbox.
  const reference = await context.newPage();
  await reference.goto(`${host.origin}/reference/`);
  await reference.locator('.picture svg').first().waitFor();
  await press(reference, 'quotes', 'GET', '/quotes/{quoteId}', '200 OK');
  await openView(page, 'Traffic');
  await page.getByRole('link', { name: /200 getQuote/ }).waitFor();
  const [watching] = await Promise.all([
    reference.waitForURL(/\/console\/index\.html$/).then(() => reference),
    reference.getByRole('link', { name: 'Console' }).click(),
  ]);
  await watching.close();

  await context.setOffline(true);
  host.close();
  await sendByConsole(page, 'createToken', 201);
  await openView(page, 'Control');
  await page.getByRole('button', { name: '+6 min' }).first().click();
  await openView(page, 'Money');
  await page
    .getByRole('link', { name: /outgoing/ })
    .first()
    .click();
  await page.getByRole('region', { name: 'Timeline' }).waitFor();
  expect(complaints).toEqual([]);
  expect([...asked]).toEqual([host.origin]);
}, 300_000);

test('the documentation is found by a misspelt word, and a result leads to its heading, with the network off', async () => {
  const { host, context, asked } = await visit();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(host.origin);
  await page.getByRole('link', { name: 'Documentation' }).click();
  await page.waitForURL(`${host.origin}/docs/index.html`);
  await context.setOffline(true);
  await page.getByLabel('Search').fill('xylophone');
  await page.getByText('Nothing found.').waitFor();
  await page.getByLabel('Search').fill('repeatt');
  const result = page.getByRole('link', { name: 'Move the clock: Make a run repeat' });
  await result.waitFor();
  await context.setOffline(false);
  await result.click();
  await page.getByRole('heading', { name: 'Make a run repeat' }).waitFor();
  expect(page.url()).toBe(`${host.origin}/docs/how-to/clock.html#make-a-run-repeat`);
  expect(complaints).toEqual([]);
  expect([...asked]).toEqual([host.origin]);
});
