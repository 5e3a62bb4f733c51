/** Makes transfers for tests, and reads their effects. */
import { expect } from 'vitest';
import type { InternalAccount, Quote, Transaction } from '../../../generated/types.ts';
import { type Answer, must, openSandbox, type TestSandbox } from '../sandbox/harness.ts';
import { accountsOf } from '../sandbox/platforms.ts';
import { openCustomer } from './customers.ts';
import { mustAdd, usdRequest } from './externalAccounts.ts';

/** Expects a sound ledger, as the control surface shows it. Returns what each place holds. */
export async function expectSound(sandbox: TestSandbox): Promise<Record<string, number>> {
  const { status, body } = await sandbox.control('GET', '/ledger');
  expect([status, body.faults, body.sound]).toEqual([200, [], true]);
  return body.places;
}

/** A customer with 100 000 cents in a US dollar account, an empty euro account, and a bank account with this suffix. */
export async function openOwner(suffix = '000', fields: object = {}, sandbox?: TestSandbox) {
  const person = await openCustomer(
    { customerType: 'INDIVIDUAL', fullName: 'Ada Byron', currencies: ['USD', 'EUR'], ...fields },
    sandbox ?? (await openSandbox()),
  );
  const used = person.sandbox;
  const customerId = person.customer.id;
  const accounts = await accountsOf(used, customerId);
  const idOf = (code: string) => accounts.find(({ balance }) => balance.currency.code === code)?.id ?? '';
  const internalId = idOf('USD');
  expect((await person.fund('USD', 100_000)).status).toBe(200);
  const external = await mustAdd(used, usdRequest(`000123456${suffix}`, { customerId }));
  const balance = async () => {
    const own = (await accountsOf(used, customerId)).find(({ id }) => id === internalId);
    return own?.balance.amount;
  };
  return { ...person, customerId, internalId, euroId: idOf('EUR'), externalId: external.id, idOf, balance };
}

export type Owner = Awaited<ReturnType<typeof openOwner>>;

/** The platform's own US dollar account, with 5000 cents more than before. */
export async function platformAccount(sandbox: TestSandbox): Promise<string> {
  const { data } = (await sandbox.send('GET', '/platform/internal-accounts')).body;
  const { id } = data.find(({ balance }: InternalAccount) => balance.currency.code === 'USD');
  must(await sandbox.send('POST', `/sandbox/internal-accounts/${id}/fund`, { body: { amount: 5000 } }));
  return id;
}

/** Replacements for a transfer's two accounts and its amount. */
export interface TransferChange {
  readonly from?: string;
  readonly to?: string;
  readonly amount?: unknown;
  readonly rail?: string;
}

/** Pays 2500 cents out of the owner's account to its bank account, unless `change` differs. */
export function transferOut(owner: Owner, change: TransferChange = {}): Promise<Answer> {
  const { from = owner.internalId, to = owner.externalId, amount = 2500, rail } = change;
  const destination = { accountId: to, ...(rail === undefined ? {} : { paymentRail: rail }) };
  return owner.sandbox.send('POST', '/transfer-out', { body: { source: { accountId: from }, destination, amount } });
}

/** Collects 2500 cents from the owner's bank account into its account, unless `change` differs. */
export function transferIn(owner: Owner, change: TransferChange = {}): Promise<Answer> {
  const { from = owner.externalId, to = owner.internalId, amount = 2500 } = change;
  const body = { source: { accountId: from }, destination: { accountId: to }, amount };
  return owner.sandbox.send('POST', '/transfer-in', { body });
}

export async function readTransaction(sandbox: TestSandbox, id: string): Promise<Transaction> {
  const { status, body } = await sandbox.send('GET', `/transactions/${id}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

/** The newest hundred transactions that a query finds. No test has more. */
export async function listTransactions(sandbox: TestSandbox, query = ''): Promise<Transaction[]> {
  const { status, body } = await sandbox.send('GET', `/transactions?limit=100&${query}`);
  expect([query, status, body?.totalCount]).toEqual([query, 200, body?.data?.length]);
  return body.data;
}

/** Balances, transactions and ledger of everyone, which must be the same after a refused request. */
export async function moneyState(sandbox: TestSandbox): Promise<object> {
  const read = async (path: string) => (await sandbox.send('GET', path)).body;
  return {
    customers: await read('/customers/internal-accounts?limit=100'),
    platform: await read('/platform/internal-accounts'),
    transactions: await read('/transactions?limit=100'),
    ledger: (await sandbox.control('GET', '/ledger')).body,
  };
}

/** A quote of 2500 cents from the owner's account to its bank account, unless `change` differs. */
export async function quote({ sandbox, internalId, externalId }: Owner, change: object = {}): Promise<Quote> {
  const { status, body } = await sandbox.send('POST', '/quotes', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: internalId },
      destination: { destinationType: 'ACCOUNT', accountId: externalId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 2500,
      ...change,
    },
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}
