/**
 * Promise: nobody notices another. One platform does everything that is allowed as fast as it can, beside others that do
 * ordinary work: they get every answer right. Nothing of theirs is refused, no event or entry of the journal is lost,
 * and no connection is reset (SECURITY.md, "What is shared"). How long they wait is measured by the benchmark.
 */
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/process/fetchApp.ts';
import { byLength } from '../support/run/length.ts';
import { openStore } from '../support/sandbox/database.ts';
import { must, openSandbox, sandboxOver, type TestSandbox } from '../support/sandbox/harness.ts';
import { multiplyQuote } from '../support/sandbox/manyDue.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { bankAccount, fromAccount, mustQuote, openPayer, toAccount } from '../support/scenes/payments.ts';
import { atOnce, type Greedy, type Row, rows } from './greedyRows.ts';
import { openOrdinary } from './ordinary.ts';

const others = byLength(2, 9);
const walks = byLength(1, 20);
const quotes = byLength(100, 50_000);
/** The number of requests that the greedy platform makes at once. */
const hands = 4;

/** A platform with many quotes, on a sandbox on a port. */
async function open() {
  const store = await openStore();
  onTestFinished(() => store.close());
  const sandbox = await openSandbox({ store, wait: () => new Promise(() => {}) });
  const server = await listen(sandbox, '127.0.0.1', 0);
  onTestFinished(() => server.stop(0));
  const overPort: TestSandbox = sandboxOver((request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(server.address + pathname + search, request));
  });
  const platform = await openPlatform(overPort);
  const payer = await openPayer(platform, { USD: 100_000_000 });
  const bank = await bankAccount(platform, '001', payer.id);
  const quote = await mustQuote(platform, fromAccount(payer.account('USD')), toAccount(bank));
  await multiplyQuote(store, { platformId: platform.platformId, ...quote }, quotes);
  const taken = await platform.control('GET', '/snapshot');
  must(taken);
  const snapshot = JSON.stringify(taken.body);
  return { overPort, platform, snapshot, port: Number(new URL(server.address).port) };
}

/** Does a row until the others have finished. @returns what went wrong, and how often it did it */
async function beGreedy(row: Row, greedy: Greedy, isOver: () => boolean, begun: () => void) {
  const faults: unknown[] = [];
  let acts = 0;
  try {
    const act = await row.begin(greedy);
    begun();
    const hand = async (): Promise<void> => {
      while (!isOver() && faults.length === 0) {
        acts += 1;
        await act(acts).catch((error: unknown) => faults.push(error));
      }
    };
    await Promise.all(Array.from({ length: hands }, hand));
  } catch (error) {
    faults.push(error);
    begun();
  }
  return { faults, acts };
}

const timeout = byLength(60_000, 1_800_000);

// The last one does all of them, so the short form has few of the others.
const tried = byLength(
  rows.filter((_, index) => index % 4 === 0),
  rows,
);

test.each([...tried, atOnce])('beside a platform that $name', { timeout }, async (row) => {
  const { overPort, ...rest } = await open();
  // The first is there before, the others come when everything is taken.
  const first = await openOrdinary(overPort);
  const end = new AbortController();
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    end.abort();
  });
  const begun = Promise.withResolvers<void>();
  const greed = beGreedy(row, { ...rest, signal: end.signal }, () => isOver, begun.resolve);
  await begun.promise;
  const opened = Array.from({ length: others - 1 }, () => openOrdinary(overPort));
  const ordinary = [first, ...(await Promise.all(opened))];
  const faults: string[] = [];
  const noteFault = (who: string) => (error: unknown) => void faults.push(`${row.name} › ${who}: ${String(error)}`);
  await Promise.all(
    ordinary.map(async (platform, index) => {
      for (let walk = 1; walk <= walks; walk += 1) {
        await platform.walk().catch(noteFault(`platform ${index + 1}, walk ${walk}`));
      }
      await platform.finish().catch(noteFault(`platform ${index + 1}, at the end`));
    }),
  );
  isOver = true;
  const { faults: own, acts } = await greed;
  for (const fault of own) noteFault('the greedy platform')(fault);
  expect(faults.join('\n')).toBe('');
  expect(acts).toBeGreaterThan(0);
});
