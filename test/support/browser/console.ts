/** The console in a browser: opens its pages, signs in, and meets the ready-made world. */
import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { openPort } from '../process/server.ts';
import type { TestSandbox } from '../sandbox/harness.ts';

export interface Opened {
  readonly page: Page;
  readonly origin: string;
  /** The browser's complaints: a failed script, or a breach of the policy. */
  readonly complaints: string[];
}

export interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly path?: string;
}

/** Opens a page with the language that the browser reports by itself (browser.ts). The test closes it. */
export async function openPage(
  browser: Browser,
  origin: string,
  { width = 1280, colorScheme = 'light', path = '' }: Look = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // An error response that the console displays isn't a fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${origin}/console${path}`);
  return { page, origin, complaints };
}

export async function signIn(page: Page, clientId = 'sandbox', clientSecret = 'sandbox'): Promise<void> {
  await page.getByLabel('Client id').fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
}

/** The console of a sandbox, signed in to its first platform. */
export async function openConsole(browser: Browser, sandbox: TestSandbox, look: Look = {}): Promise<Opened> {
  const { origin } = new URL((await openPort(sandbox)).base);
  const opened = await openPage(browser, origin, look);
  await signIn(opened.page);
  return opened;
}

/** Follows the link in the menu. */
export async function openView(page: Page, view: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click();
  await page.getByRole('heading', { name: view, level: 1 }).waitFor();
}

export interface Person {
  readonly wallet: string;
  readonly usd: string;
  readonly bank: string;
  readonly token: string;
}

/** Ids of the ready-made world, with its agent connected. */
export async function meetWorld(sandbox: TestSandbox): Promise<Person> {
  const wallets = await sandbox.send('GET', '/customers/internal-accounts?type=EMBEDDED_WALLET');
  const banks = await sandbox.send('GET', '/customers/external-accounts?currency=USD');
  const bank = banks.body.data[0];
  const accounts = await sandbox.send('GET', `/customers/internal-accounts?currency=USD&customerId=${bank.customerId}`);
  const path = '/agents/device-codes/AGENT-DEMO-2025/redeem';
  const redeemed = await sandbox.send('POST', path, { authorization: null, body: {} });
  return {
    wallet: wallets.body.data[0].id,
    usd: accounts.body.data[0].id,
    bank: bank.id,
    token: redeemed.body.accessToken,
  };
}

/** Asks for a payment that needs an approval. */
export function askForTransfer(sandbox: TestSandbox, { usd, bank, token }: Person) {
  const body = { source: { accountId: usd }, destination: { accountId: bank }, amount: 20_000 };
  return sandbox.send('POST', '/agents/me/transfer-out', { authorization: `Bearer ${token}`, body });
}
