/** Promise: it returns the current state of an owner by id, and 404 for any other id. */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { addOwner, openBusiness } from '../support/scenes/businesses.ts';

testCommonRefusals('getBeneficialOwner', '/beneficial-owners/BeneficialOwner:none');

test('answers what the creation and the latest update answered', async () => {
  const sandbox = await openSandbox();
  const owner = await addOwner(sandbox, await openBusiness(sandbox));
  const path = `/beneficial-owners/${owner.id}`;
  expect((await sandbox.send('GET', path)).body).toEqual(owner);
  await sandbox.advance(60);
  const changed = await sandbox.send('PATCH', path, { body: { ownershipPercentage: 5 } });
  expect(changed.status).toBe(200);
  expect((await sandbox.send('GET', path)).body).toEqual(changed.body);
});

test.each([
  ['unknown', 'BeneficialOwner:0199dccc-0000-7000-8000-000000000000'],
  ['too long', `BeneficialOwner:${'a'.repeat(65)}`],
  ['empty', 'BeneficialOwner:'],
  ['of another type', 'Customer:a'],
  ['without its type', 'a'],
  ['in another case', 'beneficialOwner:a'],
])('an id that is %s is 404', async (_name, id) => {
  const answer = await (await openSandbox()).send('GET', `/beneficial-owners/${id}`);
  expectRefusal(answer, 404, 'REFERENCE_NOT_FOUND');
});

test("another platform's owner is 404, to read and to change", async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  const { id } = await addOwner(other, await openBusiness(other));
  expectRefusal(await sandbox.send('GET', `/beneficial-owners/${id}`), 404, 'REFERENCE_NOT_FOUND');
  const body = { roles: ['TRUSTEE'] };
  expectRefusal(await sandbox.send('PATCH', `/beneficial-owners/${id}`, { body }), 404, 'REFERENCE_NOT_FOUND');
});
