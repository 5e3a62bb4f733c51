/** Promise: it returns a customer by id, as it was created, and 404 for any other id. */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { data, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openCustomer } from '../support/scenes/customers.ts';

testCommonRefusals('getCustomer', '/customers/Customer:none');

describe('getCustomer', () => {
  test.each([
    { customerType: 'INDIVIDUAL' as const, fullName: 'Ada Lovelace', birthDate: '1815-12-10' },
    { customerType: 'BUSINESS' as const, businessInfo: { legalName: 'A', taxId: '1', incorporatedOn: '2020-02-29' } },
  ])('answers what createCustomer and the list answered: $customerType', async (body) => {
    const sandbox = await openSandbox();
    const created = data(await sandbox.client.POST('/customers', { body }));
    const params = { path: { customerId: created.id } };
    expect(data(await sandbox.client.GET('/customers/{customerId}', { params }))).toEqual(created);
    expect(data(await sandbox.client.GET('/customers')).data[0]).toEqual(created);
  });

  test.each([
    ['unknown', 'Customer:0199dccc-0000-7000-8000-000000000000'],
    ['too long', `Customer:${'a'.repeat(65)}`],
    ['empty', 'Customer:'],
    ['of another type', 'InternalAccount:a'],
    ['without its type', 'a'],
    ['in another case', 'customer:a'],
    ['followed by a line break', 'Customer:a%0A'],
  ])('an id that is %s is 404', async (_name, id) => {
    const sandbox = await openSandbox();
    expectRefusal(await sandbox.send('GET', `/customers/${id}`), 404, 'USER_NOT_FOUND');
  });

  test("another platform's customer is 404, and in no list of ours", async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    const { customer } = await openCustomer({ customerType: 'INDIVIDUAL' }, other);
    expectRefusal(await sandbox.send('GET', `/customers/${customer.id}`), 404, 'USER_NOT_FOUND');
    const listed = await sandbox.send('GET', '/customers?isIncludingDeleted=true');
    expect(listed.body.data.map(({ id }: { id: string }) => id)).not.toContain(customer.id);
    expect((await other.send('GET', '/customers')).body.data).toEqual([customer]);
  });

  test('a body is not looked at', async () => {
    const sandbox = await openSandbox();
    const [customer] = data(await sandbox.client.GET('/customers')).data;
    const answer = await sandbox.send('HEAD', `/customers/${customer?.id}`, { headers: { 'content-type': 'x' } });
    expect(answer.status).toBe(200);
  });
});
