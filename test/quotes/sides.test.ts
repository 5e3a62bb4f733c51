/**
 * Promise: everything that a quote's request says about its two sides must be true and complete. Otherwise the error
 * names the place (D28, D31, D77).
 */
import { describe, expect, it } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import {
  askForQuote,
  fromAccount,
  fromOutside,
  lookUp,
  moneyState,
  mustQuote,
  openPayer,
  openSides,
  payerInfo,
  type Sides,
  toAccount,
  toUma,
  updateCustomer,
} from '../support/scenes/payments.ts';

const usd = '$success.usd@pay.example';
const rows: [string, (scene: Sides) => [object, object, object?], string, string][] = [
  [
    'the source in another currency',
    ({ payer, bank }) => [fromAccount(payer.account('EUR'), { currency: 'USD' }), toAccount(bank)],
    'INVALID_CURRENCY',
    '/source/currency',
  ],
  [
    'the source of somebody else',
    ({ payer, other, bank }) => [fromAccount(payer.account('EUR'), { customerId: other.id }), toAccount(bank)],
    'INVALID_INPUT',
    '/source/customerId',
  ],
  [
    "the platform's source as a customer's",
    ({ payer, bank }) => [fromAccount(bank, { customerId: payer.id }), toAccount(payer.account('USD'))],
    'INVALID_INPUT',
    '/source/customerId',
  ],
  [
    'the bank account in another currency',
    ({ payer, bank }) => [fromAccount(payer.account('EUR')), toAccount(bank, { currency: 'EUR' })],
    'INVALID_CURRENCY',
    '/destination/currency',
  ],
  [
    'the internal account in another currency',
    ({ payer, other }) => [fromAccount(payer.account('EUR')), toAccount(other.account('USD'), { currency: 'MXN' })],
    'INVALID_CURRENCY',
    '/destination/currency',
  ],
  [
    'a rail that the bank account lacks',
    ({ payer, bank }) => [fromAccount(payer.account('EUR')), toAccount(bank, { paymentRail: 'SEPA' })],
    'INVALID_INPUT',
    '/destination/paymentRail',
  ],
  [
    'a rail to an internal account',
    ({ payer, other }) => [fromAccount(payer.account('EUR')), toAccount(other.account('USD'), { paymentRail: 'ACH' })],
    'INVALID_INPUT',
    '/destination/paymentRail',
  ],
  [
    'the same account twice',
    ({ payer }) => [fromAccount(payer.account('EUR')), toAccount(payer.account('EUR'))],
    'INVALID_INPUT',
    '/destination/accountId',
  ],
  [
    'the same bank account twice',
    ({ bank }) => [fromAccount(bank), toAccount(bank)],
    'INVALID_INPUT',
    '/destination/accountId',
  ],
  [
    'the same account by its UMA address',
    ({ payer, lookups }) => [
      fromAccount(payer.account('EUR')),
      toUma('$ada@pay.example', { currency: 'EUR' }),
      { lookupId: lookups.own },
    ],
    'INVALID_INPUT',
    '/destination',
  ],
  [
    'a UMA address without its lookup',
    ({ payer }) => [fromAccount(payer.account('EUR')), toUma(usd)],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'the lookup of another address',
    ({ payer, lookups }) => [fromAccount(payer.account('EUR')), toUma(usd), { lookupId: lookups.other }],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'the lookup of a bank account for an address',
    ({ payer, lookups }) => [fromAccount(payer.account('EUR')), toUma(usd), { lookupId: lookups.bank }],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'the lookup of an address for a bank account',
    ({ payer, bank, lookups }) => [fromAccount(payer.account('EUR')), toAccount(bank), { lookupId: lookups.usd }],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'the lookup of another bank account',
    ({ payer, otherBank, lookups }) => [
      fromAccount(payer.account('EUR')),
      toAccount(otherBank),
      { lookupId: lookups.bank },
    ],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'the lookup of a bank account for an internal account',
    ({ payer, other, lookups }) => [
      fromAccount(payer.account('EUR')),
      toAccount(other.account('USD')),
      { lookupId: lookups.bank },
    ],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    "the lookup of an address for its owner's internal account",
    ({ payer, other, lookups }) => [
      fromAccount(payer.account('EUR')),
      toAccount(other.account('USD')),
      { lookupId: lookups.other },
    ],
    'INVALID_INPUT',
    '/lookupId',
  ],
  [
    'a currency that the receiver does not take',
    ({ payer, lookups }) => [
      fromAccount(payer.account('EUR')),
      toUma(usd, { currency: 'MXN' }),
      { lookupId: lookups.usd },
    ],
    'INVALID_CURRENCY',
    '/destination/currency',
  ],
  [
    'a currency of which the receiver has no account',
    ({ payer, lookups }) => [
      fromAccount(payer.account('EUR')),
      toUma('$bo@pay.example', { currency: 'EUR' }),
      { lookupId: lookups.other },
    ],
    'INVALID_CURRENCY',
    '/destination/currency',
  ],
  [
    'a currency that nobody knows',
    ({ bank }) => [fromOutside('XYZ'), toAccount(bank)],
    'INVALID_CURRENCY',
    '/source/currency',
  ],
];

describe('the two sides', () => {
  it.each(rows)('%s: 400', async (_name, request, code, pointer) => {
    const scene = await openSides();
    const before = await moneyState(scene.sandbox);
    const [source, destination, change = {}] = request(scene);
    const told = { senderCustomerInfo: payerInfo, ...change };
    const refused = expectRefusal(
      await askForQuote(scene.sandbox, source, destination, told),
      400,
      code as 'INVALID_INPUT',
    );
    expect(faultPlaces(refused)).toEqual([`body ${pointer}`]);
    expect(await moneyState(scene.sandbox)).toEqual(before);
  });

  it('an account that is closed: 400, as source and as destination', async () => {
    const { sandbox, payer, bank, other } = await openSides();
    await updateCustomer(sandbox, payer.id, { currencies: ['EUR', 'USD'] });
    const closed = payer.account('GBP');
    const answers = [
      await askForQuote(sandbox, fromAccount(closed), toAccount(bank)),
      await askForQuote(sandbox, fromAccount(other.account('USD')), toAccount(closed)),
    ];
    expect(answers.map((answer) => faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT')))).toEqual([
      ['body /source/accountId'],
      ['body /destination/accountId'],
    ]);
  });

  it('a lookup may be named for a bank account, and is good for more than one quote', async () => {
    const { sandbox, payer, bank, lookups } = await openSides();
    await sandbox.advance(1_000_000);
    for (let count = 0; count < 2; count += 1) {
      await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(bank), { lookupId: lookups.bank });
    }
  });

  it('a UMA address in any case, paid in the first currency that it takes unless one is named', async () => {
    const { sandbox, payer, lookups } = await openSides();
    const told = { lookupId: lookups.other, senderCustomerInfo: payerInfo };
    const source = fromAccount(payer.account('EUR'));
    const [first] = (await sandbox.send('GET', '/receiver/uma/$bo@pay.example')).body.supportedCurrencies;
    const quote = await mustQuote(sandbox, source, toUma('$BO@Pay.Example'), told);
    expect(quote.destination).toEqual({ ...toUma('$BO@Pay.Example'), currency: first.currency.code });
    const pesos = await mustQuote(sandbox, source, toUma('$bo@pay.example', { currency: 'MXN' }), told);
    expect(pesos.receivingCurrency.code).toBe('MXN');
  });

  it('an address that nobody has any more: 404', async () => {
    const { sandbox, payer, other, lookups } = await openSides();
    await deleteCustomer(sandbox, other.id);
    const told = { lookupId: lookups.other, senderCustomerInfo: payerInfo };
    const answer = await askForQuote(sandbox, fromAccount(payer.account('EUR')), toUma('$bo@pay.example'), told);
    expectRefusal(answer, 404, 'UMA_NOT_FOUND');
  });
});

describe('what must be said', () => {
  it.each(['INR', 'BRL'])('the purpose, when %s arrive', async (currency) => {
    const { sandbox, source } = await openSides();
    const receiver = await openPayer(sandbox, { [currency]: 0 });
    const destination = toAccount(receiver.account(currency));
    const refused = expectRefusal(await askForQuote(sandbox, source, destination), 400, 'MISSING_MANDATORY_USER_INFO');
    expect(faultPlaces(refused)).toEqual(['body /purposeOfPayment']);
    const quote = await mustQuote(sandbox, source, destination, { purposeOfPayment: 'GIFT' });
    expect(quote.purposeOfPayment).toBe('GIFT');
  });

  it.each([
    ['none', undefined, ['BIRTH_DATE', 'FULL_NAME']],
    ['one of two', { FULL_NAME: 'Ada' }, ['BIRTH_DATE']],
    ['another', { NATIONALITY: 'GB', SHOE_SIZE: '38' }, ['BIRTH_DATE', 'FULL_NAME']],
  ])('what the receiver asks about the payer: %s given', async (_name, senderCustomerInfo, missing) => {
    const { sandbox, source } = await openSides();
    const address = '$success.usd@pay.example';
    const lookupId = await lookUp(sandbox, address);
    const answer = await askForQuote(sandbox, source, toUma(address), { lookupId, senderCustomerInfo });
    const refused = expectRefusal(answer, 400, 'MISSING_MANDATORY_USER_INFO');
    expect(faultPlaces(refused)).toEqual(missing.map((name) => `body /senderCustomerInfo/${name}`));
  });

  it('all of it is named at once', async () => {
    const { sandbox, source } = await openSides();
    await openPayer(sandbox, { BRL: 0 }, { umaAddress: '$cy@pay.example' });
    const change = { lookupId: await lookUp(sandbox, '$cy@pay.example') };
    const answer = await askForQuote(sandbox, source, toUma('$cy@pay.example'), change);
    expect(faultPlaces(expectRefusal(answer, 400, 'MISSING_MANDATORY_USER_INFO'))).toHaveLength(3);
  });
});
