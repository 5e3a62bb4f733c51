/**
 * Promise: the list shows every transaction that matches all filters once, in the requested order. A client that reads
 * pages while money moves misses nothing (D07, D74).
 */
import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  listTransactions,
  type Owner,
  openOwner,
  readTransaction,
  transferIn,
  transferOut,
} from '../support/scenes/transfers.ts';

testCommonRefusals('listTransactions', '/transactions');

/** Makes a customer with this platformCustomerId, once per sandbox, and gives it money. */
async function fundCalled(sandbox: TestSandbox, platformCustomerId: string): Promise<void> {
  const known = (await sandbox.send('GET', `/customers?platformCustomerId=${platformCustomerId}`)).body.data;
  const created = { customerType: 'INDIVIDUAL', platformCustomerId, currencies: ['USD'] };
  const customer = known[0] ?? (await sandbox.send('POST', '/customers', { body: created })).body;
  const accounts = await sandbox.send('GET', `/customers/internal-accounts?customerId=${customer.id}`);
  const path = `/sandbox/internal-accounts/${accounts.body.data[0].id}/fund`;
  expect((await sandbox.send('POST', path, { body: { amount: 1 } })).status).toBe(200);
}

testList({
  path: '/transactions',
  none: 'platformCustomerId=nobody',
  some: 'platformCustomerId=listed',
  wide: 'type=INCOMING',
  add: (sandbox) => fundCalled(sandbox, 'listed'),
  addOther: (sandbox) => fundCalled(sandbox, 'other'),
  otherPath: '/customers',
});

/** Two customers and the platform, and transactions of every kind, one second apart. PENDING ones stay PENDING. */
async function openHistory(): Promise<{ sandbox: TestSandbox; ada: Owner; grace: Owner; all: Transaction[] }> {
  const sandbox = await openPlatform(await openSandbox());
  const ada = await openOwner('000', { platformCustomerId: 'ada', umaAddress: '$ada@pay.example' }, sandbox);
  const grace = await openOwner('005', { platformCustomerId: 'grace' }, sandbox);
  const platform = (await sandbox.send('GET', '/platform/internal-accounts')).body.data[0];
  const steps = [
    () => transferOut(ada),
    () => transferIn(ada),
    () => transferOut(grace),
    () => transferIn(grace),
    () => sandbox.send('POST', `/sandbox/internal-accounts/${platform?.id}/fund`, { body: { amount: 7 } }),
    () =>
      sandbox.send('POST', '/sandbox/uma/receive', {
        body: {
          senderUmaAddress: '$Success.usd@Sender.example',
          receiverUmaAddress: '$ada@pay.example',
          receivingCurrencyCode: 'USD',
          receivingCurrencyAmount: 42,
        },
      }),
    () =>
      sandbox.send('POST', '/quotes', {
        body: {
          source: { sourceType: 'ACCOUNT', accountId: ada.internalId },
          destination: { destinationType: 'ACCOUNT', accountId: grace.euroId },
          lockedCurrencySide: 'SENDING',
          lockedCurrencyAmount: 1000,
          immediatelyExecute: true,
        },
      }),
  ];
  for (const step of steps) {
    await sandbox.advance(1);
    expect([200, 201]).toContain((await step()).status);
  }
  return { sandbox, ada, grace, all: await listTransactions(sandbox) };
}

const sideOf = (side: Transaction['source'] | Transaction['destination']): string | undefined => {
  if ('accountId' in side) return side.accountId;
  return 'umaAddress' in side ? side.umaAddress?.toLowerCase() : undefined;
};

test('every kind of movement is there once, the newest first, as it is when read alone', async () => {
  const { sandbox, all } = await openHistory();
  expect(all.map(({ type, status, source }) => `${type} ${status} ${source.sourceType}`)).toEqual([
    'INCOMING COMPLETED ACCOUNT',
    'OUTGOING COMPLETED ACCOUNT',
    'INCOMING COMPLETED UMA_ADDRESS',
    'INCOMING COMPLETED REALTIME_FUNDING',
    'INCOMING PENDING ACCOUNT',
    'OUTGOING PENDING ACCOUNT',
    'INCOMING COMPLETED ACCOUNT',
    'OUTGOING COMPLETED ACCOUNT',
    'INCOMING COMPLETED REALTIME_FUNDING',
    'INCOMING COMPLETED REALTIME_FUNDING',
  ]);
  for (const one of all) expect(await readTransaction(sandbox, one.id)).toEqual(one);
});

describe('filters', () => {
  test('each alone, and each pair of them, narrows the list as it says', async () => {
    const { sandbox, ada, grace, all } = await openHistory();
    const [newest, , , , , sixth] = all;
    type Filter = readonly [query: string, matches: (one: Transaction) => boolean];
    const touches = (id: string) => (one: Transaction) => [sideOf(one.source), sideOf(one.destination)].includes(id);
    const filters: readonly Filter[] = [
      [`customerId=${ada.customerId}`, ({ customerId }) => customerId === ada.customerId],
      ['platformCustomerId=grace', ({ platformCustomerId }) => platformCustomerId === 'grace'],
      [`accountIdentifier=${ada.internalId}`, touches(ada.internalId)],
      [`accountIdentifier=${grace.externalId}`, touches(grace.externalId)],
      ['accountIdentifier=$SUCCESS.usd@sender.EXAMPLE', touches('$success.usd@sender.example')],
      [`senderAccountIdentifier=${grace.internalId}`, ({ source }) => sideOf(source) === grace.internalId],
      ['senderAccountIdentifier=$success.USD@sender.example', ({ source }) => source.sourceType === 'UMA_ADDRESS'],
      [`receiverAccountIdentifier=${ada.internalId}`, ({ destination }) => sideOf(destination) === ada.internalId],
      ['status=PENDING', ({ status }) => status === 'PENDING'],
      ['status=COMPLETED', ({ status }) => status === 'COMPLETED'],
      ['status=REFUNDED', () => false],
      ['type=OUTGOING', ({ type }) => type === 'OUTGOING'],
      ['type=INCOMING', ({ type }) => type === 'INCOMING'],
      [
        `reference=${newest?.reconciliationInstructions?.reference}`,
        ({ reconciliationInstructions: one }) => one?.reference === newest?.reconciliationInstructions?.reference,
      ],
      [`startDate=${sixth?.createdAt}`, ({ createdAt = '' }) => createdAt >= (sixth?.createdAt ?? '')],
      [`endDate=${sixth?.createdAt}`, ({ createdAt = '' }) => createdAt <= (sixth?.createdAt ?? '')],
    ];
    for (const [query, matches] of filters) {
      const found = all.filter(matches);
      expect([query, await listTransactions(sandbox, query)]).toEqual([query, found]);
      if (!query.includes('REFUNDED')) expect([query, found.length]).not.toEqual([query, 0]);
      for (const [other, alsoMatches] of filters) {
        if (other.split('=')[0] === query.split('=')[0]) continue;
        const both = `${query}&${other}`;
        expect([both, await listTransactions(sandbox, both)]).toEqual([both, found.filter(alsoMatches)]);
      }
    }
  }, 30_000);

  test('the first moment after the last matches nothing', async () => {
    const { sandbox } = await openHistory();
    const query = 'startDate=2025-10-13T09:00:03Z&endDate=2025-10-13T09:00:02Z';
    expect(await listTransactions(sandbox, query)).toEqual([]);
  });

  test.each([
    'status=DONE',
    'type=SIDEWAYS',
    'sortOrder=up',
    'startDate=yesterday',
    'endDate=2025-02-30T00:00:00Z',
    'reference=',
    'accountIdentifier=',
  ])('%s is 400 at its place', async (query) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', `/transactions?${query}`);
    const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual([`query /${query.split('=')[0]}`]);
  });
});

describe('order', () => {
  test('asc is the reverse of desc, with any filter', async () => {
    const { sandbox, ada, all } = await openHistory();
    expect(await listTransactions(sandbox, 'sortOrder=desc')).toEqual(all);
    expect(await listTransactions(sandbox, 'sortOrder=asc')).toEqual(all.toReversed());
    const filter = `accountIdentifier=${ada.internalId}`;
    const filtered = await listTransactions(sandbox, filter);
    expect(await listTransactions(sandbox, `${filter}&sortOrder=asc`)).toEqual(filtered.toReversed());
  });

  test.each(['asc', 'desc'])('pages of any size together are the whole list, %s', async (order) => {
    const { sandbox, all } = await openHistory();
    const wanted = (order === 'asc' ? all.toReversed() : all).map(({ id }) => id);
    for (const limit of [1, 3, 10]) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const path = `/transactions?sortOrder=${order}&limit=${limit}${cursor}`;
        const { body } = await sandbox.send('GET', path);
        seen.push(...body.data.map(({ id }: Transaction) => id));
        cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
      } while (cursor !== '');
      expect(seen).toEqual(wanted);
    }
  });

  test("a cursor of one order isn't good for the other", async () => {
    const { sandbox } = await openHistory();
    for (const [made, used] of [
      ['asc', 'desc'],
      ['desc', 'asc'],
    ]) {
      const { body } = await sandbox.send('GET', `/transactions?limit=2&sortOrder=${made}`);
      const answer = await sandbox.send('GET', `/transactions?limit=2&sortOrder=${used}&cursor=${body.nextCursor}`);
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['query /cursor']);
    }
  });

  test('the default is desc, for cursors as well', async () => {
    const { sandbox } = await openHistory();
    const { body } = await sandbox.send('GET', '/transactions?limit=2');
    expect((await sandbox.send('GET', `/transactions?sortOrder=desc&cursor=${body.nextCursor}`)).status).toBe(200);
  });

  test('an ascending reader sees what is added meanwhile, at the end', async () => {
    const { sandbox, ada, all } = await openHistory();
    const { body } = await sandbox.send('GET', '/transactions?limit=6&sortOrder=asc');
    const added = await transferOut(ada);
    const rest = await sandbox.send('GET', `/transactions?limit=100&sortOrder=asc&cursor=${body.nextCursor}`);
    const ids = [...body.data, ...rest.body.data].map(({ id }: Transaction) => id);
    expect(ids).toEqual([...all.toReversed().map(({ id }) => id), added.body.id]);
  });
});

test('what changes between two pages stays in its place, and is found by its new status', async () => {
  const { sandbox, all } = await openHistory();
  const first = await sandbox.send('GET', '/transactions?limit=3');
  await sandbox.advance(30);
  const rest = await sandbox.send('GET', `/transactions?limit=100&cursor=${first.body.nextCursor}`);
  const ids = [...first.body.data, ...rest.body.data].map(({ id }: Transaction) => id);
  expect(ids).toEqual(all.map(({ id }) => id));
  expect(await listTransactions(sandbox, 'status=PENDING')).toEqual([]);
  expect((await listTransactions(sandbox, 'status=FAILED')).map(({ type }) => type)).toEqual(['INCOMING', 'OUTGOING']);
});

test('those of another platform are not there', async () => {
  const { sandbox, ada } = await openHistory();
  const other = await openPlatform(sandbox);
  expect(await listTransactions(other)).toEqual([]);
  expect(await listTransactions(other, `customerId=${ada.customerId}`)).toEqual([]);
});
