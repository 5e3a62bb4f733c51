/**
 * Promise: a quote tells exactly what a payment will be, to the unit and the second, and moves nothing. An impossible
 * request is refused for its first fault and leaves nothing behind (D06, D28, D69, D72, D76, D77).
 */
import { describe, expect, it } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import {
  askForQuote,
  at,
  bankAccount,
  books,
  fromAccount,
  fromOutside,
  fund,
  moneyState,
  mustQuote,
  mustQuoteUma,
  nobody,
  openBooks,
  openPayer,
  openSides,
  payerInfo,
  readQuote,
  readTransaction,
  toAccount,
  toUma,
  updateCustomer,
} from '../support/scenes/payments.ts';
import { listTransactions } from '../support/scenes/transfers.ts';

testCommonRefusals('createQuote', '/quotes');

/** A payer with euros, and a bank account in dollars. */
async function openScene() {
  const sandbox = await openBooks();
  const payer = await openPayer(sandbox, { EUR: 100_000, USD: 0, USDB: 0 }, { platformCustomerId: 'ada-1' });
  const bank = await bankAccount(sandbox, '001');
  return { sandbox, payer, bank, source: fromAccount(payer.account('EUR')), destination: toAccount(bank) };
}

describe('a quote', () => {
  it('says all there is to know, and its transaction the same', async () => {
    const { sandbox, payer, bank, source, destination } = await openScene();
    const before = await books(sandbox);
    const told = { description: 'Rent', purposeOfPayment: 'REAL_ESTATE_PURCHASE' };
    const quote = await mustQuote(sandbox, source, destination, told);
    const shown = {
      source: { sourceType: 'ACCOUNT', accountId: payer.account('EUR'), currency: 'EUR', customerId: payer.id },
      destination: { destinationType: 'ACCOUNT', accountId: bank, currency: 'USD', paymentRail: 'ACH' },
      exchangeRate: 0.860585197935,
      rateDetails: {
        counterpartyMultiplier: 1,
        counterpartyFixedFee: 0,
        serviceApiMultiplier: 1,
        serviceApiFixedFee: 0,
        serviceApiVariableFeeRate: 0.005,
        serviceApiVariableFeeAmount: 50,
      },
      counterpartyInformation: { FULL_NAME: 'Ada Byron' },
      ...told,
    };
    const [eur, usd] = [
      expect.objectContaining({ code: 'EUR' }),
      expect.objectContaining({ code: 'USD', decimals: 2 }),
    ];
    expect(quote).toEqual({
      id: expect.stringMatching(/^Quote:/),
      status: 'PENDING',
      createdAt: at(0),
      expiresAt: at(300),
      sendingCurrency: eur,
      receivingCurrency: usd,
      totalSendingAmount: 10_000,
      totalReceivingAmount: 11_561,
      feesIncluded: 50,
      transactionId: expect.stringMatching(/^Transaction:/),
      ...shown,
    });
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
    expect(await readTransaction(sandbox, quote.transactionId)).toEqual({
      id: quote.transactionId,
      type: 'OUTGOING',
      status: 'PENDING',
      quoteId: quote.id,
      customerId: payer.id,
      platformCustomerId: 'ada-1',
      sentAmount: { amount: 10_000, currency: eur },
      receivedAmount: { amount: 11_561, currency: usd },
      fees: 50,
      reconciliationInstructions: { reference: expect.stringMatching(/./) },
      createdAt: at(0),
      updatedAt: at(0),
      ...shown,
    });
    expect(await books(sandbox)).toEqual(before);
  });

  it.each([
    ['the currency', { currency: 'EUR' }, { currency: 'USD' }],
    ['a rail of the account', {}, { paymentRail: 'FEDNOW' }],
  ])('may be asked for with %s said', async (_what, more, andMore) => {
    const { sandbox, payer, source, destination } = await openScene();
    const said = { ...source, customerId: payer.id, ...more };
    const quote = await mustQuote(sandbox, said, { ...destination, ...andMore });
    expect(quote.destination).toEqual({ ...destination, currency: 'USD', paymentRail: 'ACH', ...andMore });
  });

  it('of the platform itself has no customer', async () => {
    const sandbox = await openBooks();
    const [own] = (await sandbox.send('GET', '/platform/internal-accounts')).body.data;
    await fund(sandbox, own.id, 1_000_000);
    const bank = await bankAccount(sandbox, '001');
    const amount = { lockedCurrencyAmount: 1_000_000, immediatelyExecute: true };
    const quote = await mustQuote(sandbox, fromAccount(own.id), toAccount(bank), amount);
    expect(quote.status).toBe('COMPLETED');
    expect(quote.source).toEqual({ ...fromAccount(own.id), currency: own.balance.currency.code });
    expect(await readTransaction(sandbox, quote.transactionId)).not.toHaveProperty('customerId');
  });

  it('to a customer says who that is, as far as it is known', async () => {
    const { sandbox, source } = await openScene();
    const facts = { fullName: 'Bo Li', birthDate: '1990-02-03', nationality: 'SE' };
    const [known, unknown] = [await openPayer(sandbox, { USD: 0 }, facts), await openPayer(sandbox, { USD: 0 })];
    const quote = await mustQuote(sandbox, source, toAccount(known.account('USD')));
    expect(quote.destination).toEqual({ ...toAccount(known.account('USD')), currency: 'USD' });
    const information = { FULL_NAME: 'Bo Li', BIRTH_DATE: '1990-02-03', NATIONALITY: 'SE' };
    expect(quote.counterpartyInformation).toEqual(information);
    expect(await mustQuote(sandbox, source, toAccount(unknown.account('USD')))).not.toHaveProperty(
      'counterpartyInformation',
    );
    const receiver = await mustQuoteUma(sandbox, source, '$success.eur@pay.example');
    expect(receiver.counterpartyInformation).toEqual({ FULL_NAME: 'Sandbox Receiver' });
  });
});

describe('immediatelyExecute', () => {
  it('executes in the same call, and a payment that fails is 201 as well', async () => {
    const { sandbox, payer, source, destination } = await openScene();
    const atOnce = { immediatelyExecute: true };
    const completed = await mustQuote(sandbox, source, destination, atOnce);
    const bad = await bankAccount(sandbox, '002', payer.id);
    const failed = await mustQuote(sandbox, source, toAccount(bad), atOnce);
    const pulled = await mustQuote(sandbox, fromAccount(bad), toAccount(payer.account('USD')), atOnce);
    expect([completed.status, failed.status, pulled.status]).toEqual(['COMPLETED', 'FAILED', 'FAILED']);
    expect((await readTransaction(sandbox, completed.transactionId)).settledAt).toBe(at(0));
    expect((await books(sandbox))[payer.account('EUR')]).toBe(90_000);
    expect((await mustQuote(sandbox, source, destination, { immediatelyExecute: false })).status).toBe('PENDING');
  });

  it('is refused without the money, and then there is no quote either', async () => {
    const { sandbox, source, destination } = await openScene();
    const before = await moneyState(sandbox);
    const change = { immediatelyExecute: true, lockedCurrencyAmount: 100_001 };
    expectRefusal(await askForQuote(sandbox, source, destination, change), 400, 'INSUFFICIENT_FUNDS');
    expect(await moneyState(sandbox)).toEqual(before);
    expect((await mustQuote(sandbox, source, destination, { lockedCurrencyAmount: 100_001 })).status).toBe('PENDING');
  });

  it('is refused for a wallet and for money from outside', async () => {
    const { sandbox, payer, destination } = await openScene();
    await fund(sandbox, payer.account('USDB'), 10_000);
    for (const source of [fromAccount(payer.account('USDB')), fromOutside('EUR')]) {
      const answer = await askForQuote(sandbox, source, destination, { immediatelyExecute: true });
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['body /immediatelyExecute']);
    }
    expect(await listTransactions(sandbox, 'type=OUTGOING')).toEqual([]);
  });
});

describe('the order of checks', () => {
  it('refuses for one fault after the other', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { EUR: 0, USD: 0 }, { kycStatus: 'PENDING' });
    const [gone, live] = [await openPayer(sandbox, { USD: 0 }), await openPayer(sandbox, { USD: 0 })];
    await deleteCustomer(sandbox, gone.id);
    let source: object = fromAccount(payer.account('EUR'), { currency: 'USD' });
    let destination = toAccount(nobody('InternalAccount'));
    let change: object = { lockedCurrencyAmount: 1, immediatelyExecute: true };
    const steps = [
      [404, 'ACCOUNT_NOT_FOUND', () => (destination = toAccount(gone.account('USD')))],
      [410, 'CUSTOMER_DELETED', () => (destination = toAccount(live.account('USD')))],
      [400, 'INVALID_CURRENCY', () => (source = fromAccount(payer.account('EUR')))],
      [403, 'USER_NOT_READY', () => updateCustomer(sandbox, payer.id, { kycStatus: 'APPROVED' })],
      [400, 'AMOUNT_OUT_OF_RANGE', () => (change = { immediatelyExecute: true })],
      [400, 'INSUFFICIENT_FUNDS', () => fund(sandbox, payer.account('EUR'), 10_000)],
    ] as const;
    for (const [status, code, mend] of steps) {
      const before = await moneyState(sandbox);
      expectRefusal(await askForQuote(sandbox, source, destination, change), status, code);
      expect(await moneyState(sandbox)).toEqual(before);
      await mend();
    }
    expect((await mustQuote(sandbox, source, destination, change)).status).toBe('COMPLETED');
  });

  it('what is not there comes before who was deleted, on whichever side', async () => {
    const sandbox = await openBooks();
    const [gone, live] = [await openPayer(sandbox, { USD: 0, EUR: 0 }), await openPayer(sandbox)];
    const bank = await bankAccount(sandbox, '001', gone.id);
    await deleteCustomer(sandbox, gone.id);
    const [dead, good] = [gone.account('USD'), live.account('EUR')];
    const lookup = { lookupId: nobody('Lookup') };
    const rows: [object, object, object, number, string][] = [
      [fromAccount(dead), toAccount(nobody('InternalAccount')), {}, 404, 'ACCOUNT_NOT_FOUND'],
      [fromAccount(dead), toAccount(nobody('ExternalAccount')), {}, 404, 'ACCOUNT_NOT_FOUND'],
      [fromAccount(nobody('InternalAccount')), toAccount(dead), {}, 404, 'ACCOUNT_NOT_FOUND'],
      [fromAccount(nobody('ExternalAccount')), toAccount(bank), {}, 404, 'ACCOUNT_NOT_FOUND'],
      [fromOutside('XXX', { customerId: nobody('Customer') }), toAccount(dead), {}, 404, 'USER_NOT_FOUND'],
      [fromAccount(dead), toUma('$nobody@pay.example'), lookup, 404, 'UMA_NOT_FOUND'],
      [fromAccount(dead), toUma('$success.usd@pay.example'), lookup, 404, 'LOOKUP_REQUEST_NOT_FOUND'],
      [fromAccount(dead), toAccount(bank), lookup, 404, 'LOOKUP_REQUEST_NOT_FOUND'],
      [fromAccount(dead), toAccount(good), {}, 410, 'CUSTOMER_DELETED'],
      [fromAccount(good), toAccount(dead), {}, 410, 'CUSTOMER_DELETED'],
      [fromAccount(bank), toAccount(good), {}, 410, 'CUSTOMER_DELETED'],
      [fromAccount(good), toAccount(bank), {}, 410, 'CUSTOMER_DELETED'],
      [fromOutside('XXX', { customerId: gone.id }), toAccount(good), {}, 410, 'CUSTOMER_DELETED'],
      [fromOutside('XXX'), toAccount(good), {}, 400, 'INVALID_CURRENCY'],
    ];
    for (const [source, destination, change, status, code] of rows) {
      const answer = await askForQuote(sandbox, source, destination, change);
      expect([answer.status, answer.body.code, source, destination]).toEqual([status, code, source, destination]);
    }
    expect(await listTransactions(sandbox, 'type=OUTGOING')).toEqual([]);
  });
});

describe('who may pay', () => {
  it.each(['UNVERIFIED', 'PENDING', 'REJECTED'])('%s may receive, but not send, pull or pay in', async (kycStatus) => {
    const { sandbox, source } = await openScene();
    const payer = await openPayer(sandbox, { EUR: 100_000, USD: 0 }, { kycStatus });
    const [euros, dollars] = [payer.account('EUR'), payer.account('USD')];
    const bank = await bankAccount(sandbox, '001', payer.id, '777');
    const pays = [fromAccount(euros), fromAccount(bank), fromOutside('EUR', { customerId: payer.id })];
    for (const one of pays) {
      expectRefusal(await askForQuote(sandbox, one, toAccount(dollars)), 403, 'USER_NOT_READY');
    }
    await mustQuote(sandbox, source, toAccount(dollars));
  });

  it('a business that was not verified may not', async () => {
    const sandbox = await openBooks();
    const business = await newCustomer(sandbox, { customerType: 'BUSINESS', currencies: ['EUR'] });
    const source = fromOutside('EUR', { customerId: business });
    const bank = await bankAccount(sandbox, '001');
    expectRefusal(await askForQuote(sandbox, source, toAccount(bank)), 403, 'USER_NOT_READY');
  });
});

it('every purpose of payment, and the note, comes back in the quote and in its transaction', async () => {
  const { sandbox, source, bank } = await openSides();
  for (const purposeOfPayment of everyChoice({ $ref: '#/components/schemas/PurposeOfPayment' })) {
    const told = { purposeOfPayment, description: `Rent ${purposeOfPayment}` };
    const quote = await mustQuote(sandbox, source, toAccount(bank), { ...told, lockedCurrencyAmount: 100 });
    expect(quote).toMatchObject(told);
    expect(await readTransaction(sandbox, quote.transactionId)).toMatchObject(told);
  }
});

it('what is said of both sides beside their accounts must be right, and comes back', async () => {
  const { sandbox, payer, other, source, lookups } = await openSides();
  const { currency, customerId } = { currency: 'EUR', customerId: payer.id };
  const quote = await mustQuote(
    sandbox,
    { ...source, currency, customerId },
    toAccount(other.account('MXN'), { currency: 'MXN' }),
    { immediatelyExecute: true, lockedCurrencyAmount: 100, description: 'Rent' },
  );
  expect(quote).toMatchObject({
    status: 'COMPLETED',
    source: { ...source, currency, customerId },
    destination: { currency: 'MXN' },
  });
  const [arrived] = await listTransactions(sandbox, `customerId=${other.id}&type=INCOMING`);
  expect(arrived).toMatchObject({ type: 'INCOMING', status: 'COMPLETED', description: 'Rent' });
  const { destination } = await mustQuote(sandbox, source, toUma('$bo@pay.example', { currency: 'USD' }), {
    lookupId: lookups.other,
    senderCustomerInfo: payerInfo,
    lockedCurrencyAmount: 100,
  });
  expect(destination).toMatchObject({ umaAddress: '$bo@pay.example', currency: 'USD' });
});
