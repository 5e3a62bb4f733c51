/**
 * `npm run bench -- --lists`: measures a page of external accounts, including `totalCount`, in a store with a thousand
 * of them and in one with a million. See README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Values } from '../../cli/command/command.ts';
import { version } from '../../generated/operations.ts';
import { table } from './report.ts';
import { credentials } from './requests.ts';
import { killServers } from './servers.ts';
import { type benchFlags, positive } from './settings.ts';
import { type Stocked, stock } from './stock.ts';

const authorization = `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`;

interface Question {
  readonly name: string;
  /** The query of the list's address. */
  query(stocked: Stocked): string;
}

const questions: readonly Question[] = [
  { name: 'whole list', query: () => '' },
  { name: 'one customer, half of all', query: ({ large }) => `customerId=${large}` },
  { name: 'one customer, few', query: ({ small }) => `customerId=${small}` },
  { name: 'one currency', query: () => 'currency=GBP' },
  { name: 'one customer and currency', query: ({ large }) => `customerId=${large}&currency=GBP` },
  { name: 'one customer, a currency of none', query: ({ large }) => `customerId=${large}&currency=KWD` },
];

interface Answer {
  readonly milliseconds: number;
  readonly totalCount: number;
  readonly nextCursor?: string;
}

async function ask({ server }: Stocked, query: string): Promise<Answer> {
  const startedAt = performance.now();
  const url = `${server.origin}/${version}/customers/external-accounts?${query}`;
  const response = await fetch(url, { headers: { authorization } });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`GET ${url} answered ${response.status}: ${text}`);
  return { milliseconds, ...(JSON.parse(text) as { totalCount: number; nextCursor?: string }) };
}

/**
 * Sends one request at a time, alternating between the stores, so that a busy machine slows both equally. Every second
 * request follows the previous one's cursor.
 */
async function measure(question: Question, stores: readonly Stocked[], requests: number): Promise<string[][]> {
  const seen = stores.map((stocked) => ({ stocked, times: [] as number[], totalCount: 0, cursor: '' }));
  const warmUp = 50;
  for (let round = 0; round < requests + warmUp; round += 1) {
    for (const one of seen) {
      const query = [question.query(one.stocked), one.cursor].filter((part) => part !== '').join('&');
      const { milliseconds, totalCount, nextCursor } = await ask(one.stocked, query);
      if (round >= warmUp) one.times.push(milliseconds);
      one.totalCount = totalCount;
      one.cursor = nextCursor === undefined || one.cursor !== '' ? '' : `cursor=${nextCursor}`;
    }
  }
  const [few] = seen;
  return seen.map(({ stocked, times, totalCount }) => {
    const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
    const ratio = p50 / percentile(few?.times ?? [], 50);
    return [question.name, String(stocked.count), String(totalCount), p50.toFixed(2), p99.toFixed(2), ratio.toFixed(2)];
  });
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Runs the whole comparison and prints it. @throws Error for an answer other than 200. */
export async function benchLists(values: Values<typeof benchFlags>): Promise<void> {
  const few = positive('--few', values.few, 1000);
  const many = positive('--many', values.many, 1_000_000);
  const requests = positive('--requests', values.requests, 300);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lists-'));
  process.once('exit', () => {
    killServers();
    rmSync(folder, { recursive: true, force: true });
  });
  const stores: Stocked[] = [];
  for (const count of [few, many]) stores.push(await stock(folder, count));
  const head = ['list of external accounts', 'in the store', 'in the list', 'p50 ms', 'p99 ms', 'to the fewer'];
  const rows: string[][] = [];
  for (const question of questions) rows.push(...(await measure(question, stores, requests)));
  console.log(`\n${table(head, rows)}`);
}
