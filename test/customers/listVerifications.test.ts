/**
 * Promise: the list is the whole history of verifications, newest first, filtered by business and by status (D07, D66).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { addOwner, neededInfo, openBusiness, readyMadeBusiness, verify } from '../support/scenes/businesses.ts';

const path = '/verifications';
const business = await readyMadeBusiness();
const openWith = async (sandbox: TestSandbox, registrationNumber: string): Promise<string> => {
  const id = await openBusiness(sandbox, { businessInfo: { ...neededInfo, registrationNumber } });
  await addOwner(sandbox, id);
  return id;
};

testCommonRefusals('listVerifications', path);

testList({
  path,
  none: 'verificationStatus=PENDING_MANUAL_REVIEW',
  some: 'verificationStatus=APPROVED',
  wide: `customerId=${business}`,
  add: async (sandbox) => void (await verify(sandbox, business)),
  addOther: async (sandbox) => void (await verify(sandbox, await openWith(sandbox, '001'))),
  otherPath: '/customers',
});

describe('filters', () => {
  test('each and both', async () => {
    const sandbox = await openSandbox();
    const [one, two] = [await openWith(sandbox, '001'), await openWith(sandbox, '002')];
    const nameless = await openBusiness(sandbox);
    const [empty, a, b, c] = [nameless, one, two, one].map((id) => verify(sandbox, id));
    const runs = (await Promise.all([empty, a, b, c])).map((answer) => answer?.body);
    const find = async (query: string) => {
      const { status, body } = await sandbox.send('GET', `${path}?${query}`);
      expect([status, body.totalCount]).toEqual([200, body.data.length]);
      return body.data.map(({ id }: { id: string }) => runs.findIndex((run) => run.id === id)).sort();
    };
    expect(await find('')).toEqual([0, 1, 2, 3]);
    expect(await find(`customerId=${one}`)).toEqual([1, 3]);
    expect(await find('verificationStatus=RESOLVE_ERRORS')).toEqual([0]);
    expect(await find('verificationStatus=REJECTED')).toEqual([2]);
    expect(await find(`customerId=${one}&verificationStatus=IN_PROGRESS`)).toEqual([1, 3]);
    expect(await find(`customerId=${two}&verificationStatus=IN_PROGRESS`)).toEqual([]);
    expect(await find('customerId=Customer:none')).toEqual([]);
    expect(await find('verificationStatus=READY_FOR_VERIFICATION')).toEqual([]);
  });

  test.each([
    ['customerId=none', 'customerId'],
    ['verificationStatus=PENDING', 'verificationStatus'],
    ['verificationStatus=approved', 'verificationStatus'],
    ['status=APPROVED', 'status'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
