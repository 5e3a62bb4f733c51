/**
 * Promise: the client helpers work in a browser with real passkeys, against a sandbox with `real` proofs. The page that
 * uses them doesn't need the API token.
 */
import { join } from 'node:path';
import type { Browser, CDPSession, Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { openPort } from '../support/process/server.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';
import { customerOf, openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { walletState } from '../support/scenes/builders.ts';
import { openRelay } from './relay.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());

/** A platform with `real` proofs, one customer and one wallet, on a port, and the app in front of it. */
async function openApp() {
  const email = 'ada@example.com';
  const platform = await openPlatform(await openSandbox(), { proofs: 'real', world: worldOf({ [email]: 1 }) });
  const [wallet] = (await customerOf(platform, email)).accounts;
  const accountId = wallet?.id ?? '';
  const { base } = await openPort(platform);
  const { clientId, clientSecret } = platform;
  return { platform, accountId, address: await openRelay({ base, clientId, clientSecret, accountId }) };
}

/** Gives a page an authenticator with a user who always touches it. */
async function plugIn(devtools: CDPSession, transport: 'internal' | 'usb') {
  const options = {
    protocol: 'ctap2',
    transport,
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
  return {
    credentials: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** The user stops touching it. */
    putAside: () => devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false }),
  };
}

/** Clicks a step's button and returns the text that the page shows after the step, without ids. */
async function runStep(page: Page, title: string) {
  const step = page.locator('ol > li', { has: page.getByRole('heading', { name: title, exact: true }) });
  await step.getByRole('button').click();
  await step.and(page.locator('[data-state="done"], [data-state="failed"]')).waitFor();
  const exchanges = await step.locator('.exchanges li').allTextContents();
  return [
    title,
    await step.locator('.outcome').textContent(),
    exchanges.map((line) => line.replace(/AuthMethod:…\w+/, '{id}')),
  ];
}

/** Records everything that a page sends and receives. Read it before the page closes. */
function watchTraffic(page: Page) {
  const messages: (Request | Response)[] = [];
  page.on('request', (request) => messages.push(request));
  page.on('response', (response) => messages.push(response));
  return {
    origins: () => new Set(messages.map((message) => new URL(message.url()).origin)),
    /** All header fields, and the bodies of the replies, as one text. */
    async text(): Promise<string> {
      const texts = messages.map(async (message) => {
        const body = 'status' in message && message.status() !== 204 ? await message.text() : '';
        return JSON.stringify(await message.allHeaders()) + body;
      });
      return (await Promise.all(texts)).join('\n');
    },
  };
}

const [create, list] = ['POST /auth/credentials', 'GET /auth/credentials'];
const signIn = ['200 POST /auth/credentials/{id}/challenge', '200 POST /auth/credentials/{id}/verify'];
const revoke = 'DELETE /auth/credentials/{id}';
const opened = "The session's signing key is open, and stays in this page.";

/** The page's steps in order, each with its expected text and calls. */
const steps: readonly (readonly [title: string, outcome: string, exchanges: readonly string[]])[] = [
  ['Register a passkey on this laptop', `"Laptop" is the wallet's first credential.`, [`201 ${create}`]],
  ['Sign in with it', opened, signIn],
  [
    'Add a security key',
    `"Security key" is added, by a stamp of the laptop's session.`,
    [`202 ${create}`, `201 ${create}`],
  ],
  ['Sign in with the security key', opened, signIn],
  [
    'Revoke the laptop',
    '"Laptop" is revoked, and the session it issued has ended.',
    [`202 ${revoke}`, `204 ${revoke}`],
  ],
  [
    'Sign with the session that has ended',
    'Refused, as it must be: "Invalid Service-Wallet-Signature".',
    [`202 ${create}`, `401 ${create}`],
  ],
  [
    'See what is left',
    'Credentials: "Security key". Sessions issued by: "Security key".',
    [`200 ${list}`, '200 GET /auth/sessions'],
  ],
];

test('a wallet gets a passkey, signs in, adds a second one and revokes the first', async () => {
  const { platform, accountId, address } = await openApp();
  const page = await browser.newPage({ viewport: { width: 860, height: 700 } });
  onTestFinished(async () => {
    await page.screenshot({ path: join(projectRoot, 'test/artifacts/passkeys.png'), fullPage: true });
    await page.close();
  });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  const traffic = watchTraffic(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable', { enableUI: false });
  const laptop = await plugIn(devtools, 'internal');
  await page.goto(address);
  await page.locator('ol > li').last().waitFor();

  const shown: unknown[] = [];
  for (const [title] of steps.slice(0, 2)) shown.push(await runStep(page, title));
  const securityKey = await plugIn(devtools, 'usb');
  await laptop.putAside();
  for (const [title] of steps.slice(2)) shown.push(await runStep(page, title));
  expect(shown).toEqual(steps);
  expect(complaints).toEqual([]);

  // The page's text matches the service's data.
  const [onLaptop, onSecurityKey] = [await laptop.credentials(), await securityKey.credentials()];
  expect([onLaptop.length, onSecurityKey.length]).toEqual([1, 1]);
  const rawId = Buffer.from(onSecurityKey[0]?.credentialId ?? '', 'base64').toString('base64url');
  const { credentials, sessions } = await walletState(platform, accountId);
  expect(credentials).toMatchObject([{ nickname: 'Security key', credentialId: rawId }]);
  expect(sessions).toMatchObject([{ type: 'PASSKEY', nickname: 'Security key' }]);

  // All calls went through the backend, which didn't reveal the token.
  expect([...traffic.origins()]).toEqual([address]);
  const text = await traffic.text();
  expect(text).toContain('Security key');
  const { clientId, clientSecret } = platform;
  for (const secret of [clientId, clientSecret, basic(clientId, clientSecret)]) expect(text).not.toContain(secret);
});
