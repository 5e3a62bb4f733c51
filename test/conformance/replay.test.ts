/**
 * Promise: every difference from a recorded reply is found once, at its place. A drift of the sandbox is named by its
 * operation. What can't be replayed has a reason. A recording of another service by another recorder can be replayed
 * too.
 */
import type { Entry } from 'har-format';
import { describe, expect, test } from 'vitest';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { playAll, readRecording, tell } from '../support/requests/replayed.ts';
import { byLength, sample } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: a row may change any field of a recorded body
type Body = any;

/** Changes the recorded reply of an entry. */
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
  /** The expected finding, without its index. */
  readonly found: string;
  /** Whether amounts are compared by how they follow from each other. */
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
    mutate: (body) => (body.totalReceivingAmount = Math.round((100 / 0.0543) * 100)),
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
    name: "a number that isn't money",
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
    name: 'an invalid time',
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
  test.each(sample(mutations, 14))('$name', async ({ file, index, mutate, found, related }) => {
    const { fetch } = await openSandbox();
    const entries = readRecording(file);
    change(entries, index, mutate);
    const upToThere = entries.slice(0, index + 1);
    expect(tell(await playAll(upToThere, { fetch, exact: related !== true }))).toEqual([`${index} ${found}`]);
  });
});

describe('a sandbox that has drifted', () => {
  const drifted = {
    'another status': {
      getTransaction: operation('getTransaction', {
        handle: async () => Promise.reject(new Problem('TRANSACTION_NOT_FOUND', 'It is gone.')),
      }),
    },
    'amounts rounded up': {
      createQuote: operation('createQuote', {
        async handle(call, unit, prepared) {
          const reply = await handlers.createQuote.handle(call, unit, prepared);
          if (reply instanceof Problem) return reply;
          return { ...reply, body: { ...reply.body, totalReceivingAmount: reply.body.totalReceivingAmount + 1 } };
        },
      }),
    },
    'another order of checks': {
      // Reports a closed wallet only after the other checks.
      createCredential: operation('createCredential', {
        ...handlers.createCredential,
        async handle(call, unit, prepared) {
          return Promise.resolve(handlers.createCredential.handle(call, unit, prepared)).catch((error: unknown) => {
            const isClosed = error instanceof Problem && error.code === 'INVALID_INPUT';
            throw isClosed ? new Problem('EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS', 'There is one.') : error;
          });
        },
      }),
    },
  };

  test.each<[keyof typeof drifted, file: string, found: string[]]>([
    ['another status', quote, ['9 getTransaction response.status replay/status']],
    [
      'amounts rounded up',
      quote,
      [6, 16].map((index) => `${index} createQuote response.body /totalReceivingAmount replay/amount`),
    ],
    [
      'another order of checks',
      'sandbox-first-credential.har',
      ['11 createCredential response.body /code replay/code'],
    ],
  ])('%s: found, and named by its operation', async (drift, file, found) => {
    const { fetch } = await openSandbox({ handlers: { ...handlers, ...drifted[drift] } });
    expect(tell(await playAll(readRecording(file), { fetch }))).toEqual(found);
  });

  test('what follows from a difference names the entry that it follows from', async () => {
    const createExternalAccount = operation('createExternalAccount', {
      handle: async () => Promise.reject(new Problem('USER_NOT_FOUND', 'Nobody.')),
    });
    const { fetch } = await openSandbox({ handlers: { ...handlers, createExternalAccount } });
    const played = await playAll(readRecording(quote).slice(0, 8), { fetch });
    const lost = 'names ExternalAccount:0199dadd-e800-73ee-a90c-d5b4b2c7f4b7';
    expect(tell(played)).toEqual([
      '3 createExternalAccount response.status replay/status',
      `5 unplayable: ${lost} (path), which entry 3 gave in the recording, and not here`,
      `6 unplayable: ${lost} (body), which entry 3 gave in the recording, and not here`,
      '7 unplayable: names Quote:0199dadd-e800-74bf-96a3-9ba0fa66ed9c (path), which entry 6 gave in the recording, and not here',
    ]);
    const isConsequence = played.map((one) => one.kind === 'unplayable' && one.isConsequence);
    expect(isConsequence.slice(5)).toEqual([true, true, true]);
  });
});

describe("an entry that can't be played says why", () => {
  test.each<[name: string, entries: () => Entry[], found: string]>([
    [
      'an id that was never given',
      () => readRecording(quote).slice(2, 3),
      '0 unplayable: names InternalAccount:0199dadd-e800-7343-b037-9b0eed2a9287 (path), which no earlier reply of the recording has given',
    ],
    [
      'an id in the query',
      () => readRecording('sandbox-revocation.har').slice(12, 13),
      '0 unplayable: names InternalAccount:0199dadd-e800-74a9-a0bb-e92bb1b4ba58 (query accountId), which no earlier reply of the recording has given',
    ],
    [
      "an agent's token that was never given",
      () => readRecording('sandbox-agent.har').slice(8, 9),
      "0 unplayable: is sent with an agent's token, which no earlier reply of the recording has given",
    ],
    [
      'a body that was not recorded',
      () => {
        const [entry] = readRecording(quote) as [Entry];
        return [{ ...entry, request: { ...entry.request, postData: undefined, bodySize: 72 } } as unknown as Entry];
      },
      '0 unplayable: has a request body that the recording does not have. Record with bodies',
    ],
    [
      'a form',
      () => {
        const [entry] = readRecording(quote) as [Entry];
        const postData = {
          mimeType: 'application/x-www-form-urlencoded',
          params: [{ name: 'fullName', value: 'Ada' }],
        };
        return [{ ...entry, request: { ...entry.request, postData } } as unknown as Entry];
      },
      "0 unplayable: has a request body that can't be sent again: it is a form",
    ],
  ])('%s', async (_name, entries, found) => {
    const { fetch } = await openSandbox();
    expect(tell(await playAll(entries(), { fetch }))).toEqual([found]);
  });

  test("an id that nobody knew in the recording either isn't a hindrance", async () => {
    const { fetch } = await openSandbox();
    const [entry] = readRecording('sandbox-session-refresh.har').slice(13, 14);
    expect(tell(await playAll([entry as Entry], { fetch }))).toEqual([]);
  });
});

/** An entry as another recorder writes it, of a service on another host, two years later. */
function restyle(entry: Entry): Entry {
  const text = JSON.stringify(entry)
    .replaceAll('http://localhost:4010/2025-10-13', 'https://api.payments.example/grid/2025-10-13')
    .replaceAll(/[0-9a-f]{8}-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})/g, 'cz$4Q$1$2$3')
    .replaceAll('2025-10-', '2027-10-')
    .replaceAll('/2027-10-13', '/2025-10-13')
    .replaceAll('Sandbox Bank', 'Bank of Elsewhere');
  const { request, response, startedDateTime } = JSON.parse(text) as Entry;
  const { method, url, headers, postData } = request;
  // Headers that browsers leave out, and headers that recorders never had.
  const kept = headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const content = { mimeType: 'application/json', encoding: 'base64', text: btoa(response.content.text ?? '') };
  const pseudo = [{ name: ':authority', value: 'api.payments.example' }];
  return {
    startedDateTime,
    request: { method, url, headers: [...pseudo, ...kept], ...(postData === undefined ? {} : { postData }) },
    response: { status: response.status, headers: [], ...(response.status === 204 ? {} : { content }) },
  } as unknown as Entry;
}

describe("a recording in another service's style", () => {
  test.each(
    byLength(
      [quote, 'sandbox-agent.har'],
      [quote, 'sandbox-agent.har', 'sandbox-quote-from-wallet.har', transfer, pages],
    ),
  )('%s plays', async (file) => {
    const { fetch } = await openSandbox();
    const entries = readRecording(file).map(restyle);
    const played = await playAll(entries, { fetch, exact: false });
    expect(tell(played)).toEqual([]);
    expect(played.map(({ kind }) => kind)).toEqual(entries.map(() => 'played'));
  });

  test('below an address without a version', async () => {
    const { fetch } = await openSandbox();
    const entries = readRecording(transfer)
      .map(restyle)
      .map((entry) => {
        const url = entry.request.url.replace('/grid/2025-10-13', '/grid');
        return { ...entry, request: { ...entry.request, url } };
      });
    const bases = ['https://api.payments.example/grid'];
    const played = await playAll(entries, { fetch, exact: false, bases });
    expect(tell(played)).toEqual([]);
    expect(played.every(({ kind }) => kind === 'played')).toBe(true);
  });

  test('lists that held more before the recording began are compared as far as it made them', async () => {
    const { fetch } = await openSandbox();
    const entries = readRecording(credential).map(restyle);
    const list = entries[10] as Entry;
    const body = JSON.parse(atob(list.response.content.text ?? ''));
    body.data.push({ ...body.data[0], id: 'AuthMethod:older', nickname: 'Old phone' });
    list.response.content.text = btoa(JSON.stringify(body));
    const registered = entries.filter((_entry, index) => [0, 1, 2, 3, 10].includes(index));
    // Without the second credential, which the recording lists as an older one.
    expect(tell(await playAll(registered, { fetch, exact: false }))).toEqual([]);
  });
});

test('a value of its own: two secrets that are masked alike are told apart by what is named beside them', async () => {
  const { fetch } = await openSandbox();
  const entries = readRecording('sandbox-agent.har');
  const [first, codes] = [entries.slice(0, 9), entries.slice(4, 8)];
  const again = JSON.parse(
    JSON.stringify(codes)
      .replaceAll('77c3-8d24-daa5daf7061b', '7aaa-8aaa-aaaaaaaaaaaa')
      .replaceAll('Bill payer', 'Saver'),
  ) as Entry[];
  // The second agent is made and connected before the first one's token is used.
  const played = await playAll([...first.slice(0, 8), ...again, ...first.slice(8)], { fetch });
  expect(tell(played)).toEqual([]);
});

test('a clock that moves by the recording makes what is due happen', async () => {
  const { fetch } = await openSandbox();
  const entries = readRecording('sandbox-transfer-suffixes.har');
  const standing = entries.map((entry) => ({ ...entry, startedDateTime: entries[0]?.startedDateTime ?? '' }));
  const found = tell(await playAll(standing, { fetch }));
  expect(found.filter((line) => /^4[56] getTransaction response.body \/status replay\/value$/.test(line))).toHaveLength(
    2,
  );
});
