/** Promise: the list shows all owners of the requested business, newest first, and no others (D07, D35). */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { addOwner, openBusiness, readyMadeBusiness } from '../support/scenes/businesses.ts';

const path = '/beneficial-owners';
const business = await readyMadeBusiness();

testCommonRefusals('listBeneficialOwners', `${path}?customerId=Customer:none`);

testList({
  path,
  none: 'customerId=Customer:none',
  some: `customerId=${business}`,
  isSomeRequired: true,
  add: async (sandbox) => void (await addOwner(sandbox, business)),
  addOther: async (sandbox) => void (await addOwner(sandbox, await openBusiness(sandbox))),
  otherPath: '/customers',
});

describe('customerId', () => {
  test('keeps the owners of two businesses apart', async () => {
    const sandbox = await openSandbox();
    const other = await openBusiness(sandbox);
    const [mine, theirs] = [await addOwner(sandbox, business), await addOwner(sandbox, other)];
    for (const [id, owner] of [
      [business, mine],
      [other, theirs],
    ]) {
      const { body } = await sandbox.send('GET', `${path}?customerId=${id}`);
      expect(body).toEqual({ data: [owner], hasMore: false, totalCount: 1 });
    }
  });

  test('of a person, or of nobody, has an empty list (D55)', async () => {
    const sandbox = await openSandbox();
    const person = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    for (const id of [person.body.id, 'Customer:none']) {
      const { status, body } = await sandbox.send('GET', `${path}?customerId=${id}`);
      expect([status, body]).toEqual([200, { data: [], hasMore: false, totalCount: 0 }]);
    }
  });

  test.each([
    ['', 'customerId'],
    ['?customerId=', 'customerId'],
    ['?customerId=BeneficialOwner:a', 'customerId'],
    ['?customerId=Customer:a&customerId=Customer:b', 'customerId'],
    ['?customerId=Customer:a&kycStatus=PENDING', 'kycStatus'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', path + query);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
