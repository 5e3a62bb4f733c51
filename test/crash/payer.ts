/** A client of a sandbox that may be killed at any time. It remembers its requests and the answers. */
import { expect } from 'vitest';
import type { Random } from '../support/requests/random.ts';
import { basic } from '../support/sandbox/harness.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly replayed: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: callers read any field of an answer
  readonly body: any;
}

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

/** Sends a request of the default platform; `path` is relative to `base`, or begins with `/__sandbox`. */
export async function ask(base: string, method: string, path: string, body?: object, key?: string): Promise<Reply> {
  const address = path.startsWith('/__sandbox') ? new URL(base).origin + path : base + path;
  const response = await fetch(address, {
    method,
    headers: { ...headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const replayed = response.headers.get('idempotency-replayed') === 'true';
  return { status: response.status, headers: response.headers, replayed, text, body: JSON.parse(text) };
}

/** A request with an Idempotency-Key, and the bytes of its reply if there was one. */
interface Sent {
  readonly key: string;
  readonly path: string;
  readonly body: object | undefined;
  /** How it changes the balance of the account. */
  readonly change: number;
  /** Whether it makes a transaction. */
  readonly moves: boolean;
  text?: string;
}

/** Requests and their results. */
export interface Memory {
  readonly sent: Sent[];
  /** The replies, to the byte, by address. */
  readonly records: Map<string, string>;
  /** The names of all requested customers, each with the bytes of the reply if there was one. */
  readonly people: Map<string, string | undefined>;
}

/** What a payer knows for certain, and its requests without an answer. */
export interface Payer {
  readonly customerId: string;
  readonly accountId: string;
  readonly bankId: string;
  readonly random: Random;
  readonly newKey: () => string;
  balance: number;
  /** How many times it has put money into its account. */
  fundings: number;
  /** Since the last examination. */
  recent: Memory;
  /** Before the last examination. */
  readonly older: Memory;
  /** An amount that it has paid itself, if the answer hasn't come yet. */
  funding: number | undefined;
}

/** The service has refused because its store isn't available. This is the only allowed failure. */
export class Refused extends Error {}

async function must(base: string, method: string, path: string, body?: object, key?: string): Promise<Reply> {
  const reply = await ask(base, method, path, body, key);
  if (reply.status === 503 && reply.body.code === 'STORAGE_UNAVAILABLE') throw new Refused(path);
  expect([method, path, reply.status, reply.text]).toEqual([
    method,
    path,
    [200, 201].find((one) => one === reply.status),
    expect.anything(),
  ]);
  return reply;
}

const account = {
  accountType: 'USD_ACCOUNT',
  accountNumber: '000123456000',
  routingNumber: '021000021',
  beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' },
};
const firstSum = 1_000_000_000;

const nothing = (): Memory => ({ sent: [], records: new Map(), people: new Map() });

/** A customer with money in an account and a bank account. All of these requests were answered. */
export async function openPayer(base: string, number: number, random: Random): Promise<Payer> {
  const made = await must(base, 'POST', '/customers', {
    customerType: 'INDIVIDUAL',
    currencies: ['USD'],
    platformCustomerId: `payer-${number}`,
  });
  const customerId: string = made.body.id;
  const accounts = await must(base, 'GET', `/customers/internal-accounts?customerId=${customerId}`);
  const accountId: string = accounts.body.data[0].id;
  await must(base, 'POST', `/sandbox/internal-accounts/${accountId}/fund`, { amount: firstSum });
  const bank = await must(base, 'POST', '/customers/external-accounts', {
    currency: 'USD',
    customerId,
    accountInfo: account,
  });
  let keys = 0;
  const newKey = (): string => {
    keys += 1;
    return `${String(number).padStart(8, '0')}-0000-4000-8000-${String(keys).padStart(12, '0')}`;
  };
  const recent = { ...nothing(), records: new Map([[`/customers/${customerId}`, made.text]]) };
  const memory = { recent, older: nothing(), funding: undefined };
  return { customerId, accountId, bankId: bank.body.id, random, newKey, balance: firstSum, fundings: 1, ...memory };
}

/** Sends one request, and notes it before and after. Throws if there is no answer, or {@link Refused}. */
export async function step(base: string, payer: Payer): Promise<void> {
  const { random } = payer;
  const amount = 1 + random.below(1000);
  await random.pick([addPerson, fund, payOut, payOut, payIn, payByQuote, payByQuote])(base, payer, amount);
}

async function addPerson(base: string, payer: Payer): Promise<void> {
  const platformCustomerId = payer.newKey();
  payer.recent.people.set(platformCustomerId, undefined);
  const body = { customerType: 'INDIVIDUAL', currencies: ['USD', 'EUR'], platformCustomerId };
  const { text } = await must(base, 'POST', '/customers', body);
  payer.recent.people.set(platformCustomerId, text);
}

async function fund(base: string, payer: Payer, amount: number): Promise<void> {
  payer.funding = amount;
  await must(base, 'POST', `/sandbox/internal-accounts/${payer.accountId}/fund`, { amount });
  noteFunding(payer, amount);
}

/** Notes that the pending amount has arrived. */
export function noteFunding(payer: Payer, amount: number): void {
  payer.balance += amount;
  payer.fundings += 1;
  payer.funding = undefined;
}

async function payOut(base: string, payer: Payer, amount: number): Promise<void> {
  const ends = { source: { accountId: payer.accountId }, destination: { accountId: payer.bankId } };
  await sendOnce(base, payer, '/transfer-out', { ...ends, amount }, -amount);
}

async function payIn(base: string, payer: Payer, amount: number): Promise<void> {
  const ends = { source: { accountId: payer.bankId }, destination: { accountId: payer.accountId } };
  await sendOnce(base, payer, '/transfer-in', { ...ends, amount }, amount);
}

async function payByQuote(base: string, payer: Payer, amount: number): Promise<void> {
  const quote = await sendOnce(base, payer, '/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: payer.accountId },
    destination: { destinationType: 'ACCOUNT', accountId: payer.bankId },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: amount,
  });
  await sendOnce(base, payer, `/quotes/${quote.body.id}/execute`, undefined, -amount);
}

async function sendOnce(base: string, payer: Payer, path: string, body?: object, change = 0): Promise<Reply> {
  const sent: Sent = { key: payer.newKey(), path, body, change, moves: change !== 0 };
  payer.recent.sent.push(sent);
  const reply = await must(base, 'POST', path, body, sent.key);
  settle(payer, sent, reply);
  return reply;
}

/** Notes that a request was answered. */
export function settle(payer: Payer, sent: Sent, { text, body }: Reply): void {
  sent.text = text;
  payer.balance += sent.change;
  if (!sent.moves) return;
  const isQuote = sent.path.startsWith('/quotes/');
  payer.recent.records.set(isQuote ? `/quotes/${body.id}` : `/transactions/${body.id}`, text);
}

/** Moves what was examined to the older memory, or moves all of it back. */
export function putAside(payer: Payer): void {
  const { recent, older } = payer;
  older.sent.push(...recent.sent);
  for (const [path, text] of recent.records) older.records.set(path, text);
  for (const [name, text] of recent.people) older.people.set(name, text);
  payer.recent = nothing();
}
