/**
 * Promise: this version can open data files and snapshots of earlier versions with all their content. Payments that
 * were on their way continue, and idempotency keys still work. `written/` has one folder per version, made by that
 * version's code and never changed. To add one, write the same files with the new commit.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { key } from '../support/requests/idempotency.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { expectSound } from '../support/scenes/transfers.ts';

const folder = join(import.meta.dirname, 'written');

/** The version's own last answers, without agents' `usage`, whose reset dates were wrong. */
interface Seen {
  readonly agentToken: string;
  readonly lists: Record<string, { readonly data: readonly object[]; readonly totalCount: number }>;
}

/** The amounts of two transfers: the one with the {@link key}, and the one that was on its way. */
const [paid, onItsWay] = [2500, 1000];

const listDue = async (sandbox: TestSandbox) =>
  (await sandbox.control('GET', '/due')).body.data.map(({ kind, subjectId }: Record<string, string>) => [
    kind,
    subjectId,
  ]);

describe.each(readdirSync(folder))('written by %s', (version) => {
  const read = (name: string) => readFileSync(join(folder, version, name));
  const seen = JSON.parse(read('seen.json').toString()) as Seen;
  const transfers = seen.lists['/transactions?limit=100']?.data as readonly {
    readonly id: string;
    readonly sentAmount?: { readonly amount: number };
    readonly status: string;
    readonly quoteId?: string;
  }[];
  const transferOf = (amount: number) => transfers.find(({ sentAmount }) => sentAmount?.amount === amount);

  async function openFile(): Promise<TestSandbox> {
    const file = join(temporaryFolder(), 'data.sqlite');
    writeFileSync(file, gunzipSync(read('data.sqlite.gz')));
    const store = await openSqlite(file);
    onTestFinished(() => store.close());
    return openSandbox({ store });
  }

  async function openSnapshot(): Promise<TestSandbox> {
    const sandbox = await openSandbox();
    must(await sandbox.control('PUT', '/snapshot', { text: gunzipSync(read('snapshot.json.gz')).toString() }));
    return sandbox;
  }

  test.each([
    ['a data file', openFile],
    ['a snapshot', openSnapshot],
  ] as const)('%s opens, and everything in it continues', async (_, open) => {
    const sandbox = await open();
    for (const [path, list] of Object.entries(seen.lists)) {
      const { body } = await sandbox.send('GET', path);
      expect([path, body.totalCount]).toEqual([path, list.totalCount]);
      // Later versions may add fields to a record, but not change any.
      expect(body.data, path).toMatchObject(list.data);
    }
    // Not the expiry of the quote that was executed, which those versions kept.
    const waiting = transfers.find(({ quoteId, status }) => quoteId !== undefined && status === 'PENDING');
    expect(await listDue(sandbox)).toEqual([
      ['SETTLE_TRANSACTION', transferOf(onItsWay)?.id],
      ['EXPIRE_QUOTE', waiting?.quoteId],
    ]);
    await expectSound(sandbox);
    const look = async (id = '') => (await sandbox.send('GET', `/transactions/${id}`)).body;
    expect((await look(transferOf(onItsWay)?.id)).status).toBe('PENDING');
    await sandbox.advance(30);
    expect(await look(transferOf(onItsWay)?.id)).toMatchObject({ status: 'FAILED', failureReason: 'TIMED_OUT' });
    await expectSound(sandbox);
    const { source, destination } = await look(transferOf(paid)?.id);
    const again = await sandbox.send('POST', '/transfer-out', {
      body: {
        source: { accountId: source.accountId },
        destination: { accountId: destination.accountId },
        amount: paid,
      },
      headers: { 'Idempotency-Key': key },
    });
    expect([again.headers.get('idempotency-replayed'), again.body.id]).toEqual(['true', transferOf(paid)?.id]);
    const authorization = `Bearer ${seen.agentToken}`;
    must(await sandbox.send('GET', '/agents/me', { authorization }), 200);
  });
});
