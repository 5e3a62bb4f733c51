/**
 * Promise: a customer is stored exactly as it was sent, with the defaults of D23 for missing fields. A malformed one
 * leaves no trace.
 */

import { describe, expect, test, vi } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const address = {
  line1: '1 Rue Été',
  line2: 'Bât. B',
  city: 'Paris',
  state: 'Île-de-France',
  postalCode: '75001',
  country: 'FR',
};
const individual = {
  customerType: 'INDIVIDUAL',
  platformCustomerId: 'user 42/β',
  umaAddress: '$Ada.L+1@Pay.Example',
  region: 'FR',
  currencies: ['EUR', 'USDB'],
  email: 'Ada+wallet@Example.com',
  kycStatus: 'PENDING',
  fullName: 'Ada Lovelace',
  birthDate: '1815-12-10',
  nationality: 'GB',
  address,
};
const businessInfo = {
  legalName: 'Analytical Engines Ltd',
  doingBusinessAs: 'Engines',
  country: 'GB',
  registrationNumber: 'AE-001',
  incorporatedOn: '2016-02-29',
  entityType: 'CORPORATION',
  taxId: 'GB 123',
  countriesOfOperation: ['GB', 'FR'],
  businessType: 'INFORMATION',
  purposeOfAccount: 'OTHER',
  sourceOfFunds: 'Sales\nand more',
  expectedMonthlyTransactionCount: 'COUNT_UNDER_10',
  expectedMonthlyTransactionVolume: 'VOLUME_UNDER_10K',
  expectedRecipientJurisdictions: ['FR'],
};
const business = { customerType: 'BUSINESS', kybStatus: 'APPROVED', region: 'GB', address, businessInfo };

const create = (sandbox: TestSandbox, body: object) => sandbox.send('POST', '/customers', { body });
const lists = async (sandbox: TestSandbox): Promise<unknown> => [
  (await sandbox.send('GET', '/customers')).body,
  (await sandbox.send('GET', '/customers/internal-accounts')).body,
];
testCommonRefusals('createCustomer', '/customers');

describe('what is sent comes back', () => {
  test.each([
    ['an individual with every field', individual],
    ['a business with every field', business],
    [
      'a business with the least businessInfo',
      { customerType: 'BUSINESS', businessInfo: { legalName: 'A', taxId: '1', incorporatedOn: '2020-01-01' } },
    ],
  ])('%s', async (_name, body) => {
    const sandbox = await openSandbox();
    const created = await create(sandbox, body);
    expect([created.status, created.body]).toEqual([201, expect.objectContaining(body)]);
    expect((await sandbox.send('GET', `/customers/${created.body.id}`)).body).toEqual(created.body);
  });

  test.each([
    ['five emoji of one code point each', '👩🚀🌍💸🔑'],
    ['a letter and its accent (NFD)', 'Zoe\u0308 Smi\u0301th001'],
    ['the same letter composed (NFC)', 'Zo\u00eb Sm\u00edth001'],
    ['a right-to-left name with marks', '\u200f\u0645\u062d\u0645\u062f\u200e (Ali)'],
    ['joined emoji', '👨‍👩‍👧‍👦'],
    ['spaces at the ends', '  Ada  '],
    ['line breaks and tabs', 'Ada\r\n\tLovelace'],
    ['quotes, markup and a backslash', `"O'Brien" <b>&amp;</b> \\n`],
    ['something like SQL', "Robert'); drop table customers;--"],
    ['the line separators of JavaScript', 'a\u2028b\u2029c'],
    ['not a character, but text', '\ufffe\uffff\u{10ffff}'],
    ['255 code points', '😀'.repeat(255)],
  ])('case 101: %s, byte for byte', async (_name, fullName) => {
    const sandbox = await openSandbox();
    const created = await create(sandbox, { customerType: 'INDIVIDUAL', fullName });
    expect(created.status).toBe(201);
    const kept = await sandbox.send('GET', `/customers/${created.body.id}`);
    expect(Buffer.from(kept.body.fullName)).toEqual(Buffer.from(fullName));
  });

  test.each([
    ['256 code points', 'a'.repeat(256)],
    ['256 emoji', '😀'.repeat(256)],
    ['nothing', ''],
  ])('case 101: a name of %s is 400', async (_name, fullName) => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(
      await create(sandbox, { customerType: 'INDIVIDUAL', fullName }),
      400,
      'INVALID_INPUT',
    );
    expect(faultPlaces(refused)).toEqual(['body /fullName']);
  });

  test.each(['America/Los_Angeles', 'Pacific/Kiritimati', 'UTC'])(
    'case 100: a birthDate is a day in any time zone (%s)',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      try {
        const sandbox = await openSandbox();
        for (const birthDate of ['2024-02-29', '1970-01-01', '0001-01-01', '9999-12-31']) {
          const created = await create(sandbox, { customerType: 'INDIVIDUAL', birthDate });
          expect([created.status, created.body.birthDate]).toEqual([201, birthDate]);
          expect(created.body.createdAt).toBe('2025-10-13T09:00:00.000Z');
        }
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  test.each([
    '2025-02-29',
    '1900-02-29',
    '2024-02-30',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '24-01-01',
    '2024-01-01T00:00:00Z',
    ' 2024-01-01',
    '2024/01/01',
    '２０２４-01-01',
  ])("case 100: %s isn't a day", async (birthDate) => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(
      await create(sandbox, { customerType: 'INDIVIDUAL', birthDate }),
      400,
      'INVALID_INPUT',
    );
    expect(faultPlaces(refused)).toEqual(['body /birthDate']);
  });
});

describe('what is left out', () => {
  test.each([
    ['INDIVIDUAL', { kycStatus: 'APPROVED' }, 'kybStatus'],
    ['BUSINESS', { kybStatus: 'UNVERIFIED', beneficialOwners: [] }, 'kycStatus'],
  ])('%s has its defaults, and no other field', async (customerType, status, absent) => {
    const sandbox = await openSandbox();
    const { body } = await create(sandbox, { customerType });
    expect(body).toEqual({
      id: expect.stringMatching(/^Customer:[0-9a-f-]{36}$/),
      platformCustomerId: expect.stringMatching(/^.{8,}$/),
      customerType,
      umaAddress: expect.stringMatching(/^\$[a-z0-9]+@.+\.example$/),
      currencies: ['USD', 'USDC', 'USDB'],
      ...status,
      isDeleted: false,
      createdAt: '2025-10-13T09:00:00.000Z',
      updatedAt: '2025-10-13T09:00:00.000Z',
    });
    expect(body).not.toHaveProperty(absent);
  });

  test('two customers made up alike differ in id, name and address', async () => {
    const sandbox = await openSandbox();
    const [one, two] = [
      await create(sandbox, { customerType: 'BUSINESS' }),
      await create(sandbox, { customerType: 'BUSINESS' }),
    ];
    for (const field of ['id', 'platformCustomerId', 'umaAddress']) expect(one.body[field]).not.toBe(two.body[field]);
  });

  test.each(['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED'])('%s may be given for either type', async (status) => {
    const sandbox = await openSandbox();
    const person = { customerType: 'INDIVIDUAL', kycStatus: status };
    const shop = { customerType: 'BUSINESS', kybStatus: status };
    for (const body of [person, shop]) expect(await create(sandbox, body)).toMatchObject({ status: 201, body });
  });
});

describe('the form', () => {
  test.each<[name: string, body: unknown, places: string[]]>([
    ['no type', {}, ['body /customerType']],
    ['an unknown type', { customerType: 'PERSON' }, ['body /customerType']],
    ['a type of another type', { customerType: ['INDIVIDUAL'] }, ['body /customerType']],
    ['an unknown field', { customerType: 'INDIVIDUAL', nickname: 'A' }, ['body /nickname']],
    [
      'a field of the service',
      { customerType: 'INDIVIDUAL', id: 'Customer:a', isDeleted: true },
      ['body /id', 'body /isDeleted'],
    ],
    ['a field of a business', { customerType: 'INDIVIDUAL', businessInfo }, ['body /businessInfo']],
    [
      'a field of a person',
      { customerType: 'BUSINESS', fullName: 'A', kycStatus: 'APPROVED' },
      ['body /fullName', 'body /kycStatus'],
    ],
    ['no e-mail address', { customerType: 'INDIVIDUAL', email: 'ada' }, ['body /email']],
    ['null', { customerType: 'INDIVIDUAL', email: null }, ['body /email']],
    ['no UMA address', { customerType: 'INDIVIDUAL', umaAddress: 'ada@pay.example' }, ['body /umaAddress']],
    [
      'an address without its parts',
      { customerType: 'INDIVIDUAL', address: { line1: 'a' } },
      ['city', 'country', 'postalCode', 'state'].map((part) => `body /address/${part}`),
    ],
    [
      'an unknown part of an address',
      { customerType: 'INDIVIDUAL', address: { ...address, zip: '1' } },
      ['body /address/zip'],
    ],
    [
      'businessInfo without what it needs',
      { customerType: 'BUSINESS', businessInfo: {} },
      ['incorporatedOn', 'legalName', 'taxId'].map((part) => `body /businessInfo/${part}`),
    ],
    [
      'several faults',
      { customerType: 'INDIVIDUAL', region: 'fr', nationality: 5, x: 1 },
      ['body /nationality', 'body /region', 'body /x'],
    ],
  ])('%s is 400 at its place', async (_name, body, places) => {
    const sandbox = await openSandbox();
    const before = await lists(sandbox);
    const refused = expectRefusal(await create(sandbox, body as object), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await lists(sandbox)).toEqual(before);
  });
});

test("every field and every choice of a business's facts comes back", async () => {
  const { send } = await openSandbox();
  for (const facts of everyChoice({ $ref: '#/components/schemas/BusinessInfoInput' })) {
    const answer = await send('POST', '/customers', { body: { customerType: 'BUSINESS', businessInfo: facts } });
    expect([answer.status, answer.body]).toMatchObject([201, { businessInfo: facts }]);
  }
});
