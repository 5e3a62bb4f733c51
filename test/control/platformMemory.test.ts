/**
 * Promise: a deleted platform gives back all memory that the process held for it (docs/how-to/deploy.md). Only short
 * lists of a limited number of ids remain.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { ChangeCounts } from '../../mocks/sandbox/sqlite/changeCounts.ts';
import { KnownRows } from '../../mocks/sandbox/store/known.ts';
import { recordTables } from '../../mocks/sandbox/store/store.ts';
import { createRefusals } from '../../mocks/sandbox/telemetry/refusals.ts';
import { openStore } from '../support/sandbox/database.ts';
import { basic, must, openSandbox } from '../support/sandbox/harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function settledHeap(): Promise<number> {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('platforms that came and went leave nothing of theirs in the store, the journal and the kept replies', async () => {
  const store = await openStore();
  onTestFinished(() => store.close());
  const sandbox = await openSandbox({ store });
  const { body } = await sandbox.control('POST', '/platforms', { body: {} });
  const authorization = basic(body.clientId, body.clientSecret);
  const held = () => [
    (store.changes?.ofPlatform(body.platformId, recordTables) ?? 0) > 0,
    store.known?.get(`${body.platformId} platform`) !== undefined,
  ];
  must(await sandbox.send('POST', '/customers', { authorization, body: { customerType: 'INDIVIDUAL' } }));
  for (const path of ['/customers', '/tokens', '/config']) must(await sandbox.send('GET', path, { authorization }));
  expect(held()).toEqual([store.changes !== undefined, store.known !== undefined]);
  must(await sandbox.control('DELETE', '/platform', { authorization }));
  expect(held()).toEqual([false, false]);
  expect((await sandbox.control('GET', '/metrics')).body).toMatch(/^countersign_journal_bytes 0$/m);
});

test('the counts of changes go, and a new platform under the same id starts with higher ones', () => {
  const counts = new ChangeCounts();
  counts.beginUnit('one');
  counts.note('customers');
  const before = counts.ofPlatform('one', ['customers']);
  counts.forget('one');
  expect(counts.ofPlatform('one', ['customers'])).toBe(0);
  counts.beginUnit('one');
  expect(counts.ofPlatform('one', ['customers'])).toBe(0);
  counts.note('customers');
  expect(counts.ofPlatform('one', ['customers'])).toBeGreaterThan(before);
});

test('the known rows go, and those of others stay', () => {
  const rows = new KnownRows();
  rows.set('one a', 1);
  rows.set('one-more a', 2);
  rows.forget('one ');
  expect([rows.get('one a'), rows.get('one-more a')]).toEqual([undefined, 2]);
});

test('hostile credentials take a bounded amount of memory', async () => {
  const refusals = createRefusals({ now: () => 0 });
  const fill = (from: number) => {
    for (let number = from; number < from + 5000; number += 1) {
      const address = `/${number}/${'x'.repeat(8000)}`;
      const raw = { request: { method: 'GET', address }, facts: {} };
      refusals.note({ reasonForOperator: 'UNKNOWN_CLIENT_ID', clientId: `name ${number}` }, raw, 401);
      refusals.note({ reasonForOperator: 'WRONG_SECRET', clientId: `name ${number}` }, raw, 401);
    }
  };
  fill(0);
  const before = await settledHeap();
  fill(5000);
  expect((await settledHeap()) - before).toBeLessThan(100_000);
});
