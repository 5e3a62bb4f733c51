/**
 * Promise: everything that payments need can be set up through the interface, starting from an empty platform: a
 * verified business, its accounts in ten countries, a receiver, and a read-only token.
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { basic, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { addOwner, neededInfo, openBusiness, verify } from '../support/scenes/businesses.ts';

const address = { line1: '1 Quay', city: 'Leeds', state: 'ENG', postalCode: 'LS1', country: 'GB' };
const person = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ines Costa' };
const company = { beneficiaryType: 'BUSINESS', legalName: 'Costa Lda', address };

/** An account in each of ten countries, without a suffix that selects an outcome. */
const accounts: readonly [country: string, currency: string, accountInfo: object][] = [
  ['US', 'USD', { accountType: 'USD_ACCOUNT', accountNumber: '000123456789', routingNumber: '021000021' }],
  ['MX', 'MXN', { accountType: 'MXN_ACCOUNT', clabeNumber: '032180000118359719' }],
  ['BR', 'BRL', { accountType: 'BRL_ACCOUNT', pixKey: 'ines@a.example', pixKeyType: 'EMAIL', taxId: '12345678909' }],
  ['IN', 'INR', { accountType: 'INR_ACCOUNT', vpa: 'ines.costa@okbank' }],
  ['KE', 'KES', { accountType: 'KES_ACCOUNT', phoneNumber: '+254712345678', provider: 'M-PESA' }],
  ['GB', 'GBP', { accountType: 'GBP_ACCOUNT', sortCode: '123456', accountNumber: '12345678' }],
  ['PH', 'PHP', { accountType: 'PHP_ACCOUNT', bankName: 'Bank', accountNumber: '12345678' }],
  ['NG', 'NGN', { accountType: 'NGN_ACCOUNT', bankName: 'Bank', accountNumber: '0123456789' }],
  ['DE', 'EUR', { accountType: 'EUR_ACCOUNT', iban: 'DE89370400440532013000', beneficiary: company }],
  [
    'JP',
    'JPY',
    { accountType: 'SWIFT_ACCOUNT', country: 'JP', swiftCode: 'BOTKJPJT', bankName: 'Bank', accountNumber: '1234567' },
  ],
];

test('a walk from an empty platform', async () => {
  const platform = await openPlatform(await openSandbox());
  for (const list of ['/customers', '/customers/external-accounts', '/verifications']) {
    const { status, body } = await platform.send('GET', list);
    expect([list, status, body]).toEqual([list, 200, { data: [], hasMore: false, totalCount: 0 }]);
  }

  const businessId = await verifyBusiness(platform);
  await addAccounts(platform, businessId);
  await checkBeneficiaries(platform, businessId);
  await lookUp(platform, businessId);
  await readOnly(platform);
});

/** A business is incomplete, then pending, rejected and approved, with owners of every outcome. */
async function verifyBusiness(platform: TestSandbox): Promise<string> {
  const businessId = await openBusiness(platform, { currencies: ['USD', 'EUR'] });
  const incomplete = await verify(platform, businessId);
  expect(incomplete.body.verificationStatus).toBe('RESOLVE_ERRORS');
  expect(incomplete.body.errors).toHaveLength(4);
  expect(await kybStatus(platform, businessId)).toBe('UNVERIFIED');

  for (const [lastName, kycStatus] of [
    ['Costa001', 'PENDING'],
    ['Costa002', 'REJECTED'],
    ['Costa', 'APPROVED'],
  ]) {
    const owner = await addOwner(platform, businessId, { lastName });
    expect([owner.personalInfo.lastName, owner.kycStatus]).toEqual([lastName, kycStatus]);
  }

  for (const [registrationNumber, verificationStatus, status] of [
    ['HRB-001', 'IN_PROGRESS', 'PENDING'],
    ['HRB-002', 'REJECTED', 'REJECTED'],
    ['HRB-777', 'APPROVED', 'APPROVED'],
  ]) {
    const body = { customerType: 'BUSINESS', businessInfo: { ...neededInfo, registrationNumber } };
    expect((await platform.send('PATCH', `/customers/${businessId}`, { body })).status).toBe(200);
    const run = await verify(platform, businessId);
    expect([run.status, run.body.verificationStatus, run.body.errors ?? []]).toEqual([200, verificationStatus, []]);
    expect(await kybStatus(platform, businessId)).toBe(status);
  }
  const { body: history } = await platform.send('GET', `/verifications?customerId=${businessId}`);
  const statuses = history.data.map((run: { verificationStatus: string }) => run.verificationStatus);
  expect(statuses).toEqual(['APPROVED', 'REJECTED', 'IN_PROGRESS', 'RESOLVE_ERRORS']);
  return businessId;
}

async function kybStatus(platform: TestSandbox, customerId: string): Promise<string> {
  return (await platform.send('GET', `/customers/${customerId}`)).body.kybStatus;
}

async function addAccounts(platform: TestSandbox, customerId: string): Promise<void> {
  for (const [country, currency, fields] of accounts) {
    const body = { customerId, currency, accountInfo: { beneficiary: person, ...fields } };
    const answer = await platform.send('POST', '/customers/external-accounts', { body });
    expect([country, answer.status, answer.body]).toMatchObject([
      country,
      201,
      { customerId, status: 'ACTIVE', currency, beneficiaryVerificationStatus: 'MATCHED' },
    ]);
    const one = await platform.send(
      'GET',
      `/customers/external-accounts?customerId=${customerId}&currency=${currency}`,
    );
    expect(one.body.data).toEqual([answer.body]);
  }
  const all = await platform.send('GET', `/customers/external-accounts?customerId=${customerId}`);
  expect(all.body.totalCount).toBe(new Set(accounts.map(([country]) => country)).size);
}

/** Tries every result of the check of a beneficiary's name. */
async function checkBeneficiaries(platform: TestSandbox, customerId: string): Promise<void> {
  for (const [suffix, beneficiaryVerificationStatus] of [
    ['101', 'MATCHED'],
    ['102', 'NOT_MATCHED'],
    ['103', 'PARTIAL_MATCH'],
    ['104', 'PENDING'],
    ['106', 'UNSUPPORTED'],
    ['107', 'CHECKED_BY_RECEIVING_FI'],
  ]) {
    const answer = await addPhilippine(platform, customerId, `55500${suffix}`);
    expect([answer.status, answer.body]).toMatchObject([201, { status: 'ACTIVE', beneficiaryVerificationStatus }]);
    expect('beneficiaryVerifiedData' in answer.body).toBe(suffix === '101' || suffix === '103');
  }
  const list = `/customers/external-accounts?customerId=${customerId}&currency=PHP`;
  const before = (await platform.send('GET', list)).body;
  expectRefusal(await addPhilippine(platform, customerId, '55500105'), 400, 'INVALID_BANK_ACCOUNT');
  expect((await platform.send('GET', list)).body).toEqual(before);
}

function addPhilippine(platform: TestSandbox, customerId: string, accountNumber: string) {
  const accountInfo = { accountType: 'PHP_ACCOUNT', bankName: 'Bank', accountNumber, beneficiary: person };
  return platform.send('POST', '/customers/external-accounts', { body: { customerId, currency: 'PHP', accountInfo } });
}

/** Looks up receivers: one of the sandbox, the business itself, one of its accounts. */
async function lookUp(platform: TestSandbox, customerId: string): Promise<void> {
  const { body: business } = await platform.send('GET', `/customers/${customerId}`);
  const { body: own } = await platform.send(
    'GET',
    `/customers/external-accounts?customerId=${customerId}&currency=MXN`,
  );
  for (const [path, currencies] of [
    ['/receiver/uma/$success.mxn@vasp.example', ['MXN']],
    [`/receiver/uma/${business.umaAddress}`, ['USD', 'EUR']],
    [`/receiver/external-account/${own.data[0].id}`, ['MXN']],
  ] as const) {
    const { status, body } = await platform.send('GET', `${path}?customerId=${customerId}`);
    const found = body.supportedCurrencies?.map(({ currency }: { currency: { code: string } }) => currency.code);
    expect([path, status, found]).toEqual([path, 200, currencies]);
  }
}

/** A token with VIEW reads everything, and is refused if it tries to change something. */
async function readOnly(platform: TestSandbox): Promise<void> {
  const made = await platform.send('POST', '/tokens', { body: { name: 'Reports', permissions: ['VIEW'] } });
  expect(made.status).toBe(201);
  const authorization = basic(made.body.clientId, made.body.clientSecret);
  const before = (await platform.send('GET', '/customers')).body;
  expect((await platform.send('GET', '/customers', { authorization })).body).toEqual(before);
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ines Costa' };
  expectRefusal(await platform.send('POST', '/customers', { body, authorization }), 403, 'FORBIDDEN');
  expect((await platform.send('GET', '/customers')).body).toEqual(before);
}
