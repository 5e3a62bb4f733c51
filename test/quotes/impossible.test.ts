/**
 * Promise: a payment that has become impossible since its quote fails without moving money. Money that can't be
 * returned is accounted for. As long as money is on its way, its source can't be removed (D72, D75).
 */
import { describe, expect, it } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import type { TestSandbox } from '../support/sandbox/harness.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { mustAdd, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  at,
  bankAccount,
  books,
  execute,
  fromAccount,
  fund,
  moneyState,
  mustQuote,
  mustQuoteUma,
  openReceiver,
  payIn,
  type Receiving,
  readQuote,
  readTransaction,
  toAccount,
  updateCustomer,
} from '../support/scenes/payments.ts';
import { listTransactions } from '../support/scenes/transfers.ts';

/** Removes all but one of a customer's currencies. */
const keepOnly = (sandbox: TestSandbox, customerId: string, currency: string): Promise<void> =>
  updateCustomer(sandbox, customerId, { currencies: [currency] });

const address = '$bo@pay.example';
const dollars = { currency: 'USD' };
const greatest = 9_000_000_000_000_000;
/** What happens between a quote and its execution. */
const impossible: [string, (scene: Receiving) => Promise<[Quote, () => Promise<unknown>]>][] = [
  [
    'the internal account that is paid was closed',
    async ({ sandbox, source, receiver }) => [
      await mustQuote(sandbox, source, toAccount(receiver.account('USD'))),
      () => keepOnly(sandbox, receiver.id, 'MXN'),
    ],
  ],
  [
    'the account of the UMA receiver was closed',
    async ({ sandbox, source, receiver }) => [
      await mustQuoteUma(sandbox, source, address, {}, dollars),
      () => keepOnly(sandbox, receiver.id, 'MXN'),
    ],
  ],
  [
    'the receiver was deleted',
    async ({ sandbox, source, receiver }) => [
      await mustQuote(sandbox, source, toAccount(receiver.account('USD'))),
      () => deleteCustomer(sandbox, receiver.id),
    ],
  ],
  [
    'the UMA receiver was deleted',
    async ({ sandbox, source, receiver }) => [
      await mustQuoteUma(sandbox, source, address),
      () => deleteCustomer(sandbox, receiver.id),
    ],
  ],
  [
    'the owner of the bank account was deleted',
    async ({ sandbox, source, receiver }) => [
      await mustQuote(sandbox, source, toAccount(await bankAccount(sandbox, '001', receiver.id))),
      () => deleteCustomer(sandbox, receiver.id),
    ],
  ],
  [
    'the bank account that is paid was deleted',
    async ({ sandbox, source }) => {
      const bank = await bankAccount(sandbox, '001');
      return [
        await mustQuote(sandbox, source, toAccount(bank)),
        () => sandbox.send('DELETE', `/customers/external-accounts/${bank}`),
      ];
    },
  ],
  [
    'the deposit account was deleted',
    async ({ sandbox, source, receiver }) => {
      const { id } = await mustAdd(
        sandbox,
        usdRequest('555001', { customerId: receiver.id, defaultUmaDepositAccount: true }),
      );
      return [
        await mustQuoteUma(sandbox, source, address, {}, dollars),
        () => sandbox.send('DELETE', `/customers/external-accounts/${id}`),
      ];
    },
  ],
  [
    'the bank account that pays was deleted',
    async ({ sandbox, receiver }) => {
      const bank = await bankAccount(sandbox, '001');
      return [
        await mustQuote(sandbox, fromAccount(bank), toAccount(receiver.account('USD'))),
        () => sandbox.send('DELETE', `/customers/external-accounts/${bank}`),
      ];
    },
  ],
  [
    'the account that pays was closed',
    async ({ sandbox, payer, receiver }) => [
      await mustQuote(sandbox, fromAccount(payer.account('USD')), toAccount(receiver.account('USD'))),
      () => keepOnly(sandbox, payer.id, 'EUR'),
    ],
  ],
  [
    'the destination would hold too much',
    async ({ sandbox, source, receiver }) => [
      await mustQuote(sandbox, source, toAccount(receiver.account('USD'))),
      () => payIn(sandbox, receiver.id, 'USD', greatest - 11_560),
    ],
  ],
];

describe('what has become impossible', () => {
  it.each(impossible)('%s: FAILED, and nothing moves', async (_name, prepare) => {
    const scene = await openReceiver();
    const { sandbox } = scene;
    const [quote, happen] = await prepare(scene);
    await happen();
    const before = await books(sandbox);
    const incoming = await listTransactions(sandbox, 'type=INCOMING');
    const answer = await execute(sandbox, quote.id);
    expect([answer.status, answer.body]).toEqual([200, { ...quote, status: 'FAILED' }]);
    await sandbox.advance(1000);
    expect((await readQuote(sandbox, quote.id)).status).toBe('FAILED');
    const transaction = await readTransaction(sandbox, quote.transactionId);
    expect(transaction).toMatchObject({ status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED', updatedAt: at(0) });
    expect([transaction.refund, transaction.settledAt]).toEqual([undefined, undefined]);
    expect(await books(sandbox)).toEqual(before);
    expect(await listTransactions(sandbox, 'type=INCOMING')).toEqual(incoming);
  });

  it('the largest amount that fits arrives', async () => {
    const { sandbox, source, receiver } = await openReceiver();
    const quote = await mustQuote(sandbox, source, toAccount(receiver.account('USD')));
    await payIn(sandbox, receiver.id, 'USD', greatest - 11_561);
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect((await books(sandbox))[receiver.account('USD')]).toBe(greatest);
  });

  it('an account that is full pays', async () => {
    const { sandbox, payer } = await openReceiver();
    await payIn(sandbox, payer.id, 'USD', greatest);
    const quote = await mustQuote(
      sandbox,
      fromAccount(payer.account('USD')),
      toAccount(await bankAccount(sandbox, '001')),
    );
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect((await books(sandbox))[payer.account('USD')]).toBe(greatest - quote.totalSendingAmount);
  });

  it.each([
    ['is full', true],
    ['is closed', false],
  ])('a refund for an account that %s by then is FAILED, and the service keeps the money', async (_name, isFull) => {
    const { sandbox, payer } = await openReceiver();
    await fund(sandbox, payer.account('USD'), 10_000);
    const bank = await bankAccount(sandbox, '005');
    const quote = await mustQuote(sandbox, fromAccount(payer.account('USD')), toAccount(bank), {
      immediatelyExecute: true,
    });
    if (isFull) await payIn(sandbox, payer.id, 'USD', greatest);
    else await keepOnly(sandbox, payer.id, 'EUR');
    await sandbox.advance(30);
    expect(await readTransaction(sandbox, quote.transactionId)).toMatchObject({
      status: 'FAILED',
      failureReason: 'COUNTERPARTY_POST_TX_FAILED',
      refund: { status: 'FAILED', reason: 'TRANSACTION_FAILED' },
      settledAt: at(0),
      updatedAt: at(30),
    });
    expect(await books(sandbox)).toMatchObject({ 'Kept:USD': 10_000 });
  });

  it('while money is on its way, its owner and its currency must stay', async () => {
    const { sandbox, payer } = await openReceiver();
    await fund(sandbox, payer.account('USD'), 10_000);
    const slow = toAccount(await bankAccount(sandbox, '003'));
    await mustQuote(sandbox, fromAccount(payer.account('USD')), slow, { immediatelyExecute: true });
    const before = await moneyState(sandbox);
    const body = { customerType: 'INDIVIDUAL', currencies: ['EUR'] };
    const answer = await sandbox.send('PATCH', `/customers/${payer.id}`, { body });
    expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
    expect(await moneyState(sandbox)).toEqual(before);
    await sandbox.advance(360);
    await keepOnly(sandbox, payer.id, 'EUR');
  });
});
