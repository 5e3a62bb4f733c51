/**
 * Promise: a change of the configuration replaces only the fields that it names, is applied completely or not at all,
 * and affects only what comes later (D41, D68).
 */

import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../generated/operations.ts';
import type { InternalAccount } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';

testCommonRefusals('updateConfig', '/config');

const update = (sandbox: TestSandbox, body: unknown) => sandbox.send('PATCH', '/config', { body });
const read = async (sandbox: TestSandbox) => (await sandbox.send('GET', '/config')).body;
const currency = (currencyCode: string, more: object = {}) => ({
  currencyCode,
  minAmount: 100,
  maxAmount: 5000,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['OUTGOING'],
  ...more,
});
const currencies = (...codes: string[]) => ({ supportedCurrencies: codes.map((code) => currency(code)) });
/** The platform's own accounts as `currency type amount`, oldest first. */
const accounts = async (sandbox: TestSandbox): Promise<string[]> => {
  const { body } = await sandbox.send('GET', '/platform/internal-accounts?limit=100');
  return body.data
    .map(({ balance, type }: InternalAccount) => `${balance.currency.code} ${type} ${balance.amount}`)
    .reverse();
};
const first = ['USD INTERNAL_FIAT 0', 'USDC INTERNAL_CRYPTO 0', 'USDB INTERNAL_CRYPTO 0'];

describe('what is named', () => {
  test.each<[change: Record<string, unknown>]>([
    [{ umaDomain: 'Pay.Example' }],
    [{ umaDomain: 'localhost' }],
    [{ supportedCurrencies: [currency('USD')] }],
    [
      {
        supportedCurrencies: [
          currency('EUR', {
            minAmount: 0,
            maxAmount: 0,
            requiredCounterpartyFields: [
              { name: 'FULL_NAME', mandatory: true },
              { name: 'EMAIL', mandatory: false },
            ],
            providerRequiredCustomerFields: ['TAX_ID'],
            providerRequiredCounterpartyCustomerFields: [],
            enabledTransactionTypes: [],
          }),
          currency('JPY', { minAmount: 9_000_000_000_000_000, maxAmount: 9_000_000_000_000_000 }),
        ],
      },
    ],
  ])('%j is replaced whole, and nothing else changes', async (change) => {
    const sandbox = await openSandbox();
    const before = await read(sandbox);
    await sandbox.advance(60);
    const answer = await update(sandbox, change);
    const expected = { ...before, ...change, updatedAt: '2025-10-13T09:01:00.000Z' };
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await read(sandbox)).toEqual(expected);
  });

  test.each([
    { appName: 'Engines 😀' },
    { otpLength: 4 },
    { otpLength: 12, alphanumeric: true },
    { expirationSeconds: 1 },
    { expirationSeconds: 86_400 },
    { sendFromEmailAddress: 'codes@pay.example', replyToEmailAddress: 'help@pay.example' },
    { sendFromEmailSenderName: 'Engines' },
    { logoUrl: 'https://pay.example/logo.png?x=1' },
    {},
  ])('embeddedWalletConfig %j is merged field by field', async (change) => {
    const sandbox = await openSandbox();
    await update(sandbox, { embeddedWalletConfig: { appName: 'Before', logoUrl: 'https://pay.example/before.png' } });
    const before = await read(sandbox);
    const answer = await update(sandbox, { embeddedWalletConfig: change });
    const expected = { ...before, embeddedWalletConfig: { ...before.embeddedWalletConfig, ...change } };
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await read(sandbox)).toEqual(expected);
  });

  test('all at once, and nothing at all', async () => {
    const sandbox = await openSandbox();
    const before = await read(sandbox);
    expect((await update(sandbox, {})).body).toEqual(before);
    const change = { umaDomain: 'pay.example', ...currencies('GBP', 'USD'), embeddedWalletConfig: { otpLength: 8 } };
    const embeddedWalletConfig = { ...before.embeddedWalletConfig, otpLength: 8 };
    expect((await update(sandbox, change)).body).toEqual({ ...before, ...change, embeddedWalletConfig });
  });

  test("is this platform's alone", async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    const before = await read(other);
    await update(sandbox, { umaDomain: 'pay.example', ...currencies('EUR') });
    expect([await read(other), await accounts(other)]).toEqual([before, first]);
  });
});

describe('currencies', () => {
  test('a new one opens an account of the platform; one that is gone keeps its own, and is met again', async () => {
    const sandbox = await openSandbox();
    await update(sandbox, currencies('EUR', 'BTC', 'USDB'));
    const opened = [...first, 'EUR INTERNAL_FIAT 0', 'BTC INTERNAL_CRYPTO 0'];
    expect(await accounts(sandbox)).toEqual(opened);
    for (const codes of [['USD'], ['EUR', 'USD'], ['BTC']]) await update(sandbox, currencies(...codes));
    expect(await accounts(sandbox)).toEqual(opened);
  });

  test("one's own account keeps its money when its currency goes", async () => {
    const sandbox = await openSandbox();
    const [usd] = (await sandbox.send('GET', '/platform/internal-accounts?currency=USD')).body.data;
    const path = `/sandbox/internal-accounts/${usd.id}/fund`;
    expect((await sandbox.send('POST', path, { body: { amount: 7 } })).status).toBe(200);
    await update(sandbox, currencies('EUR'));
    expect((await accounts(sandbox))[0]).toBe('USD INTERNAL_FIAT 7');
    expect((await sandbox.send('POST', path, { body: { amount: 1 } })).status).toBe(200);
  });

  test('of customers, present and future, are not restricted by them', async () => {
    const sandbox = await openSandbox();
    const customers = (await sandbox.send('GET', '/customers')).body;
    await update(sandbox, currencies('EUR'));
    expect((await sandbox.send('GET', '/customers')).body).toEqual(customers);
    const create = (body: object) => sandbox.send('POST', '/customers', { body });
    expect((await create({ customerType: 'INDIVIDUAL', currencies: ['JPY'] })).status).toBe(201);
    expect((await create({ customerType: 'INDIVIDUAL' })).body.currencies).toEqual(['USD', 'USDC', 'USDB']);
  });

  test('a platform may have both KES and NGN', async () => {
    expect((await update(await openSandbox(), currencies('KES', 'NGN'))).status).toBe(200);
  });
});

describe('umaDomain', () => {
  test('ends the addresses that are made up from then on, and no others', async () => {
    const sandbox = await openSandbox();
    const create = async (body: object = {}) =>
      (await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', ...body } })).body;
    const before = await create();
    expect(before.umaAddress).toMatch(/^\$[0-9a-z]+@countersign\.example$/);
    const umaDomain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    for (const domain of ['Pay.Example', umaDomain]) {
      expect((await update(sandbox, { umaDomain: domain })).status).toBe(200);
      expect((await create()).umaAddress).toMatch(new RegExp(`^\\$[0-9a-z]+@${domain}$`));
    }
    expect((await create({ umaAddress: '$ada@other.example' })).umaAddress).toBe('$ada@other.example');
    expect((await sandbox.send('GET', `/customers/${before.id}`)).body).toEqual(before);
  });
});

describe('refusals change nothing', () => {
  const at = (...parts: string[]) => parts.map((part) => `body /supportedCurrencies/${part}`);
  const wallet = (name: string, value: unknown): [object, ErrorCode, string[]] => [
    { embeddedWalletConfig: { [name]: value } },
    'INVALID_INPUT',
    [`body /embeddedWalletConfig/${name}`],
  ];

  test.each<[change: unknown, code: ErrorCode, places: string[]]>([
    [currencies('USD', 'XYZ'), 'INVALID_CURRENCY', at('1/currencyCode')],
    [currencies('USD', 'XYZ', 'ABCDE'), 'INVALID_CURRENCY', at('1/currencyCode', '2/currencyCode')],
    [currencies('usd'), 'INVALID_INPUT', at('0/currencyCode')],
    [currencies('USD', 'EUR', 'USD'), 'INVALID_INPUT', at('2/currencyCode')],
    [{ supportedCurrencies: [currency('USD', { minAmount: 5001 })] }, 'INVALID_INPUT', at('0/maxAmount')],
    [
      { supportedCurrencies: [currency('USD', { maxAmount: 99 }), currency('USD')] },
      'INVALID_INPUT',
      at('0/maxAmount', '1/currencyCode'),
    ],
    [{ supportedCurrencies: [currency('USD', { minAmount: -1 })] }, 'INVALID_INPUT', at('0/minAmount')],
    [
      { supportedCurrencies: [currency('USD', { maxAmount: 9_000_000_000_000_001 })] },
      'INVALID_INPUT',
      at('0/maxAmount'),
    ],
    [{ supportedCurrencies: [currency('USD', { minAmount: 0.5 })] }, 'INVALID_INPUT', at('0/minAmount')],
    [
      { supportedCurrencies: [{ currencyCode: 'USD' }] },
      'INVALID_INPUT',
      at(
        ...['enabledTransactionTypes', 'maxAmount', 'minAmount', 'requiredCounterpartyFields'].map((one) => `0/${one}`),
      ),
    ],
    [
      { supportedCurrencies: [currency('USD', { enabledTransactionTypes: ['BOTH'] })] },
      'INVALID_INPUT',
      at('0/enabledTransactionTypes/0'),
    ],
    [
      {
        supportedCurrencies: [currency('USD', { requiredCounterpartyFields: [{ name: 'ADDRESS', mandatory: true }] })],
      },
      'INVALID_INPUT',
      at('0/requiredCounterpartyFields/0/name'),
    ],
    [{ supportedCurrencies: [] }, 'INVALID_INPUT', ['body /supportedCurrencies']],
    [{ supportedCurrencies: null }, 'INVALID_INPUT', ['body /supportedCurrencies']],
    [{ umaDomain: 'https://pay.example' }, 'INVALID_INPUT', ['body /umaDomain']],
    [{ umaDomain: '' }, 'INVALID_INPUT', ['body /umaDomain']],
    [{ umaDomain: 'pay.example.' }, 'INVALID_INPUT', ['body /umaDomain']],
    [{ umaDomain: null }, 'INVALID_INPUT', ['body /umaDomain']],
    [{ webhookEndpoint: 'https://pay.example' }, 'INVALID_INPUT', ['body /webhookEndpoint']],
    [{ isRegulatedFinancialInstitution: true }, 'INVALID_INPUT', ['body /isRegulatedFinancialInstitution']],
    [{ id: 'PlatformConfig:a' }, 'INVALID_INPUT', ['body /id']],
    wallet('otpLength', 3),
    wallet('otpLength', 13),
    wallet('otpLength', 6.5),
    wallet('otpLength', '6'),
    wallet('alphanumeric', 'yes'),
    wallet('expirationSeconds', 0),
    wallet('expirationSeconds', 86_401),
    wallet('sendFromEmailAddress', 'codes'),
    wallet('replyToEmailAddress', null),
    wallet('sendFromEmailSenderName', ''),
    wallet('logoUrl', '/logo.png'),
    wallet('colour', 'red'),
    [[], 'INVALID_INPUT', ['body ']],
  ])('%j: 400 %s at its place', async (change, code, places) => {
    const sandbox = await openSandbox();
    const before = await read(sandbox);
    await sandbox.advance(60);
    const whole = Array.isArray(change) ? change : { umaDomain: 'pay.example', ...(change as object) };
    expect(faultPlaces(expectRefusal(await update(sandbox, whole), 400, code))).toEqual(places);
    expect([await read(sandbox), await accounts(sandbox)]).toEqual([before, first]);
  });

  test('two faults of one currency: both are listed, in the order of its fields', async () => {
    const supportedCurrencies = [currency('USD'), currency('USD', { maxAmount: 99 })];
    const refused = expectRefusal(await update(await openSandbox(), { supportedCurrencies }), 400, 'INVALID_INPUT');
    const [first, second] = ['currencyCode', 'maxAmount'].map((field) => `/supportedCurrencies/1/${field}`);
    expect(refused).toMatchObject({ details: { errors: [{ pointer: first }, { pointer: second }] } });
  });
});

test('every name of a field that a currency can ask for comes back', async () => {
  const sandbox = await openSandbox();
  const named = everyChoice({ $ref: '#/components/schemas/CustomerInfoFieldName' });
  for (const some of [named.slice(0, 15), named.slice(15)]) {
    const config = currency('EUR', {
      requiredCounterpartyFields: some.map((name) => ({ name, mandatory: false })),
      providerRequiredCustomerFields: some,
      providerRequiredCounterpartyCustomerFields: some,
    });
    const answer = await update(sandbox, { supportedCurrencies: [config] });
    expect([answer.status, answer.body]).toMatchObject([200, { supportedCurrencies: [config] }]);
  }
});
