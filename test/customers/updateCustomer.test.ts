/**
 * Promise: an update changes the fields that it names, keeps everything else, and is done completely or not at all
 * (D23, D52). Separate files test its currencies and its e-mail address.
 */

import { describe, expect, test } from 'vitest';
import type { Customer } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';
import { openCustomer } from '../support/scenes/customers.ts';

testCommonRefusals('updateCustomer', '/customers/Customer:00000000-0000-7000-8000-000000000000');

const address = { line1: '2 New Road', city: 'Leeds', state: 'ENG', postalCode: 'LS1', country: 'GB' };
const person = {
  customerType: 'INDIVIDUAL',
  platformCustomerId: 'p-1',
  umaAddress: '$ada@pay.example',
  region: 'GB',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  birthDate: '1990-01-01',
  nationality: 'GB',
  address: { ...address, line2: 'Flat 1' },
};
const businessInfo = { legalName: 'Engines Ltd', taxId: '1', incorporatedOn: '2020-01-01', country: 'GB' };
const business = { customerType: 'BUSINESS', email: 'a@engines.example', address, businessInfo };

const bodies = { INDIVIDUAL: person, BUSINESS: business } as const;

describe('one field', () => {
  test.each<[type: 'INDIVIDUAL' | 'BUSINESS', change: Partial<Record<string, unknown>>]>([
    ['INDIVIDUAL', { umaAddress: '$Ada.New+1@Pay.Example' }],
    ['INDIVIDUAL', { email: 'Ada+new@Example.com' }],
    ['INDIVIDUAL', { kycStatus: 'REJECTED' }],
    ['INDIVIDUAL', { fullName: '  Zoë 👩‍🚀 ' }],
    ['INDIVIDUAL', { birthDate: '2000-02-29' }],
    ['INDIVIDUAL', { nationality: 'FR' }],
    ['INDIVIDUAL', { address }],
    ['INDIVIDUAL', { currencies: ['EUR', 'USDB'] }],
    ['BUSINESS', { umaAddress: '$engines@pay.example' }],
    ['BUSINESS', { email: 'new@engines.example' }],
    ['BUSINESS', { kybStatus: 'APPROVED' }],
    ['BUSINESS', { address: { ...address, line2: 'Unit 4' } }],
    ['BUSINESS', { currencies: ['JPY'] }],
  ])('of %s: %j is replaced whole, and nothing else changes', async (customerType, change) => {
    const { sandbox, customer, update, read } = await openCustomer(bodies[customerType]);
    await sandbox.advance(60);
    const answer = await update({ customerType, ...change });
    const expected = { ...customer, ...change, updatedAt: '2025-10-13T09:01:00.000Z' };
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await read()).toEqual(expected);
  });

  test('all at once', async () => {
    const { customer, update } = await openCustomer({ customerType: 'INDIVIDUAL' });
    const { platformCustomerId: _own, region: _fixed, ...change } = person;
    expect((await update({ ...change, kycStatus: 'PENDING', currencies: ['GBP'] })).body).toEqual({
      ...customer,
      ...change,
      kycStatus: 'PENDING',
      currencies: ['GBP'],
    });
  });

  test('none but the type: the customer stays as it was', async () => {
    const { customer, update, read } = await openCustomer(person);
    expect((await update({ customerType: 'INDIVIDUAL' })).status).toBe(200);
    expect(await read()).toEqual(customer);
  });

  test('a new address is found by the list at once, the old one no more', async () => {
    const { sandbox, customer, update } = await openCustomer(person);
    await update({ customerType: 'INDIVIDUAL', umaAddress: '$Next@Pay.Example' });
    const found = async (uma: string) =>
      (await sandbox.send('GET', `/customers?umaAddress=${encodeURIComponent(uma)}`)).body.data;
    expect((await found('$next@pay.example')).map(({ id }: Customer) => id)).toEqual([customer.id]);
    expect(await found('$ada@pay.example')).toEqual([]);
    const again = { customerType: 'INDIVIDUAL', umaAddress: '$ada@pay.example' };
    expect((await sandbox.send('POST', '/customers', { body: again })).status).toBe(201);
  });
});

describe('what a body may not be', () => {
  test.each<[name: string, type: 'INDIVIDUAL' | 'BUSINESS', change: unknown, places: string[]]>([
    ['without a type', 'INDIVIDUAL', { fullName: 'A' }, ['body /customerType']],
    ['of another type', 'INDIVIDUAL', { customerType: 'BUSINESS' }, ['body /customerType']],
    ['of another type', 'BUSINESS', { customerType: 'INDIVIDUAL' }, ['body /customerType']],
    ['of an unknown type', 'INDIVIDUAL', { customerType: 'person' }, ['body /customerType']],
    [
      'with fields of a business',
      'INDIVIDUAL',
      { customerType: 'INDIVIDUAL', businessInfo: { legalName: 'A' }, kybStatus: 'APPROVED' },
      ['body /businessInfo', 'body /kybStatus'],
    ],
    [
      'with fields of a person',
      'BUSINESS',
      { customerType: 'BUSINESS', fullName: 'A', birthDate: '2000-01-01', nationality: 'GB', kycStatus: 'APPROVED' },
      ['body /birthDate', 'body /fullName', 'body /kycStatus', 'body /nationality'],
    ],
    [
      'with fields that cannot change',
      'INDIVIDUAL',
      { customerType: 'INDIVIDUAL', id: 'Customer:a', platformCustomerId: 'p', region: 'GB', isDeleted: true },
      ['body /id', 'body /isDeleted', 'body /platformCustomerId', 'body /region'],
    ],
    [
      'with null, to empty a field',
      'INDIVIDUAL',
      { customerType: 'INDIVIDUAL', email: null, address: null },
      ['body /address', 'body /email'],
    ],
    ['with an empty text', 'INDIVIDUAL', { customerType: 'INDIVIDUAL', fullName: '' }, ['body /fullName']],
    ['with no currency', 'INDIVIDUAL', { customerType: 'INDIVIDUAL', currencies: [] }, ['body /currencies']],
    [
      'with a currency twice',
      'INDIVIDUAL',
      { customerType: 'INDIVIDUAL', currencies: ['USD', 'USD'] },
      ['body /currencies'],
    ],
    [
      'with a part of an address',
      'INDIVIDUAL',
      { customerType: 'INDIVIDUAL', address: { city: 'York' } },
      ['country', 'line1', 'postalCode', 'state'].map((part) => `body /address/${part}`),
    ],
    [
      'with an unknown part of businessInfo',
      'BUSINESS',
      { customerType: 'BUSINESS', businessInfo: { legalname: 'A' } },
      ['body /businessInfo/legalname'],
    ],
    ['a list', 'INDIVIDUAL', [], ['body ']],
    ['nothing', 'INDIVIDUAL', undefined, ['body ']],
  ])('%s (%s): 400, and nothing changes', async (_name, customerType, change, places) => {
    const { customer, update, read, accounts } = await openCustomer(bodies[customerType]);
    const before = await accounts();
    expect(faultPlaces(expectRefusal(await update(change), 400, 'INVALID_INPUT'))).toEqual(places);
    expect([await read(), await accounts()]).toEqual([customer, before]);
  });

  test.each([
    'Customer:00000000-0000-7000-8000-000000000000',
    'Customer:nonsense',
    'InternalAccount:00000000-0000-7000-8000-000000000000',
    'nonsense',
  ])('an id that names nobody (%s): 404', async (id) => {
    const sandbox = await openSandbox();
    for (const body of [{ customerType: 'INDIVIDUAL' }, { customerType: 'BUSINESS', email: 'a@b.example' }]) {
      expectRefusal(await sandbox.send('PATCH', `/customers/${id}`, { body }), 404, 'USER_NOT_FOUND');
    }
  });
});

describe('businessInfo', () => {
  const part = { taxId: '2', countriesOfOperation: ['GB', 'FR'] };

  test('is merged part by part; a list is replaced whole', async () => {
    const { update, read } = await openCustomer(business);
    expect((await update({ customerType: 'BUSINESS', businessInfo: part })).body.businessInfo).toEqual({
      ...businessInfo,
      ...part,
    });
    await update({ customerType: 'BUSINESS', businessInfo: { countriesOfOperation: ['DE'] } });
    expect((await read()).businessInfo).toEqual({ ...businessInfo, ...part, countriesOfOperation: ['DE'] });
  });

  test('that is not known yet begins with legalName', async () => {
    const { update, read } = await openCustomer({ customerType: 'BUSINESS' });
    for (const info of [part, {}]) {
      const refused = expectRefusal(
        await update({ customerType: 'BUSINESS', kybStatus: 'APPROVED', businessInfo: info }),
        400,
        'INVALID_INPUT',
      );
      expect(faultPlaces(refused)).toEqual(['body /businessInfo/legalName']);
    }
    expect(await read()).toMatchObject({ kybStatus: 'UNVERIFIED' });
    expect(await read()).not.toHaveProperty('businessInfo');
    await update({ customerType: 'BUSINESS', businessInfo: { legalName: 'Engines' } });
    await update({ customerType: 'BUSINESS', businessInfo: part });
    expect((await read()).businessInfo).toEqual({ legalName: 'Engines', ...part });
  });
});

describe('umaAddress', () => {
  test.each(['$grace@pay.example', '$GRACE@Pay.Example'])('of somebody else (%s): 409', async (umaAddress) => {
    const { sandbox, customer, update, read } = await openCustomer(person);
    await openCustomer({ customerType: 'BUSINESS', umaAddress: '$Grace@pay.example' }, sandbox);
    const change = { customerType: 'INDIVIDUAL', umaAddress, fullName: 'Grace', currencies: ['EUR'] };
    expectRefusal(await update(change), 409, 'UMA_ADDRESS_EXISTS');
    expect(await read()).toEqual(customer);
  });

  test.each(['$ada@pay.example', '$ADA@pay.EXAMPLE'])("of one's own (%s) is kept as sent", async (umaAddress) => {
    const { update } = await openCustomer(person);
    expect(await update({ customerType: 'INDIVIDUAL', umaAddress })).toMatchObject({
      status: 200,
      body: { umaAddress },
    });
  });
});

describe('without a new e-mail address nothing needs signing, even on a wallet that signs', () => {
  test.each([
    [{ fullName: 'Augusta' }, {}],
    [{ fullName: 'Augusta' }, { 'Request-Id': 'Request:nonsense' }],
    [{ fullName: 'Augusta' }, { 'Service-Wallet-Signature': 'wrong' }],
    [{ fullName: 'Augusta' }, { 'Request-Id': '', 'Service-Wallet-Signature': '' }],
    [{ email: 'ada@example.com', fullName: 'Augusta' }, {}],
    [{ email: 'ada@example.com' }, { 'Request-Id': 'Request:nonsense', 'Service-Wallet-Signature': 'wrong' }],
  ])('%j with headers %j: 200', async (change, headers) => {
    const sandbox = await openSandbox();
    const { customer } = await openSignedInWallet(sandbox);
    const body = { customerType: 'INDIVIDUAL', ...change };
    const answer = await sandbox.send('PATCH', `/customers/${customer.id}`, { body, headers });
    expect([answer.status, answer.body]).toEqual([200, { ...customer, ...change }]);
  });
});

test("every field and every choice of a business's facts, and every status, comes back", async () => {
  const { send } = await openSandbox();
  const { body } = await send('POST', '/customers', { body: { customerType: 'BUSINESS', businessInfo } });
  const changes = [
    ...everyChoice({ $ref: '#/components/schemas/BusinessInfoUpdate' }).map((facts) => ({ businessInfo: facts })),
    ...everyChoice({ $ref: '#/components/schemas/KybStatus' }).map((kybStatus) => ({ kybStatus })),
  ];
  for (const change of changes) {
    const answer = await send('PATCH', `/customers/${body.id}`, { body: { customerType: 'BUSINESS', ...change } });
    expect([answer.status, answer.body]).toMatchObject([200, change]);
  }
});
