/**
 * Promise: whatever a recorded reply says otherwise is found once, in its place; a drift of the sandbox is named by its
 * operation; what can't be played says why; and a recording that another recorder made of another service plays too.
 */
import type { Entry } from 'har-format';
import { describe, expect, test } from 'vitest';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { playAll, readRecording, tell } from '../support/requests/replayed.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: a recorded body, in which a row changes what it knows to be there
type Body = any;

/** Changes what an entry has recorded of the reply. */
function change(entries: readonly Entry[], index: number, mutate: (body: Body, entry: Entry) => unknown): void {
  const entry = entries[index] as Entry;
  const { text = '' } = entry.response.content;
  const body = text === '' ? undefined : JSON.parse(text);
  mutate(body, entry);
  if (body !== undefined) entry.response.content.text = JSON.stringify(body);
}

const quote = 'sandbox-quote-from-account.har';
const credential = 'sandbox-additional-credential.har';
const pages = 'sandbox-pagination.har';
const transfer = 'sandbox-transfer.har';

interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly index: number;
  readonly mutate: (body: Body, entry: Entry) => unknown;
  /** What is found, without its index. */
  readonly found: string;
  /** Amounts by how they follow from each other. */
  readonly related?: true;
}

const status = (to: number) => (_body: Body, entry: Entry) => Object.assign(entry.response, { status: to });
const header = (name: string, value: string | undefined) => (_body: Body, entry: Entry) => {
  const others = entry.response.headers.filter((line) => line.name !== name);
  const lines = value === undefined ? others : [...others, { name, value }];
  Object.assign(entry.response, { headers: lines });
};
const challenge = 'WWW-Authenticate';
const other = '0199dadd-e800-7fff-8fff-ffffffffffff';

const mutations: readonly Mutation[] = [
  { name: 'a status', file: quote, index: 18, mutate: status(203), found: 'getQuote response.status replay/status' },
  {
    name: 'a refusal that was a success',
    file: quote,
    index: 8,
    mutate: status(200),
    found: 'executeQuote response.status replay/status',
  },
  {
    name: 'a code',
    file: quote,
    index: 8,
    mutate: (body) => (body.code = 'QUOTE_EXPIRED'),
    found: 'executeQuote response.body /code replay/code',
  },
  {
    name: 'a reason',
    file: credential,
    index: 6,
    mutate: (body) => (body.reason = 'Invalid OTP code'),
    found: 'createCredential response.body /reason replay/reason',
  },
  {
    name: 'a field that we lack',
    file: quote,
    index: 6,
    mutate: (body) => (body.purpose = 'RENT'),
    found: 'createQuote response.body /purpose replay/missing',
  },
  {
    name: 'a field that we add',
    file: quote,
    index: 6,
    mutate: (body) => delete body.rateDetails.counterpartyFixedFee,
    found: 'createQuote response.body /rateDetails/counterpartyFixedFee replay/extra',
  },
  {
    name: 'a type',
    file: quote,
    index: 6,
    mutate: (body) => (body.feesIncluded = String(body.feesIncluded)),
    found: 'createQuote response.body /feesIncluded replay/type',
  },
  {
    name: 'null',
    file: quote,
    index: 6,
    mutate: (body) => (body.counterpartyInformation = null),
    found: 'createQuote response.body /counterpartyInformation replay/type',
  },
  {
    name: 'a listed word',
    file: quote,
    index: 7,
    mutate: (body) => (body.status = 'PROCESSING'),
    found: 'executeQuote response.body /status replay/value',
  },
  {
    name: 'a yes or no',
    file: quote,
    index: 0,
    mutate: (body) => (body.isDeleted = true),
    found: 'createCustomer response.body /isDeleted replay/value',
  },
  {
    name: 'what the request said',
    file: quote,
    index: 6,
    mutate: (body) => (body.destination.currency = 'USD'),
    found: 'createQuote response.body /destination/currency replay/value',
  },
  {
    name: 'an amount',
    file: quote,
    index: 6,
    mutate: (body) => (body.totalReceivingAmount += 1),
    found: 'createQuote response.body /totalReceivingAmount replay/amount',
  },
  {
    name: 'fees on top of the sending amount',
    file: quote,
    index: 6,
    related: true,
    mutate: (body) => (body.totalReceivingAmount = Math.round(100 / 0.0543 * 100)),
    found: 'createQuote response.body /totalReceivingAmount replay/relation',
  },
  {
    name: 'an amount that was asked for',
    file: transfer,
    index: 4,
    related: true,
    mutate: (body) => (body.sentAmount.amount = 2400),
    found: 'createTransferOut response.body /sentAmount/amount replay/amount',
  },
  {
    name: 'a number that is no money',
    file: pages,
    index: 6,
    related: true,
    mutate: (body) => (body.totalCount = 4),
    found: 'listExternalAccounts response.body /totalCount replay/amount',
  },
  {
    name: 'a time',
    file: quote,
    index: 6,
    mutate: (body) => (body.expiresAt = '2025-10-13T00:15:00.000Z'),
    found: 'createQuote response.body /expiresAt replay/time',
  },
  {
    name: 'a time that is none',
    file: quote,
    index: 6,
    mutate: (body) => (body.expiresAt = 'in five minutes'),
    found: 'createQuote response.body /expiresAt replay/form',
  },
  {
    name: 'another order',
    file: credential,
    index: 10,
    mutate: (body) => body.data.reverse(),
    found: 'listCredentials response.body /data replay/order',
  },
  {
    name: 'a name of something else',
    file: quote,
    index: 16,
    mutate: (body) => (body.source.customerId = 'Customer:0199dadd-e800-74dd-8e35-4bce163d82b4'),
    found: 'createQuote response.body /source/customerId replay/reference',
  },
  {
    name: 'an item too few',
    file: credential,
    index: 10,
    mutate: (body) => body.data.pop(),
    found: 'listCredentials response.body /data replay/length',
  },
  {
    name: 'the end of a page',
    file: pages,
    index: 8,
    mutate: (body) => (body.hasMore = true),
    found: 'listExternalAccounts response.body /hasMore replay/value',
  },
  {
    name: 'a cursor at the end',
    file: pages,
    index: 8,
    mutate: (body) => (body.nextCursor = 'AAAAAAAAACSJCsU2lzH-eUZ6Cgp86H3y'),
    found: 'listExternalAccounts response.body /nextCursor replay/missing',
  },
  {
    name: 'an id of another type',
    file: quote,
    index: 5,
    mutate: (body) => (body.lookupId = `Search:${other}`),
    found: 'lookUpExternalAccountReceiver response.body /lookupId replay/form',
  },
  {
    name: 'a secret of another form',
    file: credential,
    index: 3,
    mutate: (body) => (body.encryptedSessionSigningKey = 'aA1'),
    found: 'verifyCredential response.body /encryptedSessionSigningKey replay/form',
  },
  {
    name: 'what is to be signed',
    file: credential,
    index: 4,
    mutate: (body) => (body.payloadToSign = body.payloadToSign.replace('Laptop', 'Phone')),
    found: 'createCredential response.body /payloadToSign replay/inner',
  },
  {
    name: 'a header that we add',
    file: credential,
    index: 5,
    mutate: header(challenge, undefined),
    found: 'createCredential response.headers /WWW-Authenticate replay/extra',
  },
  {
    name: 'a header that we lack',
    file: transfer,
    index: 4,
    mutate: header('Idempotency-Replayed', 'true'),
    found: 'createTransferOut response.headers /Idempotency-Replayed replay/missing',
  },
  {
    name: "a header's value",
    file: credential,
    index: 5,
    mutate: header(challenge, 'Bearer'),
    found: 'createCredential response.headers /WWW-Authenticate replay/value',
  },
];

describe('one fact changed in a recording is found once, and there', () => {
  test.each(mutations)('$name', async ({ file, index, mutate, found, related }) => {
    const { fetch } = await openSandbox();
    const entries = readRecording(file);
    change(entries, index, mutate);
    const upToThere = entries.slice(0, index + 1);
    expect(tell(await playAll(upToThere, { fetch, exact: related !== true }))).toEqual([`${index} ${found}`]);
  });
});
