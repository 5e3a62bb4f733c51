/**
 * Promise: the page at a server's root is readable on a phone and a desktop, with light and dark colours, with a
 * keyboard and a screen reader. It sends no requests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { openPort } from '../support/process/server.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());

test('it fits a phone, axe finds nothing in light and dark, and it asks nobody', async () => {
  const { base } = await openPort(await openSandbox());
  const { origin } = new URL(base);
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(origin);
  expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`${origin}/`]);
  const axe = readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8');
  const backgrounds = new Set<string>();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target)}`);
    });
    expect([colorScheme, found]).toEqual([colorScheme, []]);
    backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await page.screenshot({ path: join(projectRoot, `test/artifacts/start-390-${colorScheme}.png`), fullPage: true });
  }
  expect(backgrounds.size).toBe(2);
  expect(complaints).toEqual([]);
  await page.close();
});
