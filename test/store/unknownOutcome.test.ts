/**
 * Promise: if the last sync of a data file fails, those who waited for it learn that the outcome isn't known, and how to find it
 * out. Those who come later learn that nothing was carried out (D44).
 */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../mocks/sandbox/tools/problem.ts';
import { asProblem } from '../../mocks/sandbox/transport/problems.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { key, type Plan, plans, post } from '../support/requests/idempotency.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openOwner } from '../support/scenes/transfers.ts';

test('a sync that fails: what it would have kept is unknown, and what comes later was not carried out', async () => {
  const disk = { fails: false };
  const store = await openSqlite(join(temporaryFolder(), 'data.sqlite'), {
    sync: async (log) => {
      if (disk.fails) throw new Error('EIO');
      await log.datasync();
    },
  });
  onTestFinished(() => store.close());
  const owner = await openOwner('000', {}, await openSandbox({ store }));
  const plan = (await plans['createTransferOut']?.(owner)) as Plan;
  disk.fails = true;
  const unknown = await post(owner.sandbox, plan, key);
  expect(expectRefusal(unknown, 503, 'STORAGE_UNAVAILABLE')).toMatchObject({
    reason: 'outcomeUnknown',
    message: expect.stringMatching(/^It isn't known .* Send it again with the same Idempotency-Key, or read/),
  });
  expect(unknown.headers.get('retry-after')).toBe('5');
  const later = await post(owner.sandbox, plan, key);
  const refused = expectRefusal(later, 503, 'STORAGE_UNAVAILABLE');
  expect([refused.reason, refused.message]).toEqual([undefined, expect.stringContaining('was not carried out')]);
  expect(later.headers.get('retry-after')).toBe('5');
});

const quiet = { info: () => {}, error: () => {} };
const lost = new OutcomeUnknown(new Error('the connection is gone'));

test.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s: the advice follows from the contract',
  (_id, operation) => {
    const { method, path, idempotent, security } = operation;
    const said = (hasKey: boolean) => asProblem(lost, quiet, 'id', { method, operation, hasKey });
    for (const { message, reason } of [said(true), said(false)]) {
      if (method === 'GET') {
        expect([message, reason]).toEqual([expect.stringContaining('try again'), undefined]);
        continue;
      }
      expect([message, reason]).toEqual([expect.stringMatching(/^It isn't known whether/), 'outcomeUnknown']);
      const place = / GET (\S+?)[,.]?(?: first\.)?$/.exec(message)?.[1];
      if (place === undefined) expect(message).toContain('read what it changes');
      else {
        expect(path.startsWith(place)).toBe(true);
        expect(operations).toContainEqual(expect.objectContaining({ method: 'GET', path: place, security }));
      }
    }
    const namesKey = (message: string): boolean => message.includes('Idempotency-Key');
    expect([namesKey(said(true).message), namesKey(said(false).message)]).toEqual([idempotent, false]);
  },
);

test('a storage that refused the work says that nothing was carried out', () => {
  const { message, reason } = asProblem(new StorageUnavailable(new Error('full')), quiet, 'id', { method: 'POST' });
  expect([message, reason]).toEqual([expect.stringContaining('was not carried out'), undefined]);
});
