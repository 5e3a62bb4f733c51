/**
 * Promise: money for a customer of the platform arrives in the right account, and the customer then gets a
 * separate transaction. It doesn't depend on the payer's data (D31, D69).
 */
import { describe, expect, it } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import type { TestSandbox } from '../support/sandbox/harness.ts';
import { mustAdd, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  at,
  bankAccount,
  books,
  execute,
  fromAccount,
  fromOutside,
  mustQuote,
  mustQuoteUma,
  openBooks,
  openPayer,
  openReceiver,
  type Payer,
  payerInfo,
  type Receiving,
  readTransaction,
  toAccount,
  updateCustomer,
} from '../support/scenes/payments.ts';
import { listTransactions } from '../support/scenes/transfers.ts';

const address = '$bo@pay.example';
const dollars = { currency: 'USD' };
const incomingOf = (sandbox: TestSandbox, { id }: Payer) => listTransactions(sandbox, `customerId=${id}&type=INCOMING`);

/** Ways to pay the receiver's dollars. */
const ways: [string, (scene: Receiving) => Promise<Quote>][] = [
  [
    'to the internal account',
    ({ sandbox, source, receiver }) => mustQuote(sandbox, source, toAccount(receiver.account('USD'))),
  ],
  ['by UMA', ({ sandbox, source }) => mustQuoteUma(sandbox, source, address, {}, dollars)],
  ['by UMA, in capitals', ({ sandbox, source }) => mustQuoteUma(sandbox, source, '$BO@PAY.EXAMPLE', {}, dollars)],
];

describe('for another customer', () => {
  it.each(ways)('%s: it arrives at once, and the receiver sees it then', async (_name, ask) => {
    const scene = await openReceiver();
    const { sandbox, payer, receiver } = scene;
    const quote = await ask(scene);
    expect(await incomingOf(sandbox, receiver)).toEqual([]);
    await sandbox.advance(9);
    expect((await execute(sandbox, quote.id)).body).toEqual({ ...quote, status: 'COMPLETED' });
    expect(await books(sandbox)).toEqual({
      'World:EUR:SANDBOX': -100_000,
      [payer.account('EUR')]: 90_000,
      'Fees:EUR': 50,
      'World:EUR:EXCHANGE': 9950,
      'World:USD:EXCHANGE': -11_561,
      [receiver.account('USD')]: 11_561,
    });
    const [incoming, ...more] = await incomingOf(sandbox, receiver);
    expect(more).toEqual([]);
    expect(incoming).toMatchObject({
      type: 'INCOMING',
      status: 'COMPLETED',
      customerId: receiver.id,
      platformCustomerId: 'bo',
      source: { sourceType: 'ACCOUNT', accountId: payer.account('EUR'), currency: 'EUR' },
      destination: { destinationType: 'ACCOUNT', accountId: receiver.account('USD'), currency: 'USD' },
      receivedAmount: { amount: 11_561, currency: { code: 'USD' } },
      fees: 0,
      counterpartyInformation: { FULL_NAME: 'Ada Byron', BIRTH_DATE: '1815-12-10' },
      createdAt: at(9),
      updatedAt: at(9),
      settledAt: at(9),
    });
    const outgoing = await readTransaction(sandbox, quote.transactionId);
    expect(outgoing).toMatchObject({ type: 'OUTGOING', status: 'COMPLETED', customerId: payer.id, settledAt: at(9) });
    expect(await listTransactions(sandbox, `customerId=${payer.id}&type=OUTGOING`)).toEqual([outgoing]);
  });

  it('by UMA into the default deposit account, if that has the currency', async () => {
    const scene = await openReceiver();
    const { sandbox, receiver, source } = scene;
    const request = usdRequest('555007', { customerId: receiver.id, defaultUmaDepositAccount: true });
    const deposit = await mustAdd(sandbox, request);
    const quote = await mustQuoteUma(sandbox, source, address, {}, dollars);
    // The deposit account's suffix has no effect here, only for payments that name the account (D31).
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect(await books(sandbox)).toMatchObject({ 'World:USD:ACH': 11_561 });
    expect(await incomingOf(sandbox, receiver)).toMatchObject([
      {
        status: 'COMPLETED',
        destination: { accountId: deposit.id, currency: 'USD' },
        receivedAmount: { amount: 11_561 },
      },
    ]);
    const pesos = await mustQuoteUma(sandbox, source, address, {}, { currency: 'MXN' });
    await execute(sandbox, pesos.id);
    expect((await books(sandbox))[receiver.account('MXN')]).toBe(pesos.totalReceivingAmount);
  });

  it('by UMA into the default deposit account, also where the receiver has no other account of the currency', async () => {
    const { sandbox, source } = await openReceiver();
    const receiver = await openPayer(sandbox, { MXN: 0 }, { umaAddress: '$cy@pay.example' });
    const request = usdRequest('555007', { customerId: receiver.id, defaultUmaDepositAccount: true });
    const deposit = await mustAdd(sandbox, request);
    const quote = await mustQuoteUma(sandbox, source, '$cy@pay.example', {}, dollars);
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect(await incomingOf(sandbox, receiver)).toMatchObject([
      { destination: { accountId: deposit.id, currency: 'USD' }, receivedAmount: { amount: 11_561 } },
    ]);
  });

  it('by a direct pull, and from outside', async () => {
    const { sandbox, payer, receiver } = await openReceiver();
    const bank = await bankAccount(sandbox, '001', payer.id);
    const destination = toAccount(receiver.account('USD'));
    const pulled = await mustQuote(sandbox, fromAccount(bank), destination, { immediatelyExecute: true });
    expect(pulled.status).toBe('COMPLETED');
    const funded = await mustQuote(sandbox, fromOutside('USD', { customerId: payer.id }), destination);
    const body = { quoteId: funded.id, currencyCode: 'USD' };
    expect((await sandbox.send('POST', '/sandbox/send', { body })).status).toBe(200);
    expect((await incomingOf(sandbox, receiver)).map(({ source }) => source.sourceType)).toEqual([
      'REALTIME_FUNDING',
      'ACCOUNT',
    ]);
    expect((await books(sandbox))[receiver.account('USD')]).toBe(20_000);
  });

  it('a UMA address that was changed meanwhile still pays its former owner, whatever its suffix', async () => {
    const { sandbox, source } = await openReceiver();
    const slow = '$pending.long.usd@pay.example';
    const receiver = await openPayer(sandbox, { USD: 0 }, { umaAddress: slow });
    const quote = await mustQuoteUma(sandbox, source, slow);
    await updateCustomer(sandbox, receiver.id, { umaAddress: '$cy@pay.example' });
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
    expect((await books(sandbox))[receiver.account('USD')]).toBe(11_561);
  });

  it('a payment to a bank account makes no INCOMING transaction', async () => {
    const { sandbox, source, receiver } = await openReceiver();
    const bank = await bankAccount(sandbox, '001', receiver.id);
    await execute(sandbox, (await mustQuote(sandbox, source, toAccount(bank))).id);
    expect(await incomingOf(sandbox, receiver)).toEqual([]);
  });
});

describe('to oneself', () => {
  it('makes only the OUTGOING transaction, by account and by UMA', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { EUR: 100_000, USD: 0 }, { umaAddress: address });
    const [euros, usd] = [fromAccount(payer.account('EUR')), toAccount(payer.account('USD'))];
    const atOnce = { immediatelyExecute: true };
    const first = await mustQuote(sandbox, euros, usd, atOnce);
    const second = await mustQuoteUma(sandbox, euros, address, atOnce, dollars);
    const ids = (await listTransactions(sandbox)).map(({ id, type }) => [type, id]);
    expect(ids.slice(0, 2)).toEqual([
      ['OUTGOING', second.transactionId],
      ['OUTGOING', first.transactionId],
    ]);
    expect(ids.slice(2).map(([type]) => type)).toEqual(['INCOMING']);
    expect((await books(sandbox))[payer.account('USD')]).toBe(2 * 11_561);
  });
});

it('what is asked about the payer is not compared with what is known', async () => {
  const { sandbox, source } = await openReceiver();
  const senderCustomerInfo = { ...payerInfo, FULL_NAME: 'Somebody Else' };
  expect((await mustQuoteUma(sandbox, source, address, { senderCustomerInfo })).status).toBe('PENDING');
});
