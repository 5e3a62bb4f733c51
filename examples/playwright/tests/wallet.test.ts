import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Clicks, and waits for what the page says then. */
async function click(page: Page, name: string, says: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await expect(page.getByRole('status')).toHaveText(says);
}

test('a wallet gets a passkey, signs in with it, and signs', async ({ page, app }) => {
  await page.goto(app.url);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  await click(page, 'Sign in', 'You are signed in.');
  await click(page, 'Make the wallet private', 'The wallet is private.');

  const { data } = await app.service.GET('/customers/internal-accounts', {
    params: { query: { type: 'EMBEDDED_WALLET' } },
  });
  expect(data?.data.filter(({ privateEnabled }) => privateEnabled)).toHaveLength(1);
});

test('a session ends after 15 minutes', async ({ page, app }) => {
  await page.goto(app.url);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  await click(page, 'Sign in', 'You are signed in.');
  await app.advance(15 * 60);
  await click(page, 'Make the wallet private', /not that of a session/);
});

test('a service that is down for a moment', async ({ page, app }) => {
  await app.control.PUT('/faults', { body: { rules: [{ operation: 'createCredential', status: 503, times: 1 }] } });
  await page.goto(app.url);
  await click(page, 'Register a passkey', /^Error: /);
  await click(page, 'Register a passkey', 'The passkey is registered.');
});

test('the page never gets to see the token', async ({ page, app }) => {
  const seen: string[] = [];
  page.on('response', async (response) => {
    seen.push(JSON.stringify(await response.request().allHeaders()), JSON.stringify(await response.allHeaders()));
  });
  await page.goto(app.url);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  expect(seen.join('\n')).toContain('localhost');
  expect(seen.join('\n')).not.toMatch(/authorization/i);
});
