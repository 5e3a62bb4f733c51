/**
 * Promise: no two customers share a UMA address or platform id, currencies that exclude each other are refused, and
 * each currency has one account (D23). A refusal leaves no trace.
 */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../generated/operations.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const create = (sandbox: TestSandbox, body: object) => sandbox.send('POST', '/customers', { body });
const lists = async (sandbox: TestSandbox): Promise<unknown> => [
  (await sandbox.send('GET', '/customers')).body,
  (await sandbox.send('GET', '/customers/internal-accounts')).body,
];
const accountsOf = async (sandbox: TestSandbox, customerId: string): Promise<Record<string, string>> => {
  const { data } = (await sandbox.send('GET', `/customers/internal-accounts?customerId=${customerId}`)).body;
  return Object.fromEntries(
    data.map((account: { balance: { currency: { code: string } }; type: string }) => [
      account.balance.currency.code,
      account.type,
    ]),
  );
};

describe('accounts', () => {
  test.each([
    [undefined, { USD: 'INTERNAL_FIAT', USDC: 'INTERNAL_CRYPTO', USDB: 'EMBEDDED_WALLET' }],
    [['EUR'], { EUR: 'INTERNAL_FIAT' }],
    [['USDB'], { USDB: 'EMBEDDED_WALLET' }],
    [
      ['BTC', 'USDT', 'JPY', 'KWD'],
      { BTC: 'INTERNAL_CRYPTO', USDT: 'INTERNAL_CRYPTO', JPY: 'INTERNAL_FIAT', KWD: 'INTERNAL_FIAT' },
    ],
    [['KES', 'USD'], { KES: 'INTERNAL_FIAT', USD: 'INTERNAL_FIAT' }],
  ])('currencies %s give one empty account each', async (currencies, types) => {
    const sandbox = await openSandbox();
    const { body } = await create(sandbox, { customerType: 'INDIVIDUAL', ...(currencies && { currencies }) });
    expect(body.currencies).toEqual(currencies ?? Object.keys(types));
    expect(await accountsOf(sandbox, body.id)).toEqual(types);
  });
});

describe('values that must be unique, and combinations', () => {
  const first = { customerType: 'INDIVIDUAL', umaAddress: '$ada@pay.example', platformCustomerId: 'ada' };

  test.each<[name: string, fields: object, status: number, code: ErrorCode]>([
    ['the UMA address', { umaAddress: '$ada@pay.example' }, 409, 'UMA_ADDRESS_EXISTS'],
    ['it in other letters', { umaAddress: '$ADA@Pay.Example' }, 409, 'UMA_ADDRESS_EXISTS'],
    ['it of the ready-made world', { umaAddress: '$amara@countersign.example' }, 409, 'UMA_ADDRESS_EXISTS'],
    ['the platformCustomerId', { platformCustomerId: 'ada' }, 409, 'CONFLICT'],
    ['both', { umaAddress: '$ada@pay.example', platformCustomerId: 'ada' }, 409, 'UMA_ADDRESS_EXISTS'],
  ])('%s taken is 409 and leaves nothing', async (_name, fields, status, code) => {
    const sandbox = await openSandbox();
    expect((await create(sandbox, first)).status).toBe(201);
    const before = await lists(sandbox);
    for (const customerType of ['INDIVIDUAL', 'BUSINESS']) {
      expectRefusal(await create(sandbox, { customerType, ...fields }), status, code);
    }
    expect(await lists(sandbox)).toEqual(before);
  });

  test('of ten that want one address at once, one gets it', async () => {
    const sandbox = await openSandbox();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(sandbox, first)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect((await sandbox.send('GET', '/customers')).body.totalCount).toBe(3);
  });

  test('a platformCustomerId in other letters is another', async () => {
    const sandbox = await openSandbox();
    await create(sandbox, first);
    expect((await create(sandbox, { customerType: 'INDIVIDUAL', platformCustomerId: 'Ada' })).status).toBe(201);
  });

  test.each<[currencies: unknown[], code: ErrorCode, places: string[]]>([
    [['KES', 'NGN'], 'INVALID_CURRENCY', ['body /currencies']],
    [['USD', 'NGN', 'EUR', 'KES'], 'INVALID_CURRENCY', ['body /currencies']],
    [['XXX'], 'INVALID_CURRENCY', ['body /currencies/0']],
    [['USD', 'ZZZ', 'QQQQQ'], 'INVALID_CURRENCY', ['body /currencies/1', 'body /currencies/2']],
    [['usd'], 'INVALID_INPUT', ['body /currencies/0']],
    [['USD', 'USD'], 'INVALID_INPUT', ['body /currencies']],
    [[], 'INVALID_INPUT', ['body /currencies']],
    [[840], 'INVALID_INPUT', ['body /currencies/0']],
  ])('currencies %j are 400 %s', async (currencies, code, places) => {
    const sandbox = await openSandbox();
    const before = await lists(sandbox);
    const refused = expectRefusal(await create(sandbox, { customerType: 'INDIVIDUAL', currencies }), 400, code);
    expect(faultPlaces(refused)).toEqual(places);
    expect(await lists(sandbox)).toEqual(before);
  });

  test('the refused pair is named', async () => {
    const refused = await create(await openSandbox(), { customerType: 'INDIVIDUAL', currencies: ['NGN', 'KES'] });
    expect(refused.body.details.errors[0].message).toMatch(/KES and NGN/);
  });
});

describe('the status of the check (D23, D52)', () => {
  const statuses = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED'];
  const kinds = [
    ['INDIVIDUAL', 'kycStatus', 'APPROVED'],
    ['BUSINESS', 'kybStatus', 'UNVERIFIED'],
  ] as const;
  const rows = kinds.flatMap(([customerType, field, unless]) =>
    [undefined, ...statuses].flatMap((from) => statuses.map((to) => ({ customerType, field, unless, from, to }))),
  );

  test.each(rows)('$customerType: from $from an update may take it to $to', async (row) => {
    const { customerType, field, unless, from, to } = row;
    const sandbox = await openSandbox();
    const { body } = await create(sandbox, { customerType, ...(from === undefined ? {} : { [field]: from }) });
    expect(body[field]).toBe(from ?? unless);
    const path = `/customers/${body.id}`;
    const kept = await sandbox.send('PATCH', path, { body: { customerType, email: 'a@b.example' } });
    expect(kept.body[field]).toBe(from ?? unless);
    expect(await sandbox.send('PATCH', path, { body: { customerType, [field]: to } })).toMatchObject({
      status: 200,
      body: { [field]: to },
    });
    expect((await sandbox.send('GET', path)).body[field]).toBe(to);
  });
});
