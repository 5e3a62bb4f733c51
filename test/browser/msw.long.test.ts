/**
 * Promise: in a browser, an app behind Mock Service Worker calls the service's real address and gets the sandbox's
 * answers.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { forPages, sqliteWasm } from '../../scripts/build/browser.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { serveFiles } from '../support/browser/files.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

test('a page can read what it wrote, and no request reaches the network', async () => {
  const folder = temporaryFolder();
  const bundle = await rolldown({
    cwd: projectRoot,
    input: { app: 'test/support/browser/mswEntry.ts' },
    platform: 'browser',
    plugins: [...forPages],
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'app.js', strictExecutionOrder: true });
  await bundle.close();
  copyFileSync(sqliteWasm, join(folder, 'sqlite3.wasm'));
  copyFileSync(
    createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'),
    join(folder, 'mockServiceWorker.js'),
  );
  const html = '<!doctype html><title>An app</title><script type="module" src="/app.js"></script>';
  const host = await serveFiles(folder, { '/': { text: html } });
  const browser = await openBrowser();
  onTestFinished(async () => {
    await browser.close();
    host.close();
  });
  const page = await browser.newPage();
  await page.goto(host.origin);
  await page.waitForFunction('globalThis.isMocked === true');
  const story = await page.evaluate(async () => {
    const headers = { Authorization: `Basic ${btoa('sandbox:sandbox')}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ customerType: 'INDIVIDUAL', platformCustomerId: 'ada', fullName: 'Ada Lovelace' });
    const made = await fetch('https://api.example.com/v1/customers', { method: 'POST', headers, body });
    const listed = await fetch('https://api.example.com/v1/customers?platformCustomerId=ada', { headers });
    const clock = await fetch('https://api.example.com/__sandbox/clock', { headers });
    return [made.status, (await listed.json()).data[0].fullName, clock.status];
  });
  expect(story).toEqual([201, 'Ada Lovelace', 200]);
});
