/** Promise: the console's journal loses no exchange and shows none twice, however reading and listening overlap. */
import { expect, test } from 'vitest';
import { JournalStore } from '../../console/platform/journal.ts';
import type { JournalEntry } from '../../generated/controlTypes.ts';

function entry(id: number, { status = 200, at = '09:00:00' } = {}): JournalEntry {
  return {
    id: String(id),
    operationId: 'listCustomers',
    startedAt: `2025-10-13T${at}.000Z`,
    durationMs: 1,
    request: { method: 'GET', url: 'http://localhost:4010/2025-10-13/customers', headers: {} },
    response: { status, headers: {} },
  };
}

const ids = (store: JournalStore) => store.entries().map(({ id }) => Number(id));

/** Receives entries, and waits until they are shown. */
async function hear(store: JournalStore, ...entries: JournalEntry[]): Promise<void> {
  const shown = new Promise<void>((resolve) => {
    const stop = store.subscribe(() => {
      stop();
      resolve();
    });
  });
  for (const one of entries) store.add(one);
  await shown;
}

test('what is heard comes first, newest first', async () => {
  const store = new JournalStore();
  store.begin();
  store.replace([entry(2), entry(1)]);
  await hear(store, entry(3), entry(4));
  expect(ids(store)).toEqual([4, 3, 2, 1]);
});

test('what is heard while the journal is read is neither lost nor shown twice', async () => {
  const store = new JournalStore();
  store.begin();
  await hear(store, entry(2), entry(3));
  store.add(entry(4));
  store.replace([entry(3), entry(2), entry(1)]);
  expect(ids(store)).toEqual([4, 3, 2, 1]);
  expect(store.minutes()).toEqual([{ at: Date.parse('2025-10-13T09:00:00Z') / 1000, requests: 4, refused: 0 }]);
});

test('a process that was started again begins again', async () => {
  const store = new JournalStore();
  store.begin();
  store.replace([entry(900), entry(899)]);
  store.begin();
  store.add(entry(2));
  store.replace([entry(1)]);
  expect(ids(store)).toEqual([2, 1]);
  await hear(store, entry(3));
  expect(ids(store)).toEqual([3, 2, 1]);
});

test('minutes count requests and refusals', () => {
  const store = new JournalStore();
  store.replace([entry(4, { at: '09:01:10' }), entry(3), entry(2, { status: 404 }), entry(1)]);
  expect(store.minutes().map(({ requests, refused }) => [requests, refused])).toEqual([
    [3, 1],
    [1, 0],
  ]);
});

test('at most a thousand are kept', async () => {
  const store = new JournalStore();
  store.replace(Array.from({ length: 1000 }, (_, at) => entry(1000 - at)));
  await hear(store, entry(1001));
  expect([ids(store).length, ids(store)[0], ids(store).at(-1)]).toEqual([1000, 1001, 2]);
});
