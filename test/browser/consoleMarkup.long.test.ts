/**
 * Promise: the console never interprets content of the world or an address as markup. The test takes the text fields
 * from the contract's request schemas, so it includes new fields.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { views } from '../../console/views.ts';
import { operations } from '../../generated/operations.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { bundle } from '../support/expect/apiError.ts';
import { openPort } from '../support/process/server.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { filled, placesOf } from '../support/requests/markup.ts';
import { call, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());

const markup = '<img src=x onerror=markup=1>';
const taking = operations.filter(({ body }) => body !== 'none');

const idPattern = /^[A-Z]\w+:[\w-]{8,}$/;

/** Sends the markup in every text field of every operation. @returns one object of each operation that has it */
async function fillWorld(sandbox: TestSandbox): Promise<{ readonly kept: string[]; readonly lacking: string[] }> {
  const targets = await openTargets(sandbox);
  const lacking: string[] = [];
  const kept = new Map<string, string>();
  for (const operation of taking) {
    const { requestBody } = bundle.paths[operation.path][operation.method.toLowerCase()];
    const { schema } = requestBody.content['application/json'];
    const sent = new Set<string>();
    for (const example of [...requestExamples(operation), ...everyChoice(schema)]) {
      const { value, places } = filled(schema, example, markup);
      const answer = await call(sandbox, operation, targets, pathOf(operation, targets), { body: value });
      // A refused request is in the journal too, with everything that was sent.
      expect([operation.id, answer.status < 500]).toEqual([operation.id, true]);
      for (const place of places) sent.add(place);
      const id = answer.body?.id;
      if (idPattern.test(String(id)) && JSON.stringify(answer.body).includes('onerror')) kept.set(operation.id, id);
    }
    lacking.push(...placesOf(schema, markup).flatMap((place) => (sent.has(place) ? [] : [`${operation.id} ${place}`])));
  }
  return { kept: [...kept.values()], lacking };
}

/** Opens an address without reloading the page, and expands everything that is collapsed. */
async function show(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/console${address}`);
  await expect.poll(() => page.getByText(/^(?:Loading|Looking)…$/).count(), { timeout: 60_000 }).toBe(0);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

test('an <img onerror> in any text field of the contract stays text in every view', async () => {
  const sandbox = await openSandbox({ world: 'examples' });
  const { kept, lacking } = await fillWorld(sandbox);
  expect(lacking).toEqual([]);
  expect(kept.length).toBeGreaterThan(5);
  const { origin } = new URL((await openPort(sandbox)).base);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${origin}/console`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const { data } = (await sandbox.control('GET', '/journal?limit=1000')).body;
  const exchanges = taking.map(({ id }) => data.find((one: { operationId: string }) => one.operationId === id)?.id);
  const customers = (await sandbox.send('GET', '/customers?limit=100')).body.data as { id: string }[];
  const asText = encodeURIComponent(markup);
  const addresses = [
    ...views.map(({ name }) => `/${name}`),
    ...customers.map(({ id }) => `/customers/${id}`),
    ...kept.map((id) => `/find/${id}`),
    ...exchanges.map((id) => `/traffic/${id}`),
    ...['find', 'money', 'agents', 'customers', 'traffic'].map((view) => `/${view}/${asText}`),
    `/traffic/new?operation=${asText}`,
    `/traffic?text=${asText}`,
    `/customers?text=${asText}`,
    `/money?status=${asText}`,
    `/${asText}`,
  ];
  let seen = 0;
  for (const address of addresses) {
    await show(page, address);
    expect([address, await page.locator('img').count()]).toEqual([address, 0]);
    seen += (await page.locator('main').textContent())?.includes('onerror') ? 1 : 0;
  }
  // The views did show the markup as text.
  expect(seen).toBeGreaterThan(exchanges.length);
  expect(await page.evaluate(() => (globalThis as { markup?: number }).markup ?? null)).toBeNull();
  expect(complaints).toEqual([]);
}, 600_000);
