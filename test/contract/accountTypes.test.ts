/**
 * Promise: every account type of the contract works exactly as its schema says. A value that the schema accepts can be
 * added and is returned unchanged, with the rails that reach it. A value with one fault is refused, and the error names
 * its place (D03, D63, D64).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountTypes } from '../../generated/accountTypes.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { anyValue, brokenValues, resolved, type SchemaNode, valuesOf } from '../support/requests/arbitrary.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import type { Json } from '../support/requests/targets.ts';
import { byLength, sample } from '../support/run/length.ts';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { askForQuote, fromAccount, openPayer, toAccount } from '../support/scenes/payments.ts';

type Info = { readonly [field: string]: Json };

const union = resolved({ $ref: '#/components/schemas/ExternalAccountInfo' });
const types = (union.oneOf ?? []).map(resolved).map((schema) => [typeNameOf(schema), schema] as const);
const path = '/customers/external-accounts';

function typeNameOf({ properties }: SchemaNode): string {
  return String(properties?.['accountType']?.const);
}

function currenciesOf(schema: SchemaNode): string[] {
  return [schema['x-currency'] ?? ['JPY', 'USD', 'KWD']].flat() as string[];
}

function add(sandbox: TestSandbox, currency: string, accountInfo: Json): Promise<Answer> {
  return sandbox.send('POST', path, { body: { currency, accountInfo } });
}

/** The number of external accounts on the platform. */
async function countAdded(sandbox: TestSandbox): Promise<number> {
  return (await sandbox.send('GET', '/platform/external-accounts')).body.totalCount;
}

/** Copies of the type, each with the fields that one of its rails needs, because a schema can't say that (D64). */
function completed(schema: SchemaNode): SchemaNode[] {
  const ways = schema['x-rail-fields'] as { rail: string; fields: string[] }[] | undefined;
  if (ways === undefined) return [schema];
  return ways.map(({ rail, fields }) => ({
    ...schema,
    required: [...(schema.required ?? []), ...fields],
    properties: { ...schema.properties, paymentRails: { type: 'array', const: [rail] } },
  }));
}

/** Valid accounts whose identifier selects no refusal (D40). */
function accountsOf(schema: SchemaNode): fc.Arbitrary<Info> {
  return fc
    .oneof(...completed(schema).map(valuesOf))
    .filter((info) => !/1\s*0\s*5/.test(JSON.stringify(info))) as never;
}

/** The rails in the reply for an account that named none. */
function railsOf(schema: SchemaNode, info: Info): Json {
  const ways = schema['x-rail-fields'] as { rail: string; fields: string[] }[] | undefined;
  if (ways === undefined) return [...(resolved(schema.properties?.['paymentRails']?.items ?? {}).enum ?? [])];
  return [...new Set(ways.filter(({ fields }) => fields.every((field) => field in info)).map(({ rail }) => rail))];
}

test('there are 44 types, and the generated table has just these', () => {
  expect(types).toHaveLength(44);
  expect(Object.keys(accountTypes).sort()).toEqual(types.map(([name]) => name).sort());
});

test.each(types)(
  '%s with every field, and with each choice of each, comes back to the platform and to an agent',
  async (_name, schema) => {
    const sandbox = await openSandbox();
    const { agent, customerId } = await openAgentStage(sandbox);
    const [currency = ''] = currenciesOf(schema);
    for (const accountInfo of completed(schema).flatMap(everyChoice)) {
      const body = { currency, accountInfo, customerId, platformAccountId: 'own', defaultUmaDepositAccount: false };
      const added = await sandbox.send('POST', path, { body });
      expect([added.status, added.body]).toMatchObject([201, body]);
      must(await sandbox.send('DELETE', `${path}/${added.body.id}`), 204);
      const again = await agent.send('POST', '/external-accounts', { body });
      expect([again.status, again.body]).toMatchObject([201, body]);
      must(await sandbox.send('DELETE', `${path}/${again.body.id}`), 204);
    }
  },
);

describe.each(sample(types, 4))('%s', (name, schema) => {
  test('what the schema takes is added and comes back', async () => {
    const sandbox = await openSandbox();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...currenciesOf(schema)), accountsOf(schema), async (currency, info) => {
        const added = await add(sandbox, currency, info);
        const rails = schema.properties?.['paymentRails'] && { paymentRails: railsOf(schema, info) };
        expect([added.status, added.body.accountInfo]).toEqual([201, { ...rails, ...info }]);
        expect(added.body).toMatchObject({ currency, status: 'ACTIVE', defaultUmaDepositAccount: false });
        const { body } = await sandbox.send('GET', `${path}/${added.body.id}`);
        expect(body).toEqual(added.body);
        expect((await sandbox.send('DELETE', `${path}/${body.id}`)).status).toBe(204);
      }),
      { numRuns: byLength(4, 12) },
    );
  });

  const kinds = schema.properties?.['beneficiary'] === undefined ? ['none'] : ['INDIVIDUAL', 'BUSINESS'];
  test.each(kinds)('whatever breaks the schema is 400 and names the place (beneficiary %s)', async (kind) => {
    const sandbox = await openSandbox();
    const [currency = ''] = currenciesOf(schema);
    const [complete = schema] = completed(schema);
    const beneficiary = resolved(complete.properties?.['beneficiary'] ?? {}).oneOf?.find(
      (member) => resolved(member).properties?.['beneficiaryType']?.const === kind,
    );
    const valid = {
      ...(anyValue(complete) as Info),
      ...(beneficiary && { beneficiary: anyValue(beneficiary) }),
    };
    expect((await add(sandbox, currency, valid)).status).toBe(201);
    for (const { what, value, pointers, fault } of brokenValues(union, valid, '/accountInfo')) {
      const refused = expectRefusal(await add(sandbox, currency, value), 400, 'INVALID_INPUT');
      expect([what, faultPlaces(refused)]).toEqual([what, pointers.map((pointer) => `body ${pointer}`)]);
      if (fault !== undefined) expect(refused.details?.errors?.map(({ message }) => message)).toContain(fault);
    }
    expect(await countAdded(sandbox)).toBe(1);
  });

  test('a currency of another type, or of nobody, is 400', async () => {
    const sandbox = await openSandbox();
    const [valid] = completed(schema).map(anyValue);
    for (const currency of name === 'SWIFT_ACCOUNT' ? ['XXX'] : ['XXX', 'JPY', 'USDX']) {
      const refused = expectRefusal(await add(sandbox, currency, valid ?? null), 400, 'INVALID_CURRENCY');
      expect(faultPlaces(refused)).toEqual(['body /currency']);
    }
    expect(await countAdded(sandbox)).toBe(0);
  });
});

test('every rail can be asked for, by a quote and by a transfer out, and comes back', async () => {
  const sandbox = await openSandbox();
  const used = new Set<Json>();
  for (const [name, schema] of types) {
    const [currency = ''] = currenciesOf(schema);
    for (const { paymentRails: _all, ...accountInfo } of completed(schema).map((one) => anyValue(one) as Info)) {
      const { body: account } = await add(sandbox, currency, accountInfo);
      const unused = ((account.accountInfo.paymentRails ?? []) as Json[]).filter((rail) => !used.has(rail));
      if (unused.length === 0) continue;
      const payer = await openPayer(sandbox, { USD: 10_000_000, [currency]: 10_000_000 });
      for (const paymentRail of unused) {
        used.add(paymentRail);
        const destination = { accountId: account.id, paymentRail };
        const source = fromAccount(payer.account('USD'));
        const quote = await askForQuote(sandbox, source, toAccount(account.id, { paymentRail }), {
          lockedCurrencyAmount: 1_000_000,
          purposeOfPayment: 'GIFT',
        });
        expect([name, quote.status, quote.body]).toMatchObject([name, 201, { destination }]);
        const body = { source: { accountId: payer.account(currency) }, destination, amount: 100 };
        const transfer = await sandbox.send('POST', '/transfer-out', { body });
        expect([name, transfer.status, transfer.body]).toMatchObject([name, 201, { destination }]);
      }
    }
  }
  expect([...used].sort()).toEqual(everyChoice({ $ref: '#/components/schemas/PaymentRail' }).sort());
});

describe('payment rails', () => {
  const values: Record<string, string> = {
    accountNumber: '1234567890',
    phoneNumber: '+2341234567',
    bankAccountType: 'SAVINGS',
    country: 'JP',
    swiftCode: 'SBOXJP22',
  };
  const currencies: Record<string, string> = { SLV: 'USD', SWIFT: 'JPY' };
  const ibans: Record<string, string> = { EGP: `EG${'1'.repeat(27)}`, PKR: `PK12SBOX${'1'.repeat(16)}` };
  const attempt = async (type: string, fields: string, asked: string): Promise<Answer> => {
    const named = fields.split(' ').filter((field) => field !== '');
    const given = named.map((field) => [
      field,
      field === 'iban' ? (ibans[type] ?? 'DE89370400440532013000') : values[field],
    ]);
    return add(await openSandbox(), currencies[type] ?? type, {
      accountType: `${type}_ACCOUNT`,
      bankName: 'Bank of Tests',
      ...(type === 'SWIFT' ? { country: 'JP', swiftCode: 'SBOXJP22' } : {}),
      ...Object.fromEntries(given),
      ...(asked === '' ? {} : { paymentRails: asked.split(' ') }),
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' },
    });
  };

  test.each<[type: string, fields: string, asked: string, rails: string]>([
    ...['BDT', 'GHS', 'PKR'].flatMap((type): [string, string, string, string][] => [
      [type, 'accountNumber', '', 'BANK_TRANSFER'],
      [type, 'phoneNumber', '', 'MOBILE_MONEY'],
      [type, 'accountNumber phoneNumber', '', 'BANK_TRANSFER MOBILE_MONEY'],
      [type, 'accountNumber phoneNumber', 'MOBILE_MONEY', 'MOBILE_MONEY'],
      [type, 'accountNumber phoneNumber', 'MOBILE_MONEY BANK_TRANSFER', 'MOBILE_MONEY BANK_TRANSFER'],
    ]),
    ['EGP', 'iban', '', 'BANK_TRANSFER'],
    ['EGP', 'phoneNumber', '', 'MOBILE_MONEY'],
    ['EGP', 'iban phoneNumber', '', 'BANK_TRANSFER MOBILE_MONEY'],
    ...['COP', 'SLV'].flatMap((type): [string, string, string, string][] => [
      [type, 'accountNumber bankAccountType', '', 'BANK_TRANSFER'],
      [type, 'phoneNumber', '', 'MOBILE_MONEY'],
      [type, 'phoneNumber accountNumber', '', 'MOBILE_MONEY'],
      [type, 'phoneNumber bankAccountType', 'MOBILE_MONEY', 'MOBILE_MONEY'],
      [type, 'phoneNumber accountNumber bankAccountType', '', 'BANK_TRANSFER MOBILE_MONEY'],
    ]),
    ['SWIFT', 'iban', '', 'SWIFT'],
    ['SWIFT', 'accountNumber', 'SWIFT', 'SWIFT'],
    ['SWIFT', 'iban accountNumber', '', 'SWIFT'],
  ])('%s with %s, asked for "%s": %s', async (type, fields, asked, rails) => {
    const { status, body } = await attempt(type, fields, asked);
    expect([status, body.accountInfo?.paymentRails]).toEqual([201, rails.split(' ')]);
  });

  test.each([
    ['BDT', '', '', 'BANK_TRANSFER needs accountNumber; MOBILE_MONEY needs phoneNumber'],
    ['BDT', 'accountNumber', 'MOBILE_MONEY', 'MOBILE_MONEY needs phoneNumber'],
    ['GHS', '', '', 'BANK_TRANSFER needs accountNumber; MOBILE_MONEY needs phoneNumber'],
    ['GHS', 'phoneNumber', 'MOBILE_MONEY BANK_TRANSFER', 'BANK_TRANSFER needs accountNumber'],
    ['PKR', 'iban', '', 'BANK_TRANSFER needs accountNumber; MOBILE_MONEY needs phoneNumber'],
    ['EGP', '', 'BANK_TRANSFER', 'BANK_TRANSFER needs iban'],
    [
      'COP',
      'accountNumber',
      '',
      'BANK_TRANSFER needs accountNumber and bankAccountType; MOBILE_MONEY needs phoneNumber',
    ],
    ['COP', 'bankAccountType', 'BANK_TRANSFER', 'BANK_TRANSFER needs accountNumber and bankAccountType'],
    ['SLV', '', '', 'BANK_TRANSFER needs accountNumber and bankAccountType; MOBILE_MONEY needs phoneNumber'],
    ['SWIFT', '', '', 'SWIFT needs iban; SWIFT needs accountNumber'],
    ['SWIFT', '', 'SWIFT', 'SWIFT needs iban; SWIFT needs accountNumber'],
  ])('%s with "%s", asked for "%s", is 400: %s', async (type, fields, asked, ways) => {
    const refused = expectRefusal(await attempt(type, fields, asked), 400, 'INVALID_INPUT');
    const message = `lacks the fields of its payment rail: ${ways}`;
    expect(refused.details?.errors).toEqual([{ in: 'body', pointer: '/accountInfo', message }]);
  });
});

describe('LIGHTNING takes exactly one of its three', () => {
  const all = { invoice: 'lnbc1', bolt12: 'lno1', lightningAddress: 'ada@pay.example' };
  test.each([1, 2, 3, 4, 5, 6, 7, 0])('subset %i', async (bits) => {
    const given = Object.entries(all).filter((_entry, index) => (bits >> index) & 1);
    const answer = await add(await openSandbox(), 'BTC', { accountType: 'LIGHTNING', ...Object.fromEntries(given) });
    if (given.length === 1) {
      expect(answer.status).toBe(201);
      return;
    }
    const message = 'must have exactly one of invoice, bolt12 and lightningAddress besides accountType';
    const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
    expect(refused.details?.errors).toEqual([{ in: 'body', pointer: '/accountInfo', message }]);
  });
});
