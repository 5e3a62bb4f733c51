/**
 * `node test/bench/large.ts MB…`: makes data files of these sizes by multiplying the payments of one platform, and
 * measures long work on it beside another platform: its time, the longest answer of the other one, and the memory of the
 * process. `--from DIR` measures another checkout, `--keep DIR` keeps the files. See README.md.
 */
import { copyFileSync, createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { version } from '../../generated/operations.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { multiply } from '../support/sandbox/multiply.ts';
import { killServers, type RunningServer, startCommandOf, startServer } from './servers.ts';

const megabyte = 1024 * 1024;
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const manager = basic('sandbox', 'sandbox');

interface Sandbox {
  fetch(request: Request): Promise<Response>;
}

/** Opens the store of a checkout, which may be older than this one. */
async function openStore(folder: string, file: string): Promise<Store> {
  const { openSqlite } = await import(join(folder, 'mocks/sandbox/node/sqlite/sqlite.ts'));
  return openSqlite(file);
}

/** A file with one payment out of an account and one into it, all settled. */
async function makeSmall(folder: string, file: string): Promise<void> {
  const store = await openStore(folder, file);
  const { createSandbox } = await import(join(folder, 'mocks/sandbox/app.ts'));
  const { seededChance } = await import(join(folder, 'mocks/sandbox/tools/chance.ts'));
  const log = { info: () => {}, error: () => {} };
  const sandbox: Sandbox = await createSandbox({
    store,
    clock: { now: () => Date.now() },
    chance: seededChance(1),
    log,
  });
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: manager, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await sandbox.fetch(new Request(`http://localhost${path}`, { method, headers, ...sent }));
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const api = `/${version}`;
  const customer = await ask('POST', `${api}/customers`, {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Byron',
    currencies: ['USD'],
  });
  const { data } = await ask('GET', `${api}/customers/internal-accounts?customerId=${customer.id}`);
  const from = data[0].id;
  await ask('POST', `${api}/sandbox/internal-accounts/${from}/fund`, { amount: 100 });
  const to = await ask('POST', `${api}/customers/external-accounts`, {
    customerId: customer.id,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '000123456000',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' },
    },
  });
  await ask('POST', `${api}/transfer-out`, {
    source: { accountId: from },
    destination: { accountId: to.id },
    amount: 10,
  });
  await ask('POST', '/__sandbox/clock', { advanceSeconds: 86_400 });
  await ask('GET', `${api}/transactions`);
  await store.close();
}

async function multiplyIn(folder: string, file: string, times: number): Promise<void> {
  const store = await openStore(folder, file);
  await store.transaction('sandbox', (tx) => multiply(tx, 'sandbox', times), 'large');
  await store.close();
}

/** Makes a file of about this size. @returns the number of its transactions */
async function makeFile(folder: string, file: string, bytes: number): Promise<number> {
  await makeSmall(folder, file);
  const probe = `${file}-probe`;
  copyFileSync(file, probe);
  await multiplyIn(folder, probe, 2000);
  const perCopy = (statSync(probe).size - statSync(file).size) / 2000;
  for (const end of ['', '-wal', '-shm', '-lock']) rmSync(probe + end, { force: true });
  const times = Math.max(1, Math.round((bytes - statSync(file).size) / perCopy));
  await multiplyIn(folder, file, times);
  return 2 * (times + 1);
}

interface Measured {
  readonly name: string;
  readonly status: string;
  readonly seconds: number;
  /** The longest answer of the other platform, in milliseconds. */
  readonly longest: number;
  readonly answers: number;
  readonly megabytes: number;
}

/** Sends a request with any body, and reads the answer into a file. No part of it has a time limit. */
function send(origin: string, method: string, path: string, files: { from?: string; to?: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: manager, 'content-type': 'application/json' };
    const sent = request(`${origin}${path}`, { method, headers }, (answer) => {
      const to = files.to === undefined ? answer.resume() : pipeline(answer, createWriteStream(files.to));
      const ended = to instanceof Promise ? to : new Promise((end) => answer.once('end', end));
      ended.then(
        () => resolve(String(answer.statusCode)),
        (error: Error) => resolve(`${answer.statusCode}, then ${error.message}`),
      );
    });
    sent.once('error', (error: Error) => resolve(error.message));
    if (files.from === undefined) sent.end();
    else pipeline(createReadStream(files.from), sent).catch(reject);
  });
}

/** Does work on the large platform while another one asks for its customers, one request after the other. */
async function measure(
  server: RunningServer,
  other: string,
  name: string,
  work: () => Promise<string>,
): Promise<Measured> {
  let isOver = false;
  let [longest, answers, most] = [0, 0, 0];
  const asking = (async () => {
    while (!isOver) {
      const before = performance.now();
      const answer = await fetch(`${server.origin}/${version}/customers?limit=${(answers % 100) + 1}`, {
        headers: { authorization: other },
      }).catch(() => undefined);
      await answer?.text();
      if (answer?.ok === true) answers += 1;
      longest = Math.max(longest, performance.now() - before);
      most = Math.max(most, server.residentBytes() ?? 0);
      if (answer === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const startedAt = performance.now();
  const status = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  isOver = true;
  await asking;
  return { name, status, seconds, longest, answers, megabytes: most / megabyte };
}

async function measureFile(folder: string, file: string): Promise<Measured[]> {
  const [script = '', ...flags] = [startCommandOf(folder)].flat();
  const server = await startServer([script, ...flags, '--port', '0', '--data', file], {}, folder);
  const made = await fetch(`${server.origin}/__sandbox/platforms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"world":"ready-made"}',
  });
  const { clientId, clientSecret } = (await made.json()) as { clientId: string; clientSecret: string };
  const other = basic(clientId, clientSecret);
  const text = `${file}-snapshot.json`;
  const done: Measured[] = [];
  const steps: [name: string, work: () => Promise<string>][] = [
    ['snapshot', () => send(server.origin, 'GET', '/__sandbox/snapshot', { to: text })],
    ['ledger', () => send(server.origin, 'GET', '/__sandbox/ledger', {})],
    ['restore', () => send(server.origin, 'PUT', '/__sandbox/snapshot', { from: text })],
    ['reset', () => send(server.origin, 'POST', '/__sandbox/reset', {})],
  ];
  for (const [name, work] of steps.filter(([one]) => values.only.includes(one))) {
    const measured = await measure(server, other, name, work);
    done.push(measured);
    const { status, seconds, longest, answers, megabytes } = measured;
    console.log(
      `| ${name} | ${status} | ${seconds.toFixed(1)} s | ${longest.toFixed(0)} ms | ${answers} | ${megabytes.toFixed(0)} MB |`,
    );
  }
  console.log(`snapshot: ${(statSync(text, { throwIfNoEntry: false })?.size ?? 0) / megabyte} MiB`);
  rmSync(text, { force: true });
  await server.stop();
  return done;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: 'snapshot,ledger,restore,reset' },
    from: { type: 'string', default: projectRoot },
    keep: { type: 'string' },
  },
});
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'countersign-large-'));
try {
  for (const size of positionals.map(Number)) {
    const file = join(folder, `large-${size}.sqlite`);
    const transactions = await makeFile(values.from, file, size * megabyte);
    console.log(`\n${size} MB, ${transactions} transactions, ${(statSync(file).size / megabyte).toFixed(1)} MiB`);
    console.log('| work | status | time | longest answer of another platform | its answers | memory |');
    await measureFile(values.from, file);
  }
} finally {
  killServers();
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
