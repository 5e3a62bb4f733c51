/**
 * Promise: for every type of account, the last three characters of its identifier select the result of the check of the
 * beneficiary's name. The name that the check finds fits the result (D40).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { runs } from '../support/run/length.ts';
import {
  addExternalAccount,
  listExternal,
  mustAdd,
  openBareSandbox,
  person,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

const outcomes = {
  101: 'MATCHED',
  102: 'NOT_MATCHED',
  103: 'PARTIAL_MATCH',
  104: 'PENDING',
  105: 'INVALID_BANK_ACCOUNT',
  106: 'UNSUPPORTED',
  107: 'CHECKED_BY_RECEIVING_FI',
  108: 'MATCHED',
} as const;

const address = { line1: '1 Road', city: 'Town', state: 'ST', postalCode: '1', country: 'DE' };
const brl = { pixKeyType: 'EMAIL', taxId: '12345678901' };
const uncommon = { bankName: 'Bank' };

/** What identifies an account of the type, with a suffix, and the other fields of its `accountInfo`. */
const kinds: [kind: string, currency: string, info: (suffix: string) => object][] = [
  ['USD_ACCOUNT', 'USD', (suffix) => ({ accountNumber: `0001${suffix}`, routingNumber: '021000021' })],
  [
    'USD_ACCOUNT with spaces',
    'USD',
    (suffix) => ({ accountNumber: `0 1${[...suffix].join(' ')}  `, routingNumber: '021000021' }),
  ],
  ['USD_ACCOUNT of just these', 'USD', (suffix) => ({ accountNumber: suffix, routingNumber: '021000021' })],
  ['EUR_ACCOUNT', 'EUR', (suffix) => ({ iban: `DE893704004405${suffix}`, beneficiary: { ...person, address } })],
  ['MXN_ACCOUNT', 'MXN', (suffix) => ({ clabeNumber: `032180000118359${suffix}` })],
  ['BRL_ACCOUNT', 'BRL', (suffix) => ({ ...brl, pixKey: `ada${suffix}@example.com` })],
  ['BRL_ACCOUNT without @', 'BRL', (suffix) => ({ ...brl, pixKey: `ada-${suffix}`, pixKeyType: 'RANDOM' })],
  ['INR_ACCOUNT', 'INR', (suffix) => ({ vpa: `ada.${suffix}@upi` })],
  ['KES_ACCOUNT', 'KES', (suffix) => ({ phoneNumber: `+254711111${suffix}`, provider: 'M-PESA' })],
  ['EGP_ACCOUNT by telephone', 'EGP', (suffix) => ({ ...uncommon, phoneNumber: `+20100000${suffix}` })],
  ['PKR_ACCOUNT', 'PKR', (suffix) => ({ ...uncommon, accountNumber: `1${suffix}`, phoneNumber: '+92300000105' })],
  ['SWIFT_ACCOUNT', 'JPY', (suffix) => ({ ...uncommon, country: 'JP', swiftCode: 'SBOXJP22', accountNumber: suffix })],
  ['BASE_WALLET', 'USDC', (suffix) => ({ address: `0xabc${suffix}`, beneficiary: undefined })],
  ['SPARK_WALLET', 'BTC', (suffix) => ({ address: `spark1${suffix}`, beneficiary: undefined })],
  ['LIGHTNING', 'BTC', (suffix) => ({ lightningAddress: `ada${suffix}@pay.example`, beneficiary: undefined })],
  ['LIGHTNING by invoice', 'BTC', (suffix) => ({ invoice: `lnbc1${suffix}`, beneficiary: undefined })],
];

function requestOf([kind, currency, info]: (typeof kinds)[number], suffix: string) {
  const accountType = kind.split(' ')[0];
  return { currency, accountInfo: { accountType, beneficiary: person, ...info(suffix) } };
}

describe.each(kinds)('%s', (...kind) => {
  test.each(Object.entries(outcomes))('ending in %s: %s', async (suffix, outcome) => {
    const sandbox = await openBareSandbox();
    const body = requestOf(kind, suffix);
    const answer = await addExternalAccount(sandbox, body);
    if (outcome === 'INVALID_BANK_ACCOUNT') {
      expectRefusal(answer, 400, outcome);
      expect(await listExternal(sandbox)).toEqual([]);
      return;
    }
    expect([answer.status, answer.body.beneficiaryVerificationStatus]).toEqual([201, outcome]);
    const names = { MATCHED: { fullName: 'Ada Byron' }, PARTIAL_MATCH: { fullName: 'A. Byron' } } as Record<
      string,
      object
    >;
    const hasBeneficiary = body.accountInfo.beneficiary !== undefined;
    expect(answer.body.beneficiaryVerifiedData).toEqual(hasBeneficiary ? names[outcome] : undefined);
    expect(await listExternal(sandbox)).toEqual([answer.body]);
  });
});

test.each([
  ['not the end', '1051', 'MATCHED'],
  ['two of three', '05', 'MATCHED'],
  ['other digits', '1\u0661\u0660\u0662', 'MATCHED'],
  ['case and letters', 'IO2', 'MATCHED'],
  ['after the @', 'x@102', 'MATCHED'],
  ['before the first @', '102@105@106', 'NOT_MATCHED'],
  ['nothing before the @', '@105', 'MATCHED'],
  ['a line break', '10\n4', 'PENDING'],
])('of an identifier with %s: %j is %s', async (_name, accountNumber, outcome) => {
  const { beneficiaryVerificationStatus } = await mustAdd(await openBareSandbox(), usdRequest(accountNumber));
  expect(beneficiaryVerificationStatus).toBe(outcome);
});

describe('the name that the check finds', () => {
  const verified = async (suffix: string, beneficiary: object): Promise<string | undefined> => {
    const added = await mustAdd(await openBareSandbox(), usdRequest(`1${suffix}`, {}, { beneficiary }));
    return added.beneficiaryVerifiedData?.fullName;
  };
  const business = { beneficiaryType: 'BUSINESS', legalName: 'Engines Ltd' };

  test('of a business is its legalName', async () => {
    expect([await verified('000', business), await verified('103', business)]).toEqual(['Engines Ltd', 'E. Ltd']);
  });

  test.each([
    ['Ada Byron', 'A. Byron'],
    ['Ada King Byron', 'A. King Byron'],
    ['Al Byron', 'Al Byro'],
    ['Ada', 'Ad'],
    ['A', 'A.'],
  ])('with PARTIAL_MATCH turns %j into %j', async (fullName, name) => {
    expect(await verified('103', { ...person, fullName })).toBe(name);
  });

  test.each([
    'Ada Byron',
    'Ada',
    'A',
    'A. Byron',
    'A Byron',
    ' Ada',
    'Ada ',
    '\u{1f600}',
    '\u{1f600} x',
    `${'x'.repeat(253)} y`,
    'x'.repeat(255),
  ])('with PARTIAL_MATCH differs from %j', async (fullName) => {
    const name = await verified('103', { ...person, fullName });
    expect(name).toMatch(/./u);
    expect(name).not.toBe(fullName);
  });

  test('whatever the name, it is the one sent with MATCHED and another one with PARTIAL_MATCH', async () => {
    const names = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((name) => !name.includes('\u0000'));
    await fc.assert(
      fc.asyncProperty(names, async (fullName) => {
        fc.pre([...fullName].length <= 255);
        expect(await verified('000', { ...person, fullName })).toBe(fullName);
        const nearly = await verified('103', { ...person, fullName });
        expect([nearly?.isWellFormed(), nearly === fullName, nearly === '']).toEqual([true, false, false]);
      }),
      { numRuns: runs(25) },
    );
  });
});
