/**
 * Promise: long work on one platform is done in slices, and other platforms are answered in between. A snapshot is of
 * one instant, and its size is known before anything is read.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashJson } from '../../mocks/sandbox/tools/bytes.ts';
import { pour, ReaderLeft } from '../../mocks/sandbox/tools/pour.ts';
import { largestSnapshot } from '../../mocks/sandbox/worlds/snapshot.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { engine, openStore } from '../support/sandbox/database.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { multiply } from '../support/sandbox/multiply.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';
import { expectSound, openOwner, transferOut } from '../support/scenes/transfers.ts';

/** A stopwatch by which every step takes a whole slice. */
function slowStopwatch(): () => number {
  let now = 0;
  return () => {
    now += 10;
    return now;
  };
}

/** Two platforms on one store. The first is large, and every page of its records is a slice. */
async function openLargeAndSmall(times = 100) {
  const store = await openStore();
  onTestFinished(() => store.close());
  const sandbox = await openSandbox({ store, sliceStopwatch: slowStopwatch() });
  const [large, small] = [await openPlatform(sandbox), await openPlatform(sandbox)];
  const owner = await openOwner('000', {}, large);
  must(await transferOut(owner));
  await large.advance(3600);
  must(await large.send('GET', '/transactions'));
  await store.transaction(large.platformId, (tx) => multiply(tx, large.platformId, times), 'large');
  return { store, sandbox, large, small, owner };
}

/** Writes on a platform, one request after the other, until the work ends. @returns how many were answered before */
async function countDuring(platform: TestSandbox, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let count = 0;
  while (!isOver) {
    must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    if (!isOver) count += 1;
  }
  await ended;
  return count;
}

const take = (platform: TestPlatform) => platform.control('GET', '/snapshot');

describe('while a platform does something long, another one is answered', () => {
  test.each<[name: string, work: (large: TestPlatform) => Promise<unknown>]>([
    ['a snapshot', async (large) => must(await take(large))],
    ['a check of the books', (large) => expectSound(large)],
  ])('%s', async (_name, work) => {
    const { large, small } = await openLargeAndSmall();
    const answered = await countDuring(small, work(large));
    // On PostgreSQL, nobody shares the transaction, and it can be over before the other platform is answered once.
    if (engine() !== 'PostgreSQL') expect(answered).toBeGreaterThan(2);
  });
});

describe('a snapshot', () => {
  test('has every record, and the digest of its canonical text', async () => {
    const { large } = await openLargeAndSmall();
    const { digest, ...content } = (await take(large)).body;
    expect(content.records.transactions).toHaveLength(202);
    expect(new Set(content.records.postings.map(({ id }: { id: string }) => id)).size).toBe(
      content.records.postings.length,
    );
    expect(hashJson(content)).toBe(digest);
  });

  test('is of one instant, although the platform has more to do', async () => {
    const { large, owner } = await openLargeAndSmall();
    const taken = take(large);
    // They arrive while it is taken, and wait.
    const later = Array.from({ length: 5 }, () => transferOut(owner));
    const { records } = (await taken).body;
    for (const answer of await Promise.all(later)) must(answer, 201);
    const sums = new Map<string, number>();
    for (const { accountId, amount } of records.postings) sums.set(accountId, (sums.get(accountId) ?? 0) + amount);
    for (const { id, balance } of records.internal_accounts) expect([id, sums.get(id) ?? 0]).toEqual([id, balance]);
  });

  test('that would be too large is refused before anything is read', async () => {
    const { store, large } = await openLargeAndSmall(1);
    await store.transaction(large.platformId, (tx) =>
      tx.execute({ sql: `update counters set count = ${largestSnapshot} where name = 'bytes'`, parameters: [] }),
    );
    const { message } = expectRefusal(await take(large), 413, 'PAYLOAD_TOO_LARGE');
    expect(message).toMatch(/^This platform is too large for a snapshot: it would have \d+ bytes, and at most/);
  });

  test('has about the size that was counted while its records were written', async () => {
    const { store, large } = await openLargeAndSmall();
    const owner = await openOwner('003', {}, large);
    must(await transferOut(owner));
    await large.advance(3600);
    must(
      await large.send('PATCH', `/customers/${owner.customerId}`, {
        body: { customerType: 'INDIVIDUAL', fullName: 'Ada King' },
      }),
    );
    const { records } = (await take(large)).body;
    const counted = await store.transaction(large.platformId, (tx) =>
      tx.execute({
        sql: `select count from counters where name = 'bytes' and platform_id = '${large.platformId}'`,
        parameters: [],
      }),
    );
    const weights = (Object.values(records) as object[][]).flat().map((record) => {
      const { sequence: _sequence, version: _version, ...body } = record as Record<string, unknown>;
      return new TextEncoder().encode(JSON.stringify(body)).length + 48;
    });
    expect(Number(counted.rows[0]?.['count'])).toBe(weights.reduce((sum, weight) => sum + weight, 0));
  });
});

describe('a stream whose writer holds something', () => {
  test('ends the writer if its reader leaves', async () => {
    let ended: unknown;
    const stream = pour(async (give) => {
      try {
        for (;;) await give('more');
      } catch (error) {
        ended = error;
        throw error;
      }
    });
    await stream.next();
    await stream.return(undefined);
    expect(ended).toBeInstanceOf(ReaderLeft);
  });

  test('ends the writer if its reader is too slow, and the reader learns of it', async () => {
    const ended = Promise.withResolvers<unknown>();
    const write = async (give: (text: string) => Promise<void>) => give('one').catch(ended.reject);
    const stream = pour(write, { atAllMs: 0, perMiBMs: 0 });
    await stream.next();
    await expect(ended.promise).rejects.toBeInstanceOf(ReaderLeft);
  });

  test("passes the writer's error on, after what was written", async () => {
    const stream = pour(async (give) => {
      await give('one');
      throw new RangeError('mine');
    });
    expect(new TextDecoder().decode((await stream.next()).value)).toBe('one');
    await expect(stream.next()).rejects.toThrow(RangeError);
  });
});
