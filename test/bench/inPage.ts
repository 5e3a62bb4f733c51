/**
 * `npm run bench -- --page`: measures the sandbox in a page of a real Chromium: its size, the time to its first answer,
 * its speed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { createSandbox } from '../../package/browser.ts';
import { writeSandboxInPage } from '../../scripts/build/bundle.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { serveFiles } from '../support/browser/files.ts';

/** What a page has measured, in milliseconds. */
interface Measured {
  readonly load: number;
  readonly ready: number;
  readonly firstReply: number;
  readonly perQuote: number;
  readonly perQuoteKept: number;
}

const rounds = 5;
const html = '<!doctype html><title>Measured</title><script src="/load.js"></script>';
const loader = { text: `globalThis.load = () => import('/index.js');`, headers: { 'Content-Type': 'text/javascript' } };

declare const load: () => Promise<{ createSandbox: typeof createSandbox }>;

/**
 * Measures and prints. Each round is a new browser context, so nothing is cached. The result is the median of five
 * rounds.
 */
export async function benchInPage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-page-'));
  try {
    await writeSandboxInPage(folder);
    const built = join(folder, 'browser');
    console.log(sizes(built));
    const host = await serveFiles(built, { '/': { text: html }, '/load.js': loader });
    const browser = await openBrowser();
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(host.origin);
      measured.push(await page.evaluate(measureInPage));
      await context.close();
      console.log(`round ${round + 1} of ${rounds}`);
    }
    await browser.close();
    host.close();
    console.log(timesOf(measured));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizes(folder: string): string {
  const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1000;
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const inPage = names.filter((name) => name !== 'service-worker.js');
  const row = (what: string, size: number) => `${what.padEnd(36)} ${size.toFixed(0).padStart(5)} KB, gzip`;
  return [
    row(
      'scripts of the sandbox in a page',
      inPage.reduce((sum, name) => sum + sizeOf(name), 0),
    ),
    row('service-worker.js', sizeOf('service-worker.js')),
    row('sqlite3.wasm', sizeOf('sqlite3.wasm')),
  ].join('\n');
}

function timesOf(measured: readonly Measured[]): string {
  const median = (of: keyof Measured): string => {
    const sorted = measured.map((one) => one[of]).sort((one, other) => one - other);
    return `${(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(1).padStart(8)} ms`;
  };
  return [
    `scripts loaded                       ${median('load')}`,
    `createSandbox() after that           ${median('ready')}`,
    `its first reply                      ${median('firstReply')}`,
    `a quote, executed at once            ${median('perQuote')}`,
    `the same with keepAs                 ${median('perQuoteKept')}`,
  ].join('\n');
}

/** Runs in the page. */
async function measureInPage(): Promise<Measured> {
  const auth = { Authorization: `Basic ${btoa('sandbox:sandbox')}`, 'Content-Type': 'application/json' };
  const began = performance.now();
  const { createSandbox: open } = await load();
  const loaded = performance.now();
  const sandbox = await open();
  const opened = performance.now();
  await sandbox.fetch('/config', { headers: auth });
  const answered = performance.now();
  const perQuote = async ({ fetch }: typeof sandbox): Promise<number> => {
    const read = async (path: string) => (await (await fetch(path, { headers: auth })).json()).data;
    const from = (await read('/customers/internal-accounts?currency=USD')).find(
      ({ balance }: { balance: { amount: number } }) => balance.amount > 0,
    );
    const [to] = await read('/customers/external-accounts');
    const body = JSON.stringify({
      source: { sourceType: 'ACCOUNT', accountId: from.id },
      destination: { destinationType: 'ACCOUNT', accountId: to.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
      immediatelyExecute: true,
    });
    const pay = async (): Promise<void> => {
      const headers = { ...auth, 'Idempotency-Key': crypto.randomUUID() };
      const { status } = await fetch('/quotes', { method: 'POST', headers, body });
      if (status !== 201) throw new Error(`A quote was answered ${status}`);
    };
    for (let warmUp = 0; warmUp < 50; warmUp += 1) await pay();
    const start = performance.now();
    for (let count = 0; count < 200; count += 1) await pay();
    return (performance.now() - start) / 200;
  };
  const inMemory = await perQuote(sandbox);
  return {
    load: loaded - began,
    ready: opened - loaded,
    firstReply: answered - opened,
    perQuote: inMemory,
    perQuoteKept: await perQuote(await open({ keepAs: 'measured' })),
  };
}
