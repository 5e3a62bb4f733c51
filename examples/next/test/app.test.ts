/** Tests the built app, served by Next, with a sandbox in this process. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSandbox } from 'countersign/sandbox';
import next from 'next';
import { afterAll, afterEach, expect, test } from 'vitest';

const sandbox = await createSandbox();
process.env['SERVICE_URL'] = await sandbox.listen();

const app = next({ dev: false, dir: join(import.meta.dirname, '..') });
await app.prepare();
const handle = app.getRequestHandler();
const server = createServer((request, response) => void handle(request, response)).listen(0, 'localhost');
await once(server, 'listening');
const origin = `http://localhost:${(server.address() as AddressInfo).port}`;

afterEach(() => sandbox.reset());
afterAll(async () => {
  server.close();
  await app.close();
  await sandbox.close();
});

const amara = { cookie: 'user=world-individual' };

function payOut(headers: Record<string, string>, body: unknown = { cents: 2500 }) {
  const json = { 'Content-Type': 'application/json', ...headers };
  return fetch(`${origin}/api/payouts`, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

test('the page shows the balances of its user', async () => {
  const page = await fetch(origin, { headers: amara });
  expect(await page.text()).toContain('1000.00 USD');
});

test('a payment is made once for a key', async () => {
  const key = crypto.randomUUID();
  const replies = [
    await payOut({ ...amara, 'Idempotency-Key': key }),
    await payOut({ ...amara, 'Idempotency-Key': key }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  const { data } = await (await fetch(`${origin}/api/accounts`, { headers: amara })).json();
  const dollars = data.find((one: { balance: { currency: { code: string } } }) => one.balance.currency.code === 'USD');
  expect(dollars.balance.amount).toBe(97_500);
});

test('what the app refuses, and what the service refuses', async () => {
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  const statuses = [
    await fetch(`${origin}/api/accounts`),
    await payOut(key),
    await payOut(amara),
    await payOut({ ...amara, ...key }, { cents: 'all' }),
    await payOut({ cookie: 'user=world-business', ...key }),
    await payOut({ ...amara, ...key }, { cents: 900_000_000 }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([401, 401, 400, 400, 409, 400]);
  expect((await sandbox.client().GET('/transactions')).data?.totalCount).toBe(0);
});

test('nothing that a browser loads names the token', async () => {
  const folder = join(import.meta.dirname, '../.next/static');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
  );
  expect(texts.join('\n')).toContain('/api/payouts');
  expect(texts.filter((text) => text.includes('SERVICE_CLIENT'))).toEqual([]);
});
