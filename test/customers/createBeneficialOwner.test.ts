/**
 * Promise: an owner is stored as it was sent, a UBO always has a share, and only the last name decides the check of the
 * person (D35, D38).
 */

import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { addOwner, openBusiness, ownerAddress, ownerPerson, ownerRequest } from '../support/scenes/businesses.ts';

testCommonRefusals('createBeneficialOwner', '/beneficial-owners');

const post = (sandbox: TestSandbox, body: unknown) => sandbox.send('POST', '/beneficial-owners', { body });
const open = async () => {
  const sandbox = await openSandbox();
  const business = await openBusiness(sandbox);
  const owners = async () => (await sandbox.send('GET', `/beneficial-owners?customerId=${business}`)).body;
  return { sandbox, business, owners };
};

describe('an owner', () => {
  const everything = {
    ...ownerPerson,
    middleName: 'King',
    address: { ...ownerAddress, line2: 'Flat 1' },
    idType: 'NON_US_TAX_ID',
    identifier: 'QQ 12 34',
    countryOfIssuance: 'GB',
    email: 'Ada+kyc@Example.com',
    phoneNumber: '+442079460000',
  };

  test.each([
    ['with every field', everything, { roles: ['UBO', 'DIRECTOR'], ownershipPercentage: 62.5 }],
    ['with the least', {}, {}],
    ['with an identifier of no kind', { identifier: '1' }, {}],
    ['with a kind and no identifier', { idType: 'SSN' }, {}],
  ])('%s is what was sent, and what the list, its id and its business show', async (_name, person, change) => {
    const { sandbox, business, owners } = await open();
    const request = ownerRequest(business, person, change);
    const answer = await post(sandbox, request);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...request,
        id: expect.stringMatching(/^BeneficialOwner:[0-9a-f-]{36}$/),
        kycStatus: 'APPROVED',
        createdAt: '2025-10-13T09:00:00.000Z',
        updatedAt: '2025-10-13T09:00:00.000Z',
      },
    ]);
    expect((await sandbox.send('GET', `/beneficial-owners/${answer.body.id}`)).body).toEqual(answer.body);
    expect((await owners()).data).toEqual([answer.body]);
    expect((await sandbox.send('GET', `/customers/${business}`)).body.beneficialOwners).toEqual([answer.body]);
  });

  test('is shown with its business while it is one of the newest 20', async () => {
    const { sandbox, business, owners } = await open();
    const ids = [];
    for (let made = 0; made < 21; made += 1) ids.unshift((await addOwner(sandbox, business)).id);
    const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
    const shown = (await sandbox.send('GET', `/customers/${business}`)).body;
    const listed = (await sandbox.send('GET', '/customers?customerType=BUSINESS&limit=1')).body.data[0];
    expect(idsOf(shown.beneficialOwners)).toEqual(ids.slice(0, 20));
    expect(listed).toEqual(shown);
    expect(await owners()).toMatchObject({ totalCount: 21, hasMore: true });
  });

  test.each(['UBO', 'DIRECTOR', 'COMPANY_OFFICER', 'CONTROL_PERSON', 'TRUSTEE', 'GENERAL_PARTNER'])(
    'may be a %s',
    async (role) => {
      const { sandbox, business } = await open();
      const answer = await post(sandbox, ownerRequest(business, {}, { roles: [role], ownershipPercentage: 1 }));
      expect(answer).toMatchObject({ status: 201, body: { roles: [role] } });
    },
  );
});

describe('the share', () => {
  test.each([0, 0.000001, 25, 33.333, 100 / 3, 99.99999999999999, 100])('%d is kept to the digit', async (share) => {
    const { sandbox, business } = await open();
    const owner = await addOwner(sandbox, business, {}, { roles: ['UBO'], ownershipPercentage: share });
    expect(owner.ownershipPercentage).toBe(share);
  });

  test.each([
    ['UBO', ['UBO']],
    ['UBO among others', ['DIRECTOR', 'UBO', 'TRUSTEE']],
  ])('is needed of a %s', async (_name, roles) => {
    const { sandbox, business, owners } = await open();
    const refused = expectRefusal(await post(sandbox, ownerRequest(business, {}, { roles })), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /ownershipPercentage']);
    expect((await owners()).totalCount).toBe(0);
  });

  test.each([-0.01, 100.01, -1, 1e300, '50', null, true])('%j is none', async (share) => {
    const { sandbox, business, owners } = await open();
    const body = ownerRequest(business, {}, { ownershipPercentage: share });
    expect(faultPlaces(expectRefusal(await post(sandbox, body), 400, 'INVALID_INPUT'))).toEqual([
      'body /ownershipPercentage',
    ]);
    expect((await owners()).totalCount).toBe(0);
  });
});

test.each(['33.33333333333333333', '100.00000000000000001', '0.1234567890123456789'])(
  'a share of %s, which no number holds, is 400 and not rounded',
  async (share) => {
    const { sandbox, business, owners } = await open();
    const text = JSON.stringify(ownerRequest(business, {}, { ownershipPercentage: 0 })).replace(':0}', `:${share}}`);
    expectRefusal(await sandbox.send('POST', '/beneficial-owners', { text }), 400, 'INVALID_INPUT');
    expect((await owners()).totalCount).toBe(0);
  },
);

describe('the check of the person', () => {
  test.each([
    ['001', 'PENDING'],
    ['Lovelace001', 'PENDING'],
    ['Lovelace 001', 'PENDING'],
    ['Lovelace002', 'REJECTED'],
    ['😀002', 'REJECTED'],
    ['Sm\u00edth001', 'PENDING'],
    ['Smi\u0301th001', 'PENDING'],
    ['Lovelace', 'APPROVED'],
    ['Lovelace003', 'APPROVED'],
    ['Lovelace000', 'APPROVED'],
    ['Lovelace1', 'APPROVED'],
    ['01', 'APPROVED'],
    ['00\u03011', 'APPROVED'],
    ['001\u0301', 'APPROVED'],
    ['Lovelace001 ', 'APPROVED'],
    ['Lovelace00 1', 'APPROVED'],
    ['Lovelace001\u200f', 'APPROVED'],
    ['Lovelace\uff10\uff10\uff11', 'APPROVED'],
    ['Lovelace\u0660\u0660\u0661', 'APPROVED'],
    ['001Lovelace', 'APPROVED'],
    ['00😀', 'APPROVED'],
  ])('case 101: lastName "%s" is %s, and comes back byte for byte', async (lastName, kycStatus) => {
    const { sandbox, business } = await open();
    const owner = await addOwner(sandbox, business, { firstName: 'Ada002', middleName: '001', lastName });
    expect(owner.kycStatus).toBe(kycStatus);
    expect(Buffer.from(owner.personalInfo.lastName)).toEqual(Buffer.from(lastName));
  });

  test('does not touch the business', async () => {
    const { sandbox, business } = await open();
    await addOwner(sandbox, business, { lastName: '002' });
    expect((await sandbox.send('GET', `/customers/${business}`)).body).toMatchObject({ kybStatus: 'UNVERIFIED' });
  });
});

describe('refusals leave no owner', () => {
  const info = (...parts: string[]) => parts.map((part) => `body /personalInfo/${part}`);

  test.each<[name: string, person: object, change: object, places: string[]]>([
    ['no person', {}, { personalInfo: undefined }, ['body /personalInfo']],
    [
      'nothing about the person',
      {},
      { personalInfo: {} },
      info('address', 'birthDate', 'firstName', 'lastName', 'nationality'),
    ],
    ['an empty last name', { lastName: '' }, {}, info('lastName')],
    ['a name of 256', { firstName: 'a'.repeat(256) }, {}, info('firstName')],
    ['no such day', { birthDate: '2025-02-29' }, {}, info('birthDate')],
    ['a country in small letters', { nationality: 'gb' }, {}, info('nationality')],
    ['a national number', { phoneNumber: '020 7946' }, {}, info('phoneNumber')],
    ['no e-mail address', { email: 'ada' }, {}, info('email')],
    ['an unknown kind of identifier', { idType: 'PASSPORT' }, {}, info('idType')],
    [
      'half an address',
      { address: { line1: 'a', city: 'b', country: 'GB' } },
      {},
      info('address/postalCode', 'address/state'),
    ],
    ['null', { middleName: null }, {}, info('middleName')],
    ['an unknown field of the person', { title: 'Dr' }, {}, info('title')],
    ['no role', {}, { roles: [] }, ['body /roles']],
    ['a role twice', {}, { roles: ['DIRECTOR', 'DIRECTOR'] }, ['body /roles']],
    ['an unknown role', {}, { roles: ['DIRECTOR', 'OWNER'] }, ['body /roles/1']],
    ['no list of roles', {}, { roles: 'DIRECTOR' }, ['body /roles']],
    ['a status', {}, { kycStatus: 'APPROVED' }, ['body /kycStatus']],
    ['an id', {}, { id: 'BeneficialOwner:a' }, ['body /id']],
    ['no business', {}, { customerId: undefined }, ['body /customerId']],
    ['no id of a customer', {}, { customerId: 'InternalAccount:a' }, ['body /customerId']],
  ])('%s: 400 at its place', async (_name, person, change, places) => {
    const { sandbox, business, owners } = await open();
    const refused = expectRefusal(await post(sandbox, ownerRequest(business, person, change)), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect((await owners()).totalCount).toBe(0);
  });

  test('a person has no owners: 400', async () => {
    const { sandbox } = await open();
    const { body } = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const refused = expectRefusal(await post(sandbox, ownerRequest(body.id)), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /customerId']);
    expect((await sandbox.send('GET', `/beneficial-owners?customerId=${body.id}`)).body.totalCount).toBe(0);
  });

  test('an unknown business: 404', async () => {
    const { sandbox } = await open();
    expectRefusal(await post(sandbox, ownerRequest('Customer:none')), 404, 'USER_NOT_FOUND');
  });
});

test('every kind of identification comes back', async () => {
  const { sandbox, business } = await open();
  for (const idType of everyChoice({ $ref: '#/components/schemas/IdentificationType' })) {
    const answer = await post(sandbox, ownerRequest(business, { idType, identifier: '12-3456789' }));
    expect([answer.status, answer.body]).toMatchObject([201, { personalInfo: { idType } }]);
  }
});
