/**
 * Promise: however many effects are due, each happens at its own time before anything else is read, and a request of
 * another platform doesn't wait for all of them.
 */
import { expect, test } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { startOfTime } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  bankAccount,
  execute,
  fromAccount,
  mustQuote,
  openBooks,
  openPayer,
  readQuote,
  readTransaction,
  toAccount,
} from '../support/scenes/payments.ts';
import { expectSound } from '../support/scenes/transfers.ts';

/** More than two units carry out. */
const count = 250;

test('each of many quotes expires at its own instant, and one that was executed does not', async () => {
  let now = startOfTime;
  const sandbox = await openBooks({ clock: { now: () => now } });
  const other = await openPlatform(sandbox);
  const source = fromAccount((await openPayer(sandbox)).account('EUR'));
  const destination = toAccount(await bankAccount(sandbox, '001'));
  const quotes: Quote[] = [];
  for (let made = 0; made < count; made += 1) {
    quotes.push(await mustQuote(sandbox, source, destination));
    now += 1;
  }
  const executed = quotes.splice(count / 2, 1)[0]?.id ?? '';
  expect((await execute(sandbox, executed)).body.status).toBe('COMPLETED');
  now += 1_000_000;

  const order: string[] = [];
  const ask = async (name: string, request: Promise<{ readonly status: number }>): Promise<number> => {
    const { status } = await request;
    order.push(name);
    return status;
  };
  const statuses = await Promise.all([
    ask('own', sandbox.send('GET', '/transactions?status=PENDING')),
    ask('other', other.send('GET', '/config')),
  ]);
  expect(statuses).toEqual([200, 200]);
  expect(order).toEqual(['other', 'own']);
  expectRefusal(await execute(sandbox, quotes.at(-1)?.id ?? ''), 409, 'QUOTE_EXPIRED');

  for (const { id, transactionId, expiresAt } of quotes) {
    expect((await readQuote(sandbox, id)).status).toBe('EXPIRED');
    expect(await readTransaction(sandbox, transactionId)).toMatchObject({ status: 'EXPIRED', updatedAt: expiresAt });
  }
  expect((await readQuote(sandbox, executed)).status).toBe('COMPLETED');
  expect((await sandbox.control('GET', '/due')).body).toEqual({ data: [] });
  await expectSound(sandbox);
});
