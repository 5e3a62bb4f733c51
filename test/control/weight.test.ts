/**
 * Promise: a platform learns how large it is: the records and bytes of each table, and all of them. They are those of its
 * snapshot, nothing of another platform is in them, and asking changes nothing.
 */
import { expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../package/control.ts';
import { openStore } from '../support/sandbox/database.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { multiplyQuote } from '../support/sandbox/manyDue.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openOwner, quote } from '../support/scenes/transfers.ts';

type Records = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** What a record takes in a snapshot besides its body. */
const beside = 48;

/** Weighs the records of a snapshot without the sandbox. */
async function weighSnapshot(sandbox: TestSandbox) {
  const snapshot = await sandbox.control('GET', '/snapshot');
  must(snapshot);
  const tables = Object.entries(snapshot.body.records as Records).map(([name, records]) => {
    const bodies = records.map(({ sequence: _, version: __, ...body }) => Buffer.byteLength(JSON.stringify(body)));
    return [name, { rows: records.length, bytes: bodies.reduce((sum, bytes) => sum + bytes + beside, 0) }] as const;
  });
  const sum = (key: 'rows' | 'bytes') => tables.reduce((all, [, weight]) => all + weight[key], 0);
  return { rows: sum('rows'), bytes: sum('bytes'), tables: Object.fromEntries(tables) };
}

async function weigh(sandbox: TestSandbox) {
  const answer = await sandbox.control('GET', '/weight');
  must(answer);
  return answer.body;
}

test('the weight is that of the snapshot, in parts and in all, in slices', async () => {
  const store = await openStore();
  onTestFinished(() => store.close());
  let now = 0;
  // Each look at the stopwatch finds that the slice is over.
  const sandbox = await openSandbox({ store, sliceStopwatch: () => (now += 10) });
  const one = await quote(await openOwner('000', { fullName: 'Zoë Größe' }, sandbox));
  await multiplyQuote(store, { platformId: 'sandbox', ...one }, 900);
  const weight = await weigh(sandbox);
  expect(weight.tables.quotes.rows).toBeGreaterThan(900);
  expect(weight).toEqual(await weighSnapshot(sandbox));
});

test('each platform has its own, and what is due does not happen for it', async () => {
  const sandbox = await openSandbox();
  const [platform, other] = [await openPlatform(sandbox), await openPlatform(sandbox)];
  const before = await weigh(other);
  expect(before.tables.customers).toEqual({ rows: 0, bytes: 0 });
  await quote(await openOwner('000', {}, platform));
  const grown = await weigh(platform);
  expect(grown.tables.effects.rows).toBe(1);
  expect(await weigh(platform)).toEqual(grown);
  expect(await weigh(other)).toEqual(before);
});

test('it is typed', async () => {
  const sandbox = await openSandbox();
  const control = createControl({ url: 'http://localhost:4010', fetch: sandbox.fetch });
  const { rows, bytes, tables } = await control.weight.get();
  expect({ rows, bytes, tables }).toEqual(await weigh(sandbox));
});
