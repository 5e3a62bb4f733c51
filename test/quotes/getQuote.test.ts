/**
 * Promise: a platform can read its quotes. A quote shows its end without another request, exact to the second (D28).
 */
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  at,
  bankAccount,
  books,
  execute,
  fromAccount,
  fromOutside,
  mustQuote,
  nobody,
  openBooks,
  openPayer,
  readQuote,
  readTransaction,
  toAccount,
} from '../support/scenes/payments.ts';

testCommonRefusals('getQuote', `/quotes/${nobody('Quote')}`);

async function openScene() {
  const sandbox = await openBooks();
  const payer = await openPayer(sandbox);
  const destination = toAccount(await bankAccount(sandbox, '001'));
  return { sandbox, source: fromAccount(payer.account('EUR')), destination };
}

describe('reading', () => {
  it('shows it as it was made, and to no other platform', async () => {
    const { sandbox, source, destination } = await openScene();
    const quote = await mustQuote(sandbox, source, destination);
    const answer = await sandbox.send('GET', `/quotes/${quote.id}`);
    expect([answer.status, answer.body]).toEqual([200, quote]);
    const other = await openPlatform(sandbox);
    expectRefusal(await other.send('GET', `/quotes/${quote.id}`), 404, 'QUOTE_NOT_FOUND');
    expectRefusal(await other.send('POST', `/quotes/${quote.id}/execute`), 404, 'QUOTE_NOT_FOUND');
  });

  it.each([nobody('Quote'), 'Quote:x', 'Transaction:1', 'x'])('%s: 404', async (id) => {
    const { sandbox } = await openScene();
    expectRefusal(await sandbox.send('GET', `/quotes/${id}`), 404, 'QUOTE_NOT_FOUND');
  });
});

describe('expiry', () => {
  const kinds = [
    ['from an account', (source: object) => source],
    ['from outside', () => fromOutside('EUR')],
  ] as const;

  it.each(kinds)('%s: at the very second, and its transaction with it', async (_name, sourceOf) => {
    const { sandbox, source, destination } = await openScene();
    const quote = await mustQuote(sandbox, sourceOf(source), destination);
    const before = await books(sandbox);
    await sandbox.advance(299.999);
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
    await sandbox.advance(0.001);
    expect(await readQuote(sandbox, quote.id)).toEqual({ ...quote, status: 'EXPIRED' });
    await sandbox.advance(1000);
    const transaction = await readTransaction(sandbox, quote.transactionId);
    expect(transaction).toMatchObject({ status: 'EXPIRED', failureReason: 'QUOTE_EXPIRED', updatedAt: at(300) });
    expect([transaction.settledAt, transaction.refund]).toEqual([undefined, undefined]);
    expect(await books(sandbox)).toEqual(before);
  });

  it('can be executed until then, and not from then on', async () => {
    const { sandbox, source, destination } = await openScene();
    const [first, second] = [
      await mustQuote(sandbox, source, destination),
      await mustQuote(sandbox, source, destination),
    ];
    await sandbox.advance(299.999);
    expect((await execute(sandbox, first.id)).body.status).toBe('COMPLETED');
    await sandbox.advance(0.001);
    expectRefusal(await execute(sandbox, second.id), 409, 'QUOTE_EXPIRED');
  });

  it('what was executed does not expire', async () => {
    const { sandbox, source } = await openScene();
    for (const suffix of ['001', '002', '003']) {
      const quote = await mustQuote(sandbox, source, toAccount(await bankAccount(sandbox, suffix, undefined, '888')));
      const { body } = await execute(sandbox, quote.id);
      await sandbox.advance(301);
      expect(await readQuote(sandbox, quote.id)).toEqual(body);
    }
  });
});
