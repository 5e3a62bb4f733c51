/**
 * Promise: an update of an owner changes only the fields that it names, keeps a UBO's share, and checks the person
 * again only if the last name changed (D35, D38).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { addOwner, openBusiness, ownerAddress, ownerPerson } from '../support/scenes/businesses.ts';

testCommonRefusals('updateBeneficialOwner', '/beneficial-owners/BeneficialOwner:none');

const open = async (person: object = {}, change: object = {}) => {
  const sandbox = await openSandbox();
  const owner = await addOwner(sandbox, await openBusiness(sandbox), person, change);
  const path = `/beneficial-owners/${owner.id}`;
  return {
    sandbox,
    owner,
    update: (body: unknown) => sandbox.send('PATCH', path, { body }),
    read: async () => (await sandbox.send('GET', path)).body,
  };
};

describe('what is named', () => {
  test.each([
    { roles: ['TRUSTEE', 'CONTROL_PERSON'] },
    { roles: ['COMPANY_OFFICER', 'GENERAL_PARTNER'] },
    { ownershipPercentage: 12.5 },
    { roles: ['UBO'], ownershipPercentage: 0 },
  ])('%j is replaced whole, and nothing else changes', async (change) => {
    const { sandbox, owner, update, read } = await open();
    await sandbox.advance(60);
    const answer = await update(change);
    const expected = { ...owner, ...change, updatedAt: '2025-10-13T09:01:00.000Z' };
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await read()).toEqual(expected);
  });

  test.each([
    { firstName: 'Augusta' },
    { middleName: 'Byron' },
    { lastName: 'Byron' },
    { birthDate: '2000-02-29' },
    { nationality: 'FR' },
    { address: { ...ownerAddress, city: 'York' } },
    { address: { ...ownerAddress, line2: 'Flat 2' } },
    { idType: 'EIN', identifier: '12-345', countryOfIssuance: 'US' },
    ...['SSN', 'ITIN', 'NON_US_TAX_ID'].map((idType) => ({ idType, identifier: '12-345' })),
    { email: 'ada@example.com', phoneNumber: '+12075550142' },
  ])('personalInfo %j is merged; an address is replaced whole', async (personalInfo) => {
    const { owner, update, read } = await open({
      middleName: 'King',
      address: { ...ownerAddress, line2: 'Flat 1' },
      identifier: '1',
    });
    const expected = { ...owner, personalInfo: { ...owner.personalInfo, ...personalInfo } };
    const answer = await update({ personalInfo });
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await read()).toEqual(expected);
  });

  test.each([{}, { personalInfo: {} }])('%j leaves the owner as it was', async (body) => {
    const { owner, update, read } = await open({ lastName: '002' }, { ownershipPercentage: 3 });
    expect((await update(body)).status).toBe(200);
    expect(await read()).toEqual(owner);
  });
});

describe('the share of a UBO', () => {
  test.each<[name: string, before: object, change: object, isRefused: boolean]>([
    ['a director becomes one without it', {}, { roles: ['UBO'] }, true],
    ['a director becomes one with it', {}, { roles: ['UBO'], ownershipPercentage: 30 }, false],
    ['a director who has it becomes one', { ownershipPercentage: 30 }, { roles: ['DIRECTOR', 'UBO'] }, false],
    ['one gets another', { roles: ['UBO'], ownershipPercentage: 30 }, { ownershipPercentage: 40 }, false],
    ['one stays one', { roles: ['UBO'], ownershipPercentage: 30 }, { roles: ['UBO', 'TRUSTEE'] }, false],
    ['one becomes a director', { roles: ['UBO'], ownershipPercentage: 30 }, { roles: ['DIRECTOR'] }, false],
  ])('%s', async (_name, before, change, isRefused) => {
    const { owner, update, read } = await open({}, before);
    const answer = await update(change);
    if (isRefused) {
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['body /ownershipPercentage']);
      expect(await read()).toEqual(owner);
    } else {
      expect([answer.status, answer.body]).toEqual([200, { ...owner, ...change }]);
    }
  });
});

describe('the check of the person', () => {
  const names = { PENDING: 'Lovelace001', REJECTED: 'Lovelace002', APPROVED: 'Lovelace' } as const;
  const statuses = ['PENDING', 'REJECTED', 'APPROVED'] as const;

  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'from %s to %s by the last name, and back',
    async (from, to) => {
      const { owner, update, read } = await open({ lastName: names[from] });
      expect(owner.kycStatus).toBe(from);
      expect((await update({ personalInfo: { lastName: names[to] } })).body.kycStatus).toBe(to);
      expect((await update({ personalInfo: { lastName: names[from] } })).body.kycStatus).toBe(from);
      expect(await read()).toEqual(owner);
    },
  );

  test.each([
    { firstName: 'Ada001' },
    { middleName: '002' },
    { identifier: '001' },
    { lastName: 'Lovelace002' },
    { lastName: 'Other002' },
  ])('stays with %j', async (personalInfo) => {
    const { update } = await open({ lastName: 'Lovelace002' });
    expect((await update({ personalInfo })).body.kycStatus).toBe('REJECTED');
  });
});

describe('refusals change nothing', () => {
  test.each<[body: unknown, places: string[]]>([
    [{ customerId: 'Customer:a' }, ['body /customerId']],
    [{ kycStatus: 'APPROVED' }, ['body /kycStatus']],
    [{ roles: [] }, ['body /roles']],
    [{ roles: ['DIRECTOR', 'DIRECTOR'] }, ['body /roles']],
    [{ ownershipPercentage: null }, ['body /ownershipPercentage']],
    [{ ownershipPercentage: 101 }, ['body /ownershipPercentage']],
    [{ personalInfo: null }, ['body /personalInfo']],
    [
      { personalInfo: { lastName: '', middleName: null } },
      ['body /personalInfo/lastName', 'body /personalInfo/middleName'],
    ],
    [
      { personalInfo: { address: { line2: 'Flat 2' } } },
      ['city', 'country', 'line1', 'postalCode', 'state'].map((part) => `body /personalInfo/address/${part}`),
    ],
    [{ personalInfo: { birthDate: '2023-02-29' } }, ['body /personalInfo/birthDate']],
    [{ firstName: 'A' }, ['body /firstName']],
    [[], ['body ']],
  ])('%j: 400 at its place', async (body, places) => {
    const { owner, update, read } = await open();
    expect(faultPlaces(expectRefusal(await update(body), 400, 'INVALID_INPUT'))).toEqual(places);
    expect(await read()).toEqual(owner);
  });

  test.each(['BeneficialOwner:none', 'BeneficialOwner:', 'Customer:a', 'none'])('an id %s is 404', async (id) => {
    const body = { personalInfo: ownerPerson };
    const answer = await (await openSandbox()).send('PATCH', `/beneficial-owners/${id}`, { body });
    expectRefusal(answer, 404, 'REFERENCE_NOT_FOUND');
  });
});
