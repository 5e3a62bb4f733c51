/**
 * `npm run bench -- --lists`: what a page of external accounts costs, `totalCount` included, in a store with a thousand
 * of them and in one with a million. See README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServiceClient } from '../../generated/client.ts';
import { version } from '../../generated/operations.ts';
import { externalAccounts } from '../../mocks/sandbox/domains/accounts/records.ts';
import { accountIdentity } from '../../mocks/sandbox/domains/accounts/rules.ts';
import { systemChance } from '../../mocks/sandbox/kernel/chance.ts';
import { systemClock } from '../../mocks/sandbox/kernel/clock.ts';
import { createCursors } from '../../mocks/sandbox/kernel/cursor.ts';
import { createDerive } from '../../mocks/sandbox/kernel/derive.ts';
import { createProofs } from '../../mocks/sandbox/kernel/proofs/factory.ts';
import { openSqlite } from '../../mocks/sandbox/store/sqlite.ts';
import { createUnits, type Unit } from '../../mocks/sandbox/store/unit.ts';
import { defaultPlatform } from '../../mocks/sandbox/worlds/readyMade.ts';
import { killServers, type RunningServer, startServer } from './servers.ts';

const usage = `Usage: npm run bench -- --lists [options]

  --few N         accounts in the smaller store, at first 1000
  --many N        accounts in the larger store, at first 1000000
  --requests N    measured requests per list and store, at first 300
  --help          this text
`;

const sandboxScript = 'mocks/sandbox/start.mjs';
const credentials = { clientId: defaultPlatform.clientId, clientSecret: defaultPlatform.clientSecret };
const authorization = `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`;
const unitSize = 5_000;
/** Every so many accounts is one of the customer who has few, until there are twenty. */
const sparse = 50;
const currencies = ['USD', 'EUR', 'GBP', 'JPY'] as const;

interface Owners {
  /** Has every second account. */
  readonly large: string;
  /** Has twenty accounts. */
  readonly small: string;
}

interface Stocked extends Owners {
  readonly count: number;
  readonly server: RunningServer;
}

/** A sandbox process on a new data file that holds so many external accounts. */
async function stock(folder: string, count: number): Promise<Stocked> {
  const args = [sandboxScript, '--port', '0', '--data', join(folder, `${count}.sqlite`)];
  const first = await startServer(args);
  const owners = { large: await makeCustomer(first.origin), small: await makeCustomer(first.origin) };
  await first.stop();
  await fill(args.at(-1) ?? '', owners, count);
  return { count, ...owners, server: await startServer(args) };
}

async function makeCustomer(origin: string): Promise<string> {
  const client = createServiceClient({ baseUrl: `${origin}/${version}`, credentials });
  const { data, error } = await client.POST('/customers', { body: { customerType: 'INDIVIDUAL' } });
  if (data === undefined) throw new Error(`The sandbox made no customer: ${JSON.stringify(error)}`);
  return data.id;
}

/** Adds accounts by the sandbox's own table, in large units: a million requests would take an hour. */
async function fill(file: string, owners: Owners, count: number): Promise<void> {
  const store = await openSqlite(file);
  const derive = createDerive('bench');
  const proofs = createProofs(derive);
  const units = createUnits({
    store,
    clock: systemClock,
    chance: systemChance,
    cursors: createCursors('bench'),
    derive,
    proofs,
  });
  const startedAt = performance.now();
  for (let done = 0; done < count; ) {
    const until = Math.min(count, done + unitSize);
    await units.run(defaultPlatform.id, async (unit) => {
      for (; done < until; done += 1) await addAccount(unit, owners, done);
    });
    if (done % (unitSize * 20) === 0 || done === count) {
      console.log(`${done} of ${count} accounts after ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  }
  await store.close();
}

async function addAccount(unit: Unit, owners: Owners, number: number): Promise<void> {
  const customerId = ownerOf(owners, number);
  const accountInfo = {
    accountType: 'SWIFT_ACCOUNT' as const,
    accountNumber: String(number).padStart(12, '0'),
    swiftCode: 'DEUTDEFF',
    bankName: 'Bench Bank',
    country: 'DE',
    paymentRails: ['SWIFT' as const],
    beneficiary: {
      beneficiaryType: 'INDIVIDUAL' as const,
      fullName: `Payee ${number}`,
      birthDate: '1990-04-12',
      nationality: 'DE',
      address: { line1: 'Hauptstr. 1', city: 'Berlin', state: 'Berlin', postalCode: '10115', country: 'DE' },
    },
  };
  await externalAccounts.insert(unit, {
    id: unit.newId('ExternalAccount'),
    ...(customerId === undefined ? {} : { customerId }),
    currency: currencies[(number >> 1) % currencies.length] ?? 'USD',
    defaultUmaDepositAccount: false,
    accountInfo,
    identity: accountIdentity(customerId, accountInfo),
    beneficiaryVerificationStatus: 'MATCHED',
    verifiedName: accountInfo.beneficiary.fullName,
  });
}

function ownerOf({ large, small }: Owners, number: number): string | undefined {
  if (number % 2 === 0) return large;
  return number % sparse === 1 && number < sparse * 20 ? small : undefined;
}

interface Question {
  readonly name: string;
  /** What the list's address ends in. */
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
 * One request at a time, alternating between the stores, so that a busy machine slows both alike. Every second request
 * follows the cursor of the one before.
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

function draw(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) => {
    const padded = cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `| ${padded.join(' | ')} |`;
  });
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [lines[0], `| ${rule.join(' | ')} |`, ...lines.slice(1)].join('\n');
}

/** Runs the whole comparison and prints it. @throws Error for an answer that is not 200. */
export async function benchLists(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      few: { type: 'string', default: '1000' },
      many: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '300' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lists-'));
  process.once('exit', () => {
    killServers();
    rmSync(folder, { recursive: true, force: true });
  });
  const stores: Stocked[] = [];
  for (const count of [values.few, values.many]) stores.push(await stock(folder, Number(count)));
  const rows = [['list of external accounts', 'in the store', 'in the list', 'p50 ms', 'p99 ms', 'to the fewer']];
  for (const question of questions) rows.push(...(await measure(question, stores, Number(values.requests))));
  console.log(`\n${draw(rows)}`);
}

if (import.meta.main) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  try {
    await benchLists(process.argv.slice(2));
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
