/** Promise: it returns a verification by id, always as its run left it, and 404 for any other id (D66). */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { addOwner, deleteCustomer, neededInfo, openBusiness, verify } from '../support/scenes/businesses.ts';

testCommonRefusals('getVerification', '/verifications/Verification:none');

test('stays as it was, whatever happens to the business', async () => {
  const sandbox = await openSandbox();
  const business = await openBusiness(sandbox);
  const { body: run } = await verify(sandbox, business);
  const read = async () => (await sandbox.send('GET', `/verifications/${run.id}`)).body;
  expect(await read()).toEqual(run);
  await sandbox.advance(60);
  const change = { customerType: 'BUSINESS', businessInfo: neededInfo, kybStatus: 'PENDING' };
  must(await sandbox.send('PATCH', `/customers/${business}`, { body: change }));
  await addOwner(sandbox, business);
  await verify(sandbox, business);
  expect(await read()).toEqual(run);
  await deleteCustomer(sandbox, business);
  expect(await read()).toEqual(run);
});

test.each([
  ['unknown', 'Verification:0199dccc-0000-7000-8000-000000000000'],
  ['too long', `Verification:${'a'.repeat(65)}`],
  ['empty', 'Verification:'],
  ['of another type', 'Customer:a'],
  ['without its type', 'a'],
])('an id that is %s is 404', async (_name, id) => {
  expectRefusal(await (await openSandbox()).send('GET', `/verifications/${id}`), 404, 'REFERENCE_NOT_FOUND');
});

test("another platform's verification is 404", async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  const { body } = await verify(other, await openBusiness(other));
  expectRefusal(await sandbox.send('GET', `/verifications/${body.id}`), 404, 'REFERENCE_NOT_FOUND');
});
