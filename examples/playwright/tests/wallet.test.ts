import type { Page, Response } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Clicks, and waits for the text that the page then shows. */
async function click(page: Page, name: string, says: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await expect(page.getByRole('status')).toHaveText(says);
}

test('a wallet gets a passkey, signs in with it, and signs', async ({ page, appUrl, client }) => {
  await page.goto(appUrl);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  await click(page, 'Sign in', 'You are signed in.');
  await click(page, 'Make the wallet private', 'The wallet is private.');

  const { data } = await client.GET('/customers/internal-accounts', {
    params: { query: { type: 'EMBEDDED_WALLET' } },
  });
  expect(data?.data.filter(({ privateEnabled }) => privateEnabled)).toHaveLength(1);
});

test('a session ends after 15 minutes', async ({ page, appUrl, clock }) => {
  await page.goto(appUrl);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  await click(page, 'Sign in', 'You are signed in.');
  await clock.advance(15 * 60);
  await click(page, 'Make the wallet private', /has no active session/);
});

test('a service that is down for a moment', async ({ page, appUrl, control }) => {
  await control.faults.replace({ rules: [{ operation: 'createCredential', status: 503, times: 1 }] });
  await page.goto(appUrl);
  await click(page, 'Register a passkey', /^Error: /);
  await click(page, 'Register a passkey', 'The passkey is registered.');
});

test('the page never gets to see the token', async ({ page, appUrl, platform }) => {
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  await page.goto(appUrl);
  await click(page, 'Register a passkey', 'The passkey is registered.');
  const seen = responses.map(async (response) => {
    const headers = [await response.request().allHeaders(), await response.allHeaders()];
    return JSON.stringify(headers) + (await response.text());
  });
  const text = (await Promise.all(seen)).join('\n');
  expect(text).toContain('/auth/credentials');
  expect(text).not.toContain(platform.credentials.clientSecret);
  expect(text).not.toMatch(/"authorization":/i);
});
