/**
 * Promise: the reference is readable on a phone and a desktop, with light and dark colours, with a keyboard and a
 * screen reader. A click on "Test Request" shows the sandbox's answer. The page calls only its own server, or nobody if
 * it is opened from a file.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { scalarScript } from '../../scripts/generate/reference.ts';
import { machines, sequences } from '../../scripts/generate/states.ts';
import { projectRoot, withUnixLineEnds } from '../../scripts/lib/project.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { openPort } from '../support/process/server.ts';
import { isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());

/** Opens an address, and records which servers the page calls and what it complains about. */
async function openAddress(address: string, width: number, colorScheme: 'light' | 'dark' = 'light') {
  const page = await browser.newPage({ viewport: { width, height: width < 500 ? 844 : 900 }, colorScheme });
  onTestFinished(() => page.close());
  const asked = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  page.on('pageerror', (error) => complaints.push(error.message));
  // Breaches of the page's policy appear here too.
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(address);
  return { page, asked, complaints };
}

/** Opens the reference of the interface and waits until the guides' pictures are drawn. */
async function openPage(address: string, width: number, colorScheme: 'light' | 'dark' = 'light') {
  const opened = await openAddress(address, width, colorScheme);
  await opened.page.locator('.picture svg').first().waitFor();
  return opened;
}

/** The reference as a new sandbox serves it. */
async function openServed(width: number, colorScheme: 'light' | 'dark' = 'light') {
  const { base } = await openPort(await openSandbox());
  const { origin } = new URL(base);
  return { origin, base, ...(await openPage(`${origin}/reference`, width, colorScheme)) };
}

/**
 * Faults of Scalar 1.76 that no setting repairs, by rule and selector. The test expects each, so that a repaired one is
 * removed here.
 */
const known = [
  // Its one-line editor is a combobox that has `aria-expanded` only while it is open.
  ['aria-required-attr', '.code-input-lite__editor'],
] as const;

/** The serious and critical faults that axe finds, except known ones; and which known ones it finds. */
async function findFaults(page: Page): Promise<{ new: string[]; known: string[] }> {
  await page.evaluate(readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async (known) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    const found = { new: new Set<string>(), known: new Set<string>() };
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      for (const { target } of nodes) {
        const element = document.querySelector(String(target[0]));
        const match = known.find(([rule, selector]) => rule === id && element?.matches(selector));
        if (match === undefined) found.new.add(`${id} ${target.join(' ')}`);
        else found.known.add(match.join(' '));
      }
    }
    return { new: [...found.new], known: [...found.known] };
  }, known);
}

const onlyKnown = { new: [], known: known.map((fault) => fault.join(' ')) };

const artifacts = join(projectRoot, 'test/artifacts');
const backgrounds = { light: 'rgb(255, 255, 255)', dark: 'rgb(15, 15, 15)' };

const everyLook = [390, 1280].flatMap((width) =>
  (['dark', 'light'] as const).map((scheme) => [width, scheme] as const),
);
// The hash of the last page and its server code that passed every look. `npm test` looks again if one has changed; the
// long run records the new hash.
const record = new URL('./looked.json', import.meta.url);
const seen = JSON.parse(readFileSync(record, 'utf8')).sha256;
// The page contains the contract, its pictures and Scalar's version.
const hash = createHash('sha256');
const parts = ['index.html', 'control.html', 'page.css', 'page.js', 'sandbox.js'];
for (const file of [
  ...[...parts, 'settings.js'].map((part) => `generated/reference/${part}`),
  ...['referencePage.ts', 'pages.ts'].map((name) => `mocks/sandbox/node/${name}`),
]) {
  hash.update(withUnixLineEnds(readFileSync(join(projectRoot, file), 'utf8')));
}
const sha256 = hash.digest('hex');
const isNew = isLongRun || seen !== sha256;
const looks = isNew ? everyLook : [];
let passed = 0;
afterAll(() => {
  if (isLongRun && passed === everyLook.length && seen !== sha256) {
    writeFileSync(record, `${JSON.stringify({ sha256 }, null, 2)}\n`);
  }
});

test.each(parts)('a sandbox serves %s unchanged, as it was inspected', async (part) => {
  const sandbox = await openSandbox();
  const served = await sandbox.fetch(new Request(`http://localhost:4010/reference/${part}`));
  expect(served.status).toBe(200);
  expect(await served.text()).toBe(readFileSync(join(projectRoot, 'generated/reference', part), 'utf8'));
});

test.each(looks)('%d pixels wide and %s: all is in sight, and axe finds nothing serious', async (width, scheme) => {
  const { page, origin, asked, complaints } = await openServed(width, scheme);
  mkdirSync(artifacts, { recursive: true });
  const shoot = (part: string) => {
    const path = join(artifacts, `reference-${width}-${scheme}${part}.png`);
    return page.screenshot({ path });
  };
  await shoot('');
  expect(await page.locator('.picture svg').count()).toBe(machines.length + sequences.length);
  // The header's sentence isn't cut off.
  const isCut = (one: Element) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight;
  expect(await page.locator('header.site').evaluate(isCut)).toBe(false);
  // Only scrollable elements are wider than the page.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(backgrounds[scheme]);
  expect(await findFaults(page)).toEqual(onlyKnown);
  await page.locator('.picture-quote').scrollIntoViewIfNeeded();
  await shoot('-states');
  expect([...asked]).toEqual([origin]);
  expect(complaints).toEqual([]);
  passed += 1;
});

// Only if the page has changed.
test.each(isNew ? ['each error and decision'] : [])(
  '%s has an address of its own: every link to one leads there, and the search finds it',
  async () => {
    const { page } = await openServed(1280);
    const { lost, count } = await page.evaluate(() => {
      const all = [...document.querySelectorAll('[id*="/description/"]')];
      const ids = all.map(({ id }) => id.replace(/^.*(?=description\/)/, '#'));
      const links = [...document.querySelectorAll('a[href^="#description/"]')].map(
        (one) => one.getAttribute('href') ?? '',
      );
      return { count: links.length, lost: links.filter((href) => !ids.includes(href)) };
    });
    expect([lost, count > 200]).toEqual([[], true]);
    for (const [name, slug] of [
      ['INSUFFICIENT_FUNDS', 'insufficient-funds'],
      ['D36', 'd36-internal-accounts'],
    ]) {
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.getByPlaceholder('Search').fill(name ?? '');
      await page
        .getByRole('option')
        .first()
        .filter({ hasText: name ?? '' })
        .click();
      await page.waitForURL(`**/reference/#description/${slug}`);
    }
  },
  120_000,
);

test.each(isNew ? ['an operation'] : [])('%s says what it needs and what it rests on, and no key', async () => {
  const { page } = await openServed(1280);
  const operation = await showOperation(page, 'tag/quotes/POST/quotes');
  await operation.getByText('API token with TRANSACT', { exact: true }).waitFor();
  await operation.getByText("from 'countersign/client'").waitFor();
  expect(await page.getByText(/^x-[a-z-]+:$/).count()).toBe(0);
  await operation.getByRole('link', { name: 'D08' }).first().click();
  await page.waitForURL('**/reference/#description/d08-amounts');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.download-button').first().click(),
  ]);
  expect(download.suggestedFilename()).toBe('embedded-wallet-payments-and-agent-service-interface-2025-10-13.json');
  expect(readFileSync(await download.path(), 'utf8')).toBe(
    readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8'),
  );
});

/** Opens an operation like its link in the sidebar, and returns what the page shows of it. */
async function showOperation(page: Page, anchor: string) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, anchor);
  const operation = page.locator(`[id$="${anchor}"]`).first();
  await operation.getByRole('button', { name: 'Test Request' }).waitFor();
  return operation;
}

// Only if the page has changed.
test.each(isNew ? [390, 1280] : [])(
  '%d pixels wide, the control surface has a page of its own, to be read and tried',
  async (width) => {
    const { origin } = new URL((await openPort(await openSandbox())).base);
    const { page, asked, complaints } = await openAddress(`${origin}/reference/control.html`, width);
    const operation = await showOperation(page, 'tag/clock/GET/clock');
    await page.screenshot({ path: join(artifacts, `reference-${width}-control.png`) });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await findFaults(page)).new).toEqual([]);
    await operation.getByRole('button', { name: 'Test Request' }).click();
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.url() === `${origin}/__sandbox/clock`),
      page.getByRole('button', { name: /^Send get request/i }).click(),
    ]);
    expect(await response.json()).toMatchObject({ frozen: true });
    expect([...asked]).toEqual([origin]);
    expect(complaints).toEqual([]);
  },
);

// Only if the page has changed, because the clicks take as long as the looks.
test.each(isNew ? ['Test Request'] : [])(
  '"%s" sends what stands there, and shows the answer',
  async () => {
    const { page, base, origin, asked, complaints } = await openServed(1280);
    const send = async (tag: string, method: string, path: string, shown: string) => {
      const operation = await showOperation(page, `tag/${tag}/${method}${path}`);
      await operation.getByRole('button', { name: 'Test Request' }).click();
      const [response] = await Promise.all([
        page.waitForResponse((response) => response.url().startsWith(base + path)),
        page.getByRole('button', { name: new RegExp(`^Send ${method} request`, 'i') }).click(),
      ]);
      await page.getByText(shown).first().waitFor();
      await page.keyboard.press('Escape');
      // The window fades out. What is examined next is the page without it.
      await page.getByRole('button', { name: /^Send \w+ request/i }).waitFor({ state: 'detached' });
      return [response.request().method(), await response.json()];
    };
    expect(await send('customers', 'GET', '/customers', '200 OK')).toMatchObject(['GET', { totalCount: 2 }]);
    expect(await findFaults(page)).toEqual(onlyKnown);
    const created = await send('customers', 'POST', '/customers', '201 Created');
    expect(created).toMatchObject(['POST', { customerType: 'INDIVIDUAL' }]);
    const changed = await send('tokens', 'PATCH', '/config', '200 OK');
    expect(changed).toMatchObject(['PATCH', { id: expect.stringMatching(/^PlatformConfig:/) }]);
    expect(await send('agents', 'GET', '/agents/me', '200 OK')).toMatchObject(['GET', { name: 'Bill payer' }]);
    // The objects that were made above are gone.
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Start over' }).click()]);
    await page.locator('.picture svg').first().waitFor();
    expect(await send('customers', 'GET', '/customers', '200 OK')).toMatchObject(['GET', { totalCount: 2 }]);
    expect([...asked]).toEqual([origin]);
    expect(complaints).toEqual([]);
  },
  180_000,
);

test.each(isNew ? ['a file'] : [])(
  'opened from %s it shows the same, asks nobody, and offers no request that could not be answered',
  async () => {
    const folder = temporaryFolder();
    cpSync(join(projectRoot, 'generated/reference'), folder, { recursive: true });
    cpSync(scalarScript.from, join(folder, 'scalar.js'));
    const address = pathToFileURL(join(folder, 'index.html')).href;
    const { page, asked, complaints } = await openPage(address, 1280);
    expect(await page.locator('.picture svg').count()).toBe(machines.length + sequences.length);
    expect([...asked]).toEqual(['null']);
    expect(complaints).toEqual([]);
    expect(await page.getByRole('button', { name: 'Test Request' }).count()).toBe(0);
    rmSync(join(folder, 'scalar.js'));
    await page.reload();
    await page.getByText('Run npm run reference').waitFor();
  },
);
