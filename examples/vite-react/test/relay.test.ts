/** Tests which calls the Express relay lets through, with a sandbox in this process. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServiceClient } from 'countersign';
import { createSandbox } from 'countersign/sandbox';
import express from 'express';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createRelay } from '../server/relay.ts';

const sandbox = await createSandbox();
const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const app = express();
const service = { baseUrl: await sandbox.listen(), credentials };
// Replaces your session.
app.use('/api', createRelay({ ...service, customerOf: (request) => request.get('Signed-In-As') }));
const server = app.listen(0, 'localhost');
await once(server, 'listening');
const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}/api`;

afterEach(() => sandbox.reset());
afterAll(async () => {
  server.close();
  await sandbox.close();
});

const platform = sandbox.client();

/** The page's client, signed in as a customer. */
function signIn(customerId: string) {
  const fetchAs = (request: Request) => {
    request.headers.set('Signed-In-As', customerId);
    return fetch(request);
  };
  return createServiceClient({ baseUrl, fetch: fetchAs });
}

/** The two customers of the ready-made world. The first one has a bank account. */
async function findCustomers() {
  const { data } = await platform.GET('/customers');
  const idOf = (name: string) => data?.data.find((one) => one.platformCustomerId === name)?.id ?? '';
  return { person: idOf('world-individual'), business: idOf('world-business') };
}

async function findDollars(customerId: string) {
  const { data } = await platform.GET('/customers/internal-accounts', {
    params: { query: { customerId, currency: 'USD' } },
  });
  return { accountId: data?.data[0]?.id ?? '', amount: data?.data[0]?.balance.amount };
}

test('a page sees the accounts of its own user, whatever it asks for', async () => {
  const { person, business } = await findCustomers();
  const { data } = await signIn(person).GET('/customers/internal-accounts', {
    params: { query: { customerId: business } },
  });
  expect(data?.data.map(({ customerId }) => customerId)).toEqual([person, person, person]);
});

test('a page pays out its own money, once for a key, and nobody else’s', async () => {
  const { person, business } = await findCustomers();
  const { accountId, amount } = await findDollars(person);
  const banks = await signIn(person).GET('/customers/external-accounts');
  const body = { source: { accountId }, destination: { accountId: banks.data?.data[0]?.id ?? '' }, amount: 2500 };
  const params = { header: { 'Idempotency-Key': crypto.randomUUID() } };

  const first = await signIn(person).POST('/transfer-out', { params, body });
  const again = await signIn(person).POST('/transfer-out', { params, body });
  expect(first.data?.status).toBe('COMPLETED');
  expect(again.data?.id).toBe(first.data?.id);
  expect((await findDollars(person)).amount).toBe((amount ?? 0) - 2500);

  const stolen = await signIn(business).POST('/transfer-out', { body });
  expect(stolen.error).toMatchObject({ status: 403, message: 'This account is not yours.' });
});

test('nobody gets through who isn’t signed in, nor to what isn’t listed', async () => {
  const { person } = await findCustomers();
  const unknown = createServiceClient({ baseUrl });
  expect((await unknown.GET('/customers/internal-accounts')).response.status).toBe(401);
  expect((await signIn(person).GET('/tokens')).response.status).toBe(404);
});
