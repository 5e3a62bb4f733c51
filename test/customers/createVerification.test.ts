/**
 * Promise: the end of the registration number decides, each time the check is run. Without a number, the check names
 * everything that is missing, and then changes nothing (D38, D66).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { addOwner, neededInfo, openBusiness, verify } from '../support/scenes/businesses.ts';

testCommonRefusals('createVerification', '/verifications');

const statusOf = async (sandbox: TestSandbox, id: string): Promise<string> =>
  (await sandbox.send('GET', `/customers/${id}`)).body.kybStatus;
const update = (sandbox: TestSandbox, id: string, fields: object) =>
  sandbox.send('PATCH', `/customers/${id}`, { body: { customerType: 'BUSINESS', ...fields } });
/** A business without missing data, with this registration number. */
const openComplete = async (registrationNumber?: string, fields: object = {}) => {
  const sandbox = await openSandbox();
  const info = { ...neededInfo, ...(registrationNumber === undefined ? {} : { registrationNumber }) };
  const business = await openBusiness(sandbox, { businessInfo: info, ...fields });
  await addOwner(sandbox, business);
  return { sandbox, business };
};

describe('the end of the registration number', () => {
  test.each([
    ['001', 'IN_PROGRESS', 'PENDING'],
    ['GB-2016-001', 'IN_PROGRESS', 'PENDING'],
    ['GB 001', 'IN_PROGRESS', 'PENDING'],
    ['😀001', 'IN_PROGRESS', 'PENDING'],
    ['002', 'REJECTED', 'REJECTED'],
    ['GB1002', 'REJECTED', 'REJECTED'],
    ['GB', 'APPROVED', 'APPROVED'],
    ['000', 'APPROVED', 'APPROVED'],
    ['003', 'APPROVED', 'APPROVED'],
    ['GB001 ', 'APPROVED', 'APPROVED'],
    ['GB00 1', 'APPROVED', 'APPROVED'],
    ['GB001A', 'APPROVED', 'APPROVED'],
    ['\uff10\uff10\uff11', 'APPROVED', 'APPROVED'],
    ['001\u0301', 'APPROVED', 'APPROVED'],
    [undefined, 'APPROVED', 'APPROVED'],
  ])('%j: %s, and the business is %s', async (registrationNumber, verificationStatus, kybStatus) => {
    const { sandbox, business } = await openComplete(registrationNumber);
    await sandbox.advance(60);
    const answer = await verify(sandbox, business);
    const now = '2025-10-13T09:01:00.000Z';
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^Verification:[0-9a-f-]{36}$/),
        customerId: business,
        verificationStatus,
        errors: [],
        createdAt: now,
        updatedAt: now,
      },
    ]);
    expect((await sandbox.send('GET', `/customers/${business}`)).body).toMatchObject({ kybStatus, updatedAt: now });
  });

  test.each([
    ['001', 'IN_PROGRESS', 'PENDING'],
    ['002', 'REJECTED', 'REJECTED'],
    ['003', 'APPROVED', 'APPROVED'],
  ])(
    'decides alone: %s of a business without other facts or owners is %s',
    async (end, verificationStatus, kybStatus) => {
      const sandbox = await openSandbox();
      const business = await openBusiness(sandbox);
      const businessInfo = { legalName: 'Engines Ltd', registrationNumber: end };
      expect((await update(sandbox, business, { businessInfo })).status).toBe(200);
      expect((await verify(sandbox, business)).body).toMatchObject({ verificationStatus, errors: [] });
      expect(await statusOf(sandbox, business)).toBe(kybStatus);
    },
  );

  const ends = { PENDING: '001', REJECTED: '002', APPROVED: '003' } as const;
  const outcomes = ['PENDING', 'REJECTED', 'APPROVED'] as const;
  const before = ['UNVERIFIED', ...outcomes] as const;
  test.each(before.flatMap((from) => outcomes.map((to) => [from, to] as const)))(
    'decides from every status: %s becomes %s',
    async (from, to) => {
      const { sandbox, business } = await openComplete(ends[to], { kybStatus: from });
      await verify(sandbox, business);
      expect(await statusOf(sandbox, business)).toBe(to);
    },
  );

  test('decides again when it has changed, and what was run before stays', async () => {
    const { sandbox, business } = await openComplete('002');
    const first = (await verify(sandbox, business)).body;
    await update(sandbox, business, { businessInfo: { registrationNumber: '003' } });
    expect(await statusOf(sandbox, business)).toBe('REJECTED');
    const second = (await verify(sandbox, business)).body;
    expect([second.verificationStatus, await statusOf(sandbox, business)]).toEqual(['APPROVED', 'APPROVED']);
    const { body } = await sandbox.send('GET', `/verifications?customerId=${business}`);
    expect(body.data).toEqual([second, first]);
  });
});

describe('the owners', () => {
  test.each(['001', '002', '003'])('may have any status (%s)', async (lastName) => {
    const sandbox = await openSandbox();
    const business = await openBusiness(sandbox, { businessInfo: neededInfo });
    const owner = await addOwner(sandbox, business, { lastName });
    expect((await verify(sandbox, business)).body.verificationStatus).toBe('APPROVED');
    expect((await sandbox.send('GET', `/beneficial-owners/${owner.id}`)).body).toEqual(owner);
  });

  test('of another business do not count', async () => {
    const { sandbox } = await openComplete();
    const business = await openBusiness(sandbox, { businessInfo: neededInfo });
    expect((await verify(sandbox, business)).body.verificationStatus).toBe('RESOLVE_ERRORS');
  });
});

describe('what is missing', () => {
  const fields = ['legalName', 'taxId', 'incorporatedOn'] as const;
  /** The data that a business can have: none, or the name and any of the other fields. */
  const known: (readonly (typeof fields)[number][])[] = [
    [],
    ['legalName'],
    ['legalName', 'taxId'],
    ['legalName', 'incorporatedOn'],
    ['legalName', 'taxId', 'incorporatedOn'],
  ];
  const rows = known.flatMap((has) => [true, false].map((hasOwner) => ({ has, hasOwner })));
  const incomplete = rows.filter(({ has, hasOwner }) => has.length < 3 || !hasOwner);

  test.each(incomplete)('with $has, an owner: $hasOwner, is listed; the next run passes', async ({ has, hasOwner }) => {
    const sandbox = await openSandbox();
    const business = await openBusiness(sandbox);
    const businessInfo = Object.fromEntries(has.map((field) => [field, neededInfo[field]]));
    if (has.length > 0) expect((await update(sandbox, business, { businessInfo })).status).toBe(200);
    if (hasOwner) await addOwner(sandbox, business);
    const before = (await sandbox.send('GET', `/customers/${business}`)).body;
    await sandbox.advance(60);
    const { status, body } = await verify(sandbox, business);
    expect([status, body.verificationStatus]).toEqual([200, 'RESOLVE_ERRORS']);
    const reason = expect.stringMatching(/./);
    const missing = fields.filter((field) => !has.includes(field)).map((field) => `businessInfo.${field}`);
    expect(body.errors).toEqual([
      ...missing.map((field) => ({ resourceId: business, type: 'MISSING_FIELD', field, reason })),
      ...(hasOwner ? [] : [{ resourceId: business, type: 'MISSING_BENEFICIAL_OWNER', reason }]),
    ]);
    expect((await sandbox.send('GET', `/customers/${business}`)).body).toEqual(before);

    if (missing.length > 0) await update(sandbox, business, { businessInfo: neededInfo });
    if (!hasOwner) await addOwner(sandbox, business);
    expect((await verify(sandbox, business)).body).toMatchObject({ verificationStatus: 'APPROVED', errors: [] });
    expect(await statusOf(sandbox, business)).toBe('APPROVED');
    expect((await sandbox.send('GET', `/verifications/${body.id}`)).body).toEqual(body);
  });

  test.each(['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED'])('leaves %s as it was', async (kybStatus) => {
    const sandbox = await openSandbox();
    const business = await openBusiness(sandbox, { kybStatus });
    expect((await verify(sandbox, business)).body.verificationStatus).toBe('RESOLVE_ERRORS');
    expect(await statusOf(sandbox, business)).toBe(kybStatus);
  });
});

describe('refusals leave no verification', () => {
  const none = async (sandbox: TestSandbox) =>
    expect((await sandbox.send('GET', '/verifications')).body.totalCount).toBe(0);

  test('of a person: 400', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL', kycStatus: 'PENDING' };
    const person = (await sandbox.send('POST', '/customers', { body })).body;
    expect(faultPlaces(expectRefusal(await verify(sandbox, person.id), 400, 'INVALID_INPUT'))).toEqual([
      'body /customerId',
    ]);
    expect((await sandbox.send('GET', `/customers/${person.id}`)).body).toEqual(person);
    await none(sandbox);
  });

  test('of nobody: 404', async () => {
    const sandbox = await openSandbox();
    expectRefusal(await verify(sandbox, 'Customer:none'), 404, 'USER_NOT_FOUND');
    await none(sandbox);
  });

  test.each<[body: unknown, places: string[]]>([
    [{}, ['body /customerId']],
    [{ customerId: 'BeneficialOwner:a' }, ['body /customerId']],
    [{ customerId: null }, ['body /customerId']],
    [{ customerId: 'Customer:a', kybStatus: 'APPROVED' }, ['body /kybStatus']],
  ])('%j: 400 at its place', async (body, places) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('POST', '/verifications', { body });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(places);
    await none(sandbox);
  });
});
