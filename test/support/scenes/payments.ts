/** Makes payments for tests: customers with accounts and money, quotes, and the ledger afterwards. */
import { expect } from 'vitest';
import type { OutgoingTransaction, Quote } from '../../../generated/types.ts';
import { type Answer, openSandbox, startOfTime, type TestSandbox } from '../sandbox/harness.ts';
import { accountsOf, openPlatform, type TestPlatform } from '../sandbox/platforms.ts';
import { mustAdd, newCustomer, usdRequest } from './externalAccounts.ts';
import { expectSound, listTransactions } from './transfers.ts';

/** An empty platform on a new sandbox. Its ledger shows only what the test does. */
export async function openBooks(parts: Parameters<typeof openSandbox>[0] = {}): Promise<TestPlatform> {
  return openPlatform(await openSandbox(parts));
}

/** An id with the prefix that nothing has. */
export const nobody = (prefix: string): string => `${prefix}:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff`;

export interface Payer {
  readonly id: string;
  /** The internal account for each currency. */
  readonly accounts: Readonly<Record<string, string>>;
  /** The internal account for a currency that the payer must have. */
  account(currency: string): string;
}

/** A customer with an account in each of the currencies, each with this amount. */
export async function openPayer(
  sandbox: TestSandbox,
  balances: Readonly<Record<string, number>> = { EUR: 100_000, USD: 0 },
  fields: object = {},
): Promise<Payer> {
  const id = await newCustomer(sandbox, { currencies: Object.keys(balances), ...fields });
  const listed = await accountsOf(sandbox, id);
  const accounts = Object.fromEntries(listed.map((one) => [one.balance.currency.code, one.id]));
  for (const [currency, amount] of Object.entries(balances)) {
    if (amount > 0) await fund(sandbox, accounts[currency] ?? '', amount);
  }
  return { id, accounts, account: (currency) => accounts[currency] ?? `no ${currency}` };
}

/** Puts sandbox money into an internal account. */
export async function fund(sandbox: TestSandbox, accountId: string, amount: number): Promise<void> {
  const answer = await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { body: { amount } });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
}

/** Pays a customer by UMA from outside. The amount has no limit except what can be expressed. */
export async function payIn(sandbox: TestSandbox, customerId: string, currency: string, amount: number): Promise<void> {
  const amounts = { receivingCurrencyCode: currency, receivingCurrencyAmount: amount };
  const body = { senderUmaAddress: '$success.usd@pay.example', customerId, ...amounts };
  expect((await sandbox.send('POST', '/sandbox/uma/receive', { body })).status).toBe(200);
}

/** A US bank account whose number ends with the suffix, of a customer or of the platform. Returns its id. */
export async function bankAccount(
  sandbox: TestSandbox,
  suffix: string,
  customerId?: string,
  beginning = '123456',
): Promise<string> {
  const owner = customerId === undefined ? {} : { customerId };
  return (await mustAdd(sandbox, usdRequest(beginning + suffix, owner))).id;
}

export const fromAccount = (accountId: string, more: object = {}) => ({ sourceType: 'ACCOUNT', accountId, ...more });
export const fromOutside = (currency: string, more: object = {}) => ({
  sourceType: 'REALTIME_FUNDING',
  currency,
  ...more,
});
export const toAccount = (accountId: string, more: object = {}) => ({ destinationType: 'ACCOUNT', accountId, ...more });
export const toUma = (umaAddress: string, more: object = {}) => ({
  destinationType: 'UMA_ADDRESS',
  umaAddress,
  ...more,
});

/** The payer data that every UMA receiver requires. */
export const payerInfo = { FULL_NAME: 'Ada Byron', BIRTH_DATE: '1815-12-10' };

/** The body of a quote that sends 10 000 units. */
export function quoteRequest(source: object, destination: object, change: object = {}) {
  return { source, destination, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 10_000, ...change };
}

export function askForQuote(
  sandbox: TestSandbox,
  source: object,
  destination: object,
  change: object = {},
): Promise<Answer> {
  return sandbox.send('POST', '/quotes', { body: quoteRequest(source, destination, change) });
}

/** Creates a quote; the request must succeed. */
export async function mustQuote(
  sandbox: TestSandbox,
  source: object,
  destination: object,
  change: object = {},
): Promise<Quote> {
  const answer = await askForQuote(sandbox, source, destination, change);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** Looks up a UMA address for a quote. Returns the id of the lookup. */
export async function lookUp(sandbox: TestSandbox, address: string): Promise<string> {
  const answer = await sandbox.send('GET', `/receiver/uma/${encodeURIComponent(address)}`);
  expect(answer.status).toBe(200);
  return answer.body.lookupId;
}

/** A quote to a UMA address, with the lookup and the data that the receiver requires. */
export async function mustQuoteUma(
  sandbox: TestSandbox,
  source: object,
  address: string,
  change: object = {},
  more: object = {},
): Promise<Quote> {
  const lookupId = await lookUp(sandbox, address);
  return mustQuote(sandbox, source, toUma(address, more), { lookupId, senderCustomerInfo: payerInfo, ...change });
}

export function execute(
  sandbox: TestSandbox,
  quoteId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return sandbox.send('POST', `/quotes/${quoteId}/execute`, { headers });
}

export async function readQuote(sandbox: TestSandbox, id: string): Promise<Quote> {
  return (await sandbox.send('GET', `/quotes/${id}`)).body;
}

export async function readTransaction(sandbox: TestSandbox, id: string): Promise<OutgoingTransaction> {
  return (await sandbox.send('GET', `/transactions/${id}`)).body;
}

/** What each place of the ledger holds, without empty places. The ledger must be sound. */
export async function books(sandbox: TestSandbox): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(Object.entries(await expectSound(sandbox)).filter(([, amount]) => amount !== 0));
}

/** Quotes, transactions and ledger, which must be the same after a refused request. */
export async function moneyState(sandbox: TestSandbox, quoteId?: string): Promise<unknown> {
  const quote = quoteId === undefined ? undefined : await readQuote(sandbox, quoteId);
  return { quote, transactions: await listTransactions(sandbox), books: await books(sandbox) };
}

/** The time this many seconds after a test's start. */
export const at = (seconds: number): string => new Date(startOfTime + seconds * 1000).toISOString();

/** Changes a customer; the request must succeed. */
export async function updateCustomer(sandbox: TestSandbox, id: string, change: object): Promise<void> {
  const answer = await sandbox.send('PATCH', `/customers/${id}`, { body: { customerType: 'INDIVIDUAL', ...change } });
  expect(answer.status).toBe(200);
}

/** A payer with euros, another customer, a bank account of the platform, and a lookup of each kind of receiver. */
export async function openSides() {
  const sandbox = await openBooks();
  const payer = await openPayer(sandbox, { EUR: 100_000, USD: 0, GBP: 0 }, { umaAddress: '$ada@pay.example' });
  const other = await openPayer(sandbox, { USD: 0, MXN: 0 }, { umaAddress: '$bo@pay.example' });
  const bank = await bankAccount(sandbox, '001');
  const otherBank = await bankAccount(sandbox, '000');
  const lookups = {
    usd: await lookUp(sandbox, '$success.usd@pay.example'),
    own: await lookUp(sandbox, '$ada@pay.example'),
    other: await lookUp(sandbox, '$bo@pay.example'),
    bank: (await sandbox.send('GET', `/receiver/external-account/${bank}`)).body.lookupId as string,
  };
  return { sandbox, payer, other, bank, otherBank, lookups, source: fromAccount(payer.account('EUR')) };
}
export type Sides = Awaited<ReturnType<typeof openSides>>;

/** A payer with euros, and a receiver of the platform at `$bo@pay.example`. */
export async function openReceiver() {
  const sandbox = await openBooks();
  const facts = { fullName: 'Ada Byron', birthDate: '1815-12-10', platformCustomerId: 'ada' };
  const payer = await openPayer(sandbox, { EUR: 100_000, USD: 0 }, facts);
  const named = { umaAddress: '$bo@pay.example', platformCustomerId: 'bo' };
  const receiver = await openPayer(sandbox, { USD: 0, MXN: 0 }, named);
  return { sandbox, payer, receiver, source: fromAccount(payer.account('EUR')) };
}
export type Receiving = Awaited<ReturnType<typeof openReceiver>>;
