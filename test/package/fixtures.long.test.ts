/**
 * Promise: the fixtures of the packed package work in an empty project, as the guide shows them: Vitest's, and
 * Playwright's in a real Chromium. There the test's own platform answers the page's requests to the service.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTool } from '../../scripts/lib/tool.ts';
import { packPackage } from '../../scripts/pack/pack.ts';
import { findBrowser } from '../support/browser/browser.ts';
import { Consumer } from '../support/process/consumer.ts';
import { readGuide } from '../support/requests/snippets.ts';

const guide = readGuide('package/README.md');

let folder: string;
let consumer: Consumer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-fixtures-'));
  consumer = await Consumer.install(join(folder, 'consumer'), await packPackage(folder));
  for (const name of ['vitest', '@playwright/test', '@types/node']) consumer.link(name);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("Vitest's, as the guide has it", async () => {
  consumer.write('vitest/app.test.ts', guide.snippets('vitestFixtures'));
  const args = ['run', '--root', join(consumer.folder, 'vitest')];
  const { code, output } = await runTool(['vitest', 'vitest'], args, consumer.folder);
  expect([code, output]).toEqual([0, expect.stringMatching(/Tests\s+2 passed/)]);
});

/** A page of an app, which calls the service at its production address. */
const page = `<!doctype html><title>App</title><button>Count</button><output></output><script type="module">
const headers = { 'Content-Type': 'application/json' };
document.querySelector('button').onclick = async () => {
  const body = JSON.stringify({ customerType: 'INDIVIDUAL', email: 'page@example.com' });
  const made = await fetch('https://api.example.com/v1/customers', { method: 'POST', headers, body }).catch(() => ({ status: 0 }));
  const { totalCount } = await (await fetch('https://api.example.com/v1/customers?limit=1')).json();
  document.querySelector('output').textContent = made.status + ' ' + totalCount;
};
</script>`;

const playwrightTests = `
import { expect, test } from 'countersign/playwright';

test.use({ serviceUrl: 'https://api.example.com/v1/' });

test.beforeEach(async ({ page }) => {
  await page.route('https://app.example.com/', (route) => route.fulfill({ contentType: 'text/html', body: ${JSON.stringify(page)} }));
  await page.goto('https://app.example.com/');
});

for (const time of [1, 2]) {
  test('a page sees its own platform alone ' + time, async ({ page, client, clock }) => {
    await page.getByRole('button').click();
    await expect(page.getByRole('status')).toHaveText('201 1');
    expect((await client.GET('/customers')).data?.data[0]?.email).toBe('page@example.com');
    expect((await clock.freeze()).frozen).toBe(true);
  });
}

test.describe('with options', () => {
  test.use({ platformOptions: { proofs: 'real', world: 'ready-made' } });

  test('a world, real proofs, codes and a fault', async ({ page, control, signIn, codes, platform }) => {
    const { customer } = await signIn();
    expect(await codes({ to: customer.email })).toMatch(/^[0-9]{6}$/);
    await control.faults.replace({ rules: [{ operation: 'createCustomer', drop: 'before', times: 1 }] });
    await page.getByRole('button').click();
    await expect(page.getByRole('status')).toHaveText('0 3');
    await platform.close();
  });
});

test('one that fails has its traffic in the report', async ({ client }) => {
  await client.GET('/customers');
  expect('this one').toBe('to fail');
});
`;

test("Playwright's, in a real browser", { timeout: 300_000 }, async () => {
  consumer.write('playwright/app.spec.ts', playwrightTests);
  const use = { launchOptions: await findBrowser() };
  const reporter = [['list'], ['json', { outputFile: 'report.json' }]];
  const config = { testDir: '.', workers: 2, fullyParallel: true, reporter, use };
  consumer.write('playwright/playwright.config.mjs', `export default ${JSON.stringify(config)};`);
  const args = ['test', '-c', join(consumer.folder, 'playwright/playwright.config.mjs')];
  const { code, output } = await runTool(['@playwright/test', 'playwright'], args, consumer.folder);
  expect([code, output]).toEqual([1, expect.stringMatching(/1 failed[\s\S]*3 passed/)]);
  const report = consumer.readJson<{ stats: object; suites: unknown }>('playwright/report.json');
  expect(report.stats).toMatchObject({ expected: 3, unexpected: 1, flaky: 0 });
  expect(JSON.stringify(report.suites)).toContain('"name":"countersign.har"');
});

test('their types are strict', async () => {
  consumer.write('types/playwright.spec.ts', playwrightTests);
  consumer.write('types/guide.spec.ts', guide.snippets('playwright'));
  consumer.write('types/vitest.test.ts', guide.snippets('vitestFixtures'));
  consumer.write(
    'types/wrong.spec.ts',
    `import { test } from 'countersign/playwright';\ntest.use({ platformOptions: { proofs: 'none' } });\n`,
  );
  const files = ['types/playwright.spec.ts', 'types/guide.spec.ts', 'types/vitest.test.ts', 'types/wrong.spec.ts'];
  const errors = (await consumer.check(files, ['--skipLibCheck', '--types', 'node'])).trim().split('\n');
  expect(errors.filter((line) => /^\S/.test(line))).toEqual([
    expect.stringMatching(/^types\/wrong\.spec\.ts\(2,12\): error TS2322/),
  ]);
});
