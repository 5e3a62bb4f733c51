/**
 * Promise: an owner can add an external account once, and can use it at once. A refused request adds and changes
 * nothing (D03, D39, D40).
 */

import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { brokenValues } from '../support/requests/arbitrary.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must } from '../support/sandbox/harness.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import {
  addExternalAccount,
  externalAccountsPath,
  listExternal,
  mustAdd,
  newCustomer,
  openBareSandbox,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

testCommonRefusals('createExternalAccount', externalAccountsPath);

describe('an account', () => {
  test('of a customer comes back as it was sent, ACTIVE at once', async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    const body = usdRequest('000123456789', {
      customerId,
      platformAccountId: 'payout-1',
      defaultUmaDepositAccount: true,
    });
    const added = await mustAdd(sandbox, body);
    expect(added).toEqual({
      ...body,
      id: expect.stringMatching(/^ExternalAccount:[0-9a-f-]{36}$/),
      status: 'ACTIVE',
      beneficiaryVerificationStatus: 'MATCHED',
      beneficiaryVerifiedData: { fullName: 'Ada Byron' },
      accountInfo: { ...body.accountInfo, paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'] },
    });
    expect(await listExternal(sandbox)).toEqual([added]);
  });

  test('lists exactly the rails that its fields are sufficient for', async () => {
    const sandbox = await openBareSandbox();
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' };
    const add = async (fields: object) => {
      const accountInfo = { accountType: 'BDT_ACCOUNT', bankName: 'Bank', ...fields, beneficiary };
      return (await mustAdd(sandbox, { currency: 'BDT', accountInfo })).accountInfo;
    };
    const [accountNumber, phoneNumber] = ['1234567890', '+8801712345678'];
    expect(await add({ accountNumber })).toMatchObject({ paymentRails: ['BANK_TRANSFER'] });
    expect(await add({ phoneNumber })).toMatchObject({ paymentRails: ['MOBILE_MONEY'] });
    const both = { paymentRails: ['BANK_TRANSFER', 'MOBILE_MONEY'] };
    expect(await add({ accountNumber: '1234567891', phoneNumber })).toMatchObject(both);
  });

  test('of the platform has no customer', async () => {
    const sandbox = await openBareSandbox();
    const added = await mustAdd(sandbox, usdcRequest('wallet-1'));
    expect(added).toEqual({
      id: added.id,
      status: 'ACTIVE',
      currency: 'USDC',
      defaultUmaDepositAccount: false,
      beneficiaryVerificationStatus: 'MATCHED',
      accountInfo: { accountType: 'SOLANA_WALLET', address: 'wallet-1' },
    });
  });

  test('can be in a currency that its customer has no internal account of', async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox, { currencies: ['EUR'] });
    await mustAdd(sandbox, usdRequest('1', { customerId }));
  });

  test('may share its platformAccountId with another', async () => {
    const sandbox = await openBareSandbox();
    for (const number of ['1', '2']) await mustAdd(sandbox, usdRequest(number, { platformAccountId: 'same' }));
  });
});

describe('refusals add nothing', () => {
  test('whatever breaks the schema is 400 and names the place', async () => {
    const sandbox = await openBareSandbox();
    const schema = { $ref: '#/components/schemas/ExternalAccountCreateRequest' };
    const customerId = await newCustomer(sandbox);
    const valid = usdRequest('1', { customerId, platformAccountId: 'a', defaultUmaDepositAccount: false });
    for (const { what, value, pointers } of brokenValues(schema, valid)) {
      const answer = await sandbox.send('POST', externalAccountsPath, { body: value });
      const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
      expect([what, faultPlaces(refused)]).toEqual([what, pointers.map((pointer) => `body ${pointer}`)]);
    }
    expect(await listExternal(sandbox)).toEqual([]);
  });

  test('faults of several places come together', async () => {
    const answer = await addExternalAccount(
      await openBareSandbox(),
      usdRequest('', { currency: 'usd' }, { beneficiary: {} }),
    );
    const places = ['accountNumber', 'beneficiary/beneficiaryType'].map((place) => `body /accountInfo/${place}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([...places, 'body /currency']);
  });

  test('an unknown customer is 404, before anything else', async () => {
    const sandbox = await openBareSandbox();
    const body = usdRequest('105', { customerId: 'Customer:none', currency: 'XXX' });
    expectRefusal(await addExternalAccount(sandbox, body), 404, 'USER_NOT_FOUND');
    expect(await listExternal(sandbox)).toEqual([]);
  });

  test('a deleted customer is 410, before anything else', async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    await deleteCustomer(sandbox, customerId);
    for (const change of [{}, { currency: 'XXX' }]) {
      const answer = await addExternalAccount(sandbox, usdRequest('105', { customerId, ...change }));
      expectRefusal(answer, 410, 'CUSTOMER_DELETED');
    }
    expect(await listExternal(sandbox)).toEqual([]);
  });

  test.each([
    ['XXX', /not a currency/],
    ['EUR', /must be USD, the currency of USD_ACCOUNT/],
  ])('the currency %s for a USD_ACCOUNT is 400', async (currency, message) => {
    const answer = await addExternalAccount(await openBareSandbox(), usdRequest('1', { currency }));
    const refused = expectRefusal(answer, 400, 'INVALID_CURRENCY');
    expect(refused.details?.errors?.[0]?.message).toMatch(message);
  });

  test('an account that does not exist is 400, and takes no default away', async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    const isDefault = { customerId, defaultUmaDepositAccount: true };
    const before = await mustAdd(sandbox, usdRequest('1', isDefault));
    const answer = await addExternalAccount(sandbox, usdRequest('1105', isDefault));
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_BANK_ACCOUNT'))).toEqual(['body /accountInfo']);
    expect(await listExternal(sandbox)).toEqual([before]);
  });
});

describe('the same account twice', () => {
  test.each<[name: string, first: object, second: object]>([
    ['another bank name', usdRequest('12'), usdRequest('12', {}, { bankName: 'Bank of Tests' })],
    [
      'another beneficiary',
      usdRequest('12'),
      usdRequest('12', {}, { beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'B' } }),
    ],
    ['another name', usdRequest('12'), usdRequest('12', { platformAccountId: 'b' })],
    ['spaces', usdRequest('1234 5678'), usdRequest('12 34\u00a05678 ')],
    ['a wallet', usdcRequest('a'), usdcRequest('a')],
  ])('for one owner is 409 (%s)', async (_name, first, second) => {
    const sandbox = await openBareSandbox();
    for (const owner of [{}, { customerId: await newCustomer(sandbox) }]) {
      const before = await mustAdd(sandbox, { ...first, ...owner });
      const refused = expectRefusal(await addExternalAccount(sandbox, { ...second, ...owner }), 409, 'CONFLICT');
      expect(refused.message).toContain(before.id);
    }
    expect(await listExternal(sandbox)).toHaveLength(2);
  });

  test('for different owners, and another type, number or bank, is fine', async () => {
    const sandbox = await openBareSandbox();
    const [one, other] = [await newCustomer(sandbox), await newCustomer(sandbox)];
    for (const customerId of [one, other]) await mustAdd(sandbox, usdRequest('12', { customerId }));
    await mustAdd(sandbox, usdRequest('12'));
    await mustAdd(sandbox, usdRequest('012'));
    await mustAdd(sandbox, usdRequest('12', {}, { routingNumber: '121000248' }));
    await mustAdd(sandbox, usdcRequest('12'));
    await mustAdd(sandbox, { currency: 'USDC', accountInfo: { accountType: 'BASE_WALLET', address: '12' } });
    expect(await listExternal(sandbox)).toHaveLength(7);
  });

  test('one of two identifiers does not make it the same', async () => {
    const sandbox = await openBareSandbox();
    const bank = (fields: object) => ({
      currency: 'GHS',
      accountInfo: {
        accountType: 'GHS_ACCOUNT',
        bankName: 'B',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'B' },
        ...fields,
      },
    });
    await mustAdd(sandbox, bank({ accountNumber: '1', phoneNumber: '+233111111' }));
    await mustAdd(sandbox, bank({ phoneNumber: '+233111111' }));
    await mustAdd(sandbox, bank({ accountNumber: '1', phoneNumber: '+233222222' }));
    const again = bank({ accountNumber: '1', phoneNumber: '+233111111' });
    expectRefusal(await addExternalAccount(sandbox, again), 409, 'CONFLICT');
  });

  test('sent at once, one wins', async () => {
    const sandbox = await openBareSandbox();
    const answers = await Promise.all(Array.from({ length: 8 }, () => addExternalAccount(sandbox, usdRequest('12'))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await listExternal(sandbox)).toHaveLength(1);
  });

  test('after deletion is fine, as often as one likes', async () => {
    const sandbox = await openBareSandbox();
    const ids = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const { id } = await mustAdd(sandbox, usdRequest('12'));
      ids.add(id);
      expect((await sandbox.send('DELETE', `${externalAccountsPath}/${id}`)).status).toBe(204);
    }
    expect(ids.size).toBe(3);
  });
});

describe('the default account for UMA payments', () => {
  const asDefault = { defaultUmaDepositAccount: true };
  test('is the newest account that asks for it, per customer', async () => {
    const sandbox = await openBareSandbox();
    const [one, other] = [await newCustomer(sandbox), await newCustomer(sandbox)];
    const defaults = async () =>
      (await listExternal(sandbox)).filter((account) => account.defaultUmaDepositAccount).map(({ id }) => id);
    const first = await mustAdd(sandbox, usdRequest('1', { customerId: one, ...asDefault }));
    const foreign = await mustAdd(sandbox, usdRequest('1', { customerId: other, ...asDefault }));
    await mustAdd(sandbox, usdRequest('2', { customerId: one }));
    expect(await defaults()).toEqual([foreign.id, first.id]);
    const second = await mustAdd(sandbox, usdcRequest('3', { customerId: one, ...asDefault }));
    expect(await defaults()).toEqual([second.id, foreign.id]);
    expect((await sandbox.send('GET', `${externalAccountsPath}/${first.id}`)).body).toEqual({
      ...first,
      defaultUmaDepositAccount: false,
    });
  });

  test('is unset after its deletion, and can be set again', async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    const { id } = await mustAdd(sandbox, usdRequest('1', { customerId, ...asDefault }));
    must(await sandbox.send('DELETE', `${externalAccountsPath}/${id}`));
    await mustAdd(sandbox, usdRequest('2', { customerId }));
    await mustAdd(sandbox, usdRequest('1', { customerId, ...asDefault }));
    const flags = (await listExternal(sandbox)).map((account) => account.defaultUmaDepositAccount);
    expect(flags).toEqual([true, false]);
  });

  test('cannot be an account of the platform', async () => {
    const sandbox = await openBareSandbox();
    const refused = expectRefusal(await addExternalAccount(sandbox, usdRequest('1', asDefault)), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /defaultUmaDepositAccount']);
    expect(await listExternal(sandbox)).toEqual([]);
  });
});
