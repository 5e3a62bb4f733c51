/**
 * Promise: two external accounts of one owner are the same only if their type, their currency and every identifying
 * field agree. The bank's name and the beneficiary don't matter (D40).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { resolved, type SchemaNode, valuesOf } from '../support/requests/arbitrary.ts';
import type { Json } from '../support/requests/targets.ts';
import { sample } from '../support/run/length.ts';
import {
  addExternalAccount,
  listOfPlatform,
  mustAdd,
  newCustomer,
  openBareSandbox,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

type Info = Readonly<Record<string, Json>>;

const union = resolved({ $ref: '#/components/schemas/ExternalAccountInfo' });
const schemas = (union.oneOf ?? []).map(resolved);
const typeOf = ({ properties }: SchemaNode): string => String(properties?.['accountType']?.const);
const currencyOf = (schema: SchemaNode): string => [schema['x-currency'] ?? 'JPY'].flat()[0] as string;

/** Each type with the largest sets of fields that an account can have: LIGHTNING has one of three. */
const variants = schemas.flatMap((schema): [name: string, schema: SchemaNode, fields: string[]][] => {
  const fields = Object.keys(schema.properties ?? {});
  const type = typeOf(schema);
  if (type !== 'LIGHTNING') return [[type, schema, fields]];
  return fields.slice(1).map((field) => [`${type} by ${field}`, schema, ['accountType', field]]);
});

const isOptionalName = (schema: SchemaNode, field: string): boolean =>
  field === 'bankName' && !schema.required?.includes('bankName');
const tellsNothing = ['accountType', 'beneficiary', 'paymentRails'];

/** The fields that identify an account of the type. */
const identityOf = (schema: SchemaNode, fields: readonly string[]): string[] =>
  fields.filter((field) => !tellsNothing.includes(field) && !isOptionalName(schema, field));

/** Two values of a field that differ in more than spaces, neither with a suffix that refuses the account. */
function twoValues(schema: SchemaNode): [Json, Json] {
  const plain = (value: Json): string => JSON.stringify(value).replaceAll(/\s|\\[a-z]/g, '');
  const good = fc
    .sample(valuesOf(schema), { seed: 7, numRuns: 10 })
    .filter((value) => !/1\s*0\s*5/.test(String(value)));
  const [first = null] = good;
  const second = good.find((value) => plain(value) !== plain(first));
  if (second === undefined) throw new Error(`No two values of ${JSON.stringify(schema)}`);
  return [first, second];
}

/** Two accounts of a type that differ in every field. They don't choose their rails. */
function twoAccounts(schema: SchemaNode, fields: readonly string[]): [base: Info, other: Info] {
  const told = fields.filter((field) => field !== 'paymentRails');
  const pairs = told.map((field) => {
    const property = resolved(schema.properties?.[field] ?? {});
    const [first, second] = property.const === undefined ? twoValues(property) : [property.const, property.const];
    return [field, first, second] as const;
  });
  return [
    Object.fromEntries(pairs.map(([field, first]) => [field, first])) as Info,
    Object.fromEntries(pairs.map(([field, _first, second]) => [field, second])) as Info,
  ];
}

describe.each(sample(variants, 16))('%s', (_name, schema, fields) => {
  const currency = currencyOf(schema);
  const [base, other] = twoAccounts(schema, fields);

  test('each field that identifies makes another account when it alone differs', async () => {
    const sandbox = await openBareSandbox();
    await mustAdd(sandbox, { currency, accountInfo: base });
    for (const field of identityOf(schema, fields)) {
      const answer = await addExternalAccount(sandbox, { currency, accountInfo: { ...base, [field]: other[field] } });
      expect([field, answer.status, answer.body.message]).toEqual([field, 201, undefined]);
    }
  });

  test('it is the same account with another beneficiary, other rails, another optional bank name, or spaces', async () => {
    const sandbox = await openBareSandbox();
    const { id } = await mustAdd(sandbox, { currency, accountInfo: base });
    const changes: Info[] = [
      {},
      ...(fields.includes('beneficiary') ? [{ beneficiary: other['beneficiary'] as Json }] : []),
      ...railsOf(schema).map((rail) => ({ paymentRails: [rail] })),
      ...(fields.includes('bankName') && isOptionalName(schema, 'bankName')
        ? [{ bankName: other['bankName'] as Json }]
        : []),
      ...('bankName' in base ? [{ bankName: `${base['bankName']} ` }] : []),
    ];
    for (const change of changes) {
      const answer = await addExternalAccount(sandbox, { currency, accountInfo: { ...base, ...change } });
      expect(expectRefusal(answer, 409, 'CONFLICT').message).toContain(id);
    }
  });

  test('a field that identifies and consists of spaces is 400', async () => {
    const sandbox = await openBareSandbox();
    for (const field of identityOf(schema, fields)) {
      for (const blank of ['', ' ', ' \t\u00a0\u2003 ', ' '.repeat(20)]) {
        const answer = await addExternalAccount(sandbox, { currency, accountInfo: { ...base, [field]: blank } });
        const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
        expect(new Set(faultPlaces(refused))).toEqual(new Set([`body /accountInfo/${field}`]));
      }
    }
    expect(await listOfPlatform(sandbox)).toEqual([]);
  });
});

function railsOf(schema: SchemaNode): string[] {
  const { items = {} } = resolved(schema.properties?.['paymentRails'] ?? {});
  return (resolved(items).enum ?? []) as string[];
}

describe('the currency', () => {
  test.each([
    ['SPARK_WALLET', { accountType: 'SPARK_WALLET', address: 'spark1one' }, ['BTC', 'USDB']],
    [
      'SWIFT_ACCOUNT',
      {
        accountType: 'SWIFT_ACCOUNT',
        country: 'JP',
        swiftCode: 'SBOXJP22',
        bankName: 'Bank of Tests',
        accountNumber: '1234567',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' },
      },
      ['JPY', 'KWD'],
    ],
  ])('of %s makes another account', async (_type, accountInfo, currencies) => {
    const sandbox = await openBareSandbox();
    for (const currency of currencies) await mustAdd(sandbox, { currency, accountInfo });
    for (const currency of currencies) {
      expectRefusal(await addExternalAccount(sandbox, { currency, accountInfo }), 409, 'CONFLICT');
    }
  });

  test.each(['USDB', 'USDC', 'USDT', 'BTC'])('of SWIFT_ACCOUNT is a national one: %s is 400', async (currency) => {
    const [, swift] = variants.find(([name]) => name === 'SWIFT_ACCOUNT') ?? [];
    const [accountInfo] = twoAccounts(swift ?? {}, Object.keys(swift?.properties ?? {}));
    const answer = await addExternalAccount(await openBareSandbox(), { currency, accountInfo });
    expect(expectRefusal(answer, 400, 'INVALID_CURRENCY').details?.errors).toEqual([
      { in: 'body', pointer: '/currency', message: 'must be a national currency, the currency of SWIFT_ACCOUNT' },
    ]);
  });
});

test('the same account may belong to two customers and to the platform', async () => {
  const sandbox = await openBareSandbox();
  const owners = [{ customerId: await newCustomer(sandbox) }, { customerId: await newCustomer(sandbox) }, {}];
  for (const owner of owners) await mustAdd(sandbox, usdRequest('1', owner));
  for (const owner of owners) expectRefusal(await addExternalAccount(sandbox, usdRequest('1', owner)), 409, 'CONFLICT');
});

describe('what a beneficiary and a bank account may say', () => {
  const address = { line1: '1 Analytical Row', postalCode: 'W1', country: 'GB' };
  const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron', address };

  test('an address needs line1, postalCode and country, and comes back as it was sent', async () => {
    const sandbox = await openBareSandbox();
    const added = await mustAdd(sandbox, usdRequest('1', {}, { beneficiary }));
    expect((added.accountInfo as { beneficiary?: unknown }).beneficiary).toEqual(beneficiary);
    for (const field of Object.keys(address) as (keyof typeof address)[]) {
      const { [field]: _gone, ...rest } = address;
      const body = usdRequest('2', {}, { beneficiary: { ...beneficiary, address: rest } });
      const refused = expectRefusal(await addExternalAccount(sandbox, body), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([`body /accountInfo/beneficiary/address/${field}`]);
    }
  });

  test('a customer still needs the whole address', async () => {
    const sandbox = await openBareSandbox();
    const answer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', address } });
    const places = faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'));
    expect(places).toEqual(['body /address/city', 'body /address/state']);
  });

  test('bankName and bankAccountType of a US account come back', async () => {
    const said = { bankName: 'Bank of Tests', bankAccountType: 'SAVINGS' };
    const added = await mustAdd(await openBareSandbox(), usdRequest('1', {}, said));
    expect(added.accountInfo).toMatchObject(said);
  });

  const reachedAtABank = schemas.filter((schema) => railsOf(schema).some((rail) => rail !== 'MOBILE_MONEY'));
  test('every type that a bank has takes a bankName, and no other', () => {
    expect(reachedAtABank).toHaveLength(27);
    const withName = schemas.filter(({ properties }) => properties?.['bankName'] !== undefined);
    expect(withName.map(typeOf)).toEqual(reachedAtABank.map(typeOf));
  });
});
