/**
 * Promise: a transaction can be read at any time, and shows its state at that time: due events have happened, and
 * fields that don't apply are absent, never null (D69, D70).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  expectSound,
  listTransactions,
  openOwner,
  quote,
  readTransaction,
  transferIn,
  transferOut,
} from '../support/scenes/transfers.ts';

testCommonRefusals('getTransaction', '/transactions/Transaction:none');

test.each(['Transaction:none', 'Transaction:', 'Quote:a', 'none'])('%s is 404', async (id) => {
  const sandbox = await openSandbox();
  expectRefusal(await sandbox.send('GET', `/transactions/${id}`), 404, 'TRANSACTION_NOT_FOUND');
});

test('that of another platform is 404', async () => {
  const payer = await openOwner();
  const { body } = await transferOut(payer);
  const other = await openPlatform(payer.sandbox);
  expectRefusal(await other.send('GET', `/transactions/${body.id}`), 404, 'TRANSACTION_NOT_FOUND');
});

describe('the transaction of a quote', () => {
  test('is there from the beginning, the same one, and tells all that the quote does', async () => {
    const payer = await openOwner();
    const { sandbox, customerId } = payer;
    const made = await quote(payer, { description: 'Rent', purposeOfPayment: 'GIFT' });
    const before = await readTransaction(sandbox, made.transactionId ?? '');
    expect(before).toMatchObject({
      type: 'OUTGOING',
      status: 'PENDING',
      customerId,
      quoteId: made.id,
      description: 'Rent',
      purposeOfPayment: 'GIFT',
      source: made.source,
      destination: made.destination,
      sentAmount: { amount: made.totalSendingAmount, currency: made.sendingCurrency },
      receivedAmount: { amount: made.totalReceivingAmount, currency: made.receivingCurrency },
      exchangeRate: made.exchangeRate,
      fees: made.feesIncluded,
      rateDetails: made.rateDetails,
      counterpartyInformation: { FULL_NAME: 'Ada Byron' },
    });
    for (const absent of ['settledAt', 'refund', 'failureReason', 'agentId']) {
      expect(before).not.toHaveProperty(absent);
    }
    await sandbox.advance(60);
    const executed = await sandbox.send('POST', `/quotes/${made.id}/execute`);
    expect([executed.status, executed.body.status, executed.body.transactionId]).toEqual([200, 'COMPLETED', before.id]);
    const at = '2025-10-13T09:01:00.000Z';
    expect(await readTransaction(sandbox, before.id)).toEqual({
      ...before,
      status: 'COMPLETED',
      settledAt: at,
      updatedAt: at,
    });
    expect(await listTransactions(sandbox, 'type=OUTGOING')).toHaveLength(1);
  });

  test('is EXPIRED with its quote, at that moment', async () => {
    const payer = await openOwner();
    const { transactionId = '' } = await quote(payer);
    const before = await readTransaction(payer.sandbox, transactionId);
    await payer.sandbox.advance(299.999);
    expect(await readTransaction(payer.sandbox, transactionId)).toEqual(before);
    await payer.sandbox.advance(3600);
    const expired = { status: 'EXPIRED', failureReason: 'QUOTE_EXPIRED', updatedAt: '2025-10-13T09:05:00.000Z' };
    expect(await readTransaction(payer.sandbox, transactionId)).toEqual({ ...before, ...expired });
    await expectSound(payer.sandbox);
  });

  test('005: COMPLETED, and 30 seconds later FAILED with a refund, which keeps settledAt', async () => {
    const payer = await openOwner('005');
    const { sandbox } = payer;
    const { transactionId = '' } = await quote(payer, { immediatelyExecute: true });
    const before = await readTransaction(sandbox, transactionId);
    expect(before).toMatchObject({ status: 'COMPLETED', settledAt: '2025-10-13T09:00:00.000Z' });
    expect(await payer.balance()).toBe(97_500);
    await sandbox.advance(30);
    const at = '2025-10-13T09:00:30.000Z';
    expect(await readTransaction(sandbox, transactionId)).toEqual({
      ...before,
      status: 'FAILED',
      failureReason: 'COUNTERPARTY_POST_TX_FAILED',
      updatedAt: at,
      refund: {
        reference: `${before.reconciliationInstructions?.reference}-R`,
        initiatedAt: at,
        settledAt: at,
        status: 'COMPLETED',
        reason: 'TRANSACTION_FAILED',
      },
    });
    expect(await payer.balance()).toBe(100_000);
    await expectSound(sandbox);
  });
});

describe('the receiver of a quote', () => {
  test('gets an INCOMING transaction of its own, and can be told who paid and with what note', async () => {
    const payer = await openOwner('000', { birthDate: '1990-01-31', nationality: 'GB' });
    const receiver = await openOwner('000', { platformCustomerId: 'grace' }, payer.sandbox);
    const { sandbox } = payer;
    const to = { destinationType: 'ACCOUNT', accountId: receiver.euroId };
    const made = await quote(payer, { destination: to, description: 'Rent' });
    const filter = `customerId=${receiver.customerId}&receiverAccountIdentifier=${receiver.euroId}`;
    expect(await listTransactions(sandbox, filter)).toEqual([]);
    expect((await sandbox.send('POST', `/quotes/${made.id}/execute`)).body.status).toBe('COMPLETED');
    const [incoming, ...more] = await listTransactions(sandbox, filter);
    expect([more, incoming]).toEqual([
      [],
      expect.objectContaining({
        type: 'INCOMING',
        status: 'COMPLETED',
        platformCustomerId: 'grace',
        source: made.source,
        destination: { ...to, currency: 'EUR' },
        receivedAmount: { amount: made.totalReceivingAmount, currency: made.receivingCurrency },
        fees: 0,
        description: 'Rent',
        counterpartyInformation: { FULL_NAME: 'Ada Byron', BIRTH_DATE: '1990-01-31', NATIONALITY: 'GB' },
      }),
    ]);
    await expectSound(sandbox);
  });

  test('sees nothing when the payer pays to an own account', async () => {
    const payer = await openOwner();
    const destination = { destinationType: 'ACCOUNT', accountId: payer.euroId };
    await quote(payer, { destination, immediatelyExecute: true });
    const filter = `receiverAccountIdentifier=${payer.euroId}`;
    expect((await listTransactions(payer.sandbox, filter)).map(({ type }) => type)).toEqual(['OUTGOING']);
  });
});

test('no two transactions have the same reference', async () => {
  const payer = await openOwner();
  for (let round = 0; round < 5; round += 1) {
    await transferIn(payer);
    await transferOut(payer);
    await payer.fund('USD', 1);
    await quote(payer);
  }
  const all = await listTransactions(payer.sandbox);
  expect(new Set(all.map(({ reconciliationInstructions }) => reconciliationInstructions?.reference)).size).toBe(21);
  expect(all).toHaveLength(21);
});
