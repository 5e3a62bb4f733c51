/**
 * Promise: a customer can be deleted once, and only without money. Its platform id can be used again, its UMA address
 * can't (D39, D67). `deletedCustomers.test.ts` tests what happens to its objects.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf, openPlatform } from '../support/sandbox/platforms.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import { openCustomer } from '../support/scenes/customers.ts';

testCommonRefusals('deleteCustomer', '/customers/Customer:none');

const later = '2025-10-13T09:01:00.000Z';
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('a customer without money', () => {
  test.each(['INDIVIDUAL', 'BUSINESS'])('%s: 200 with the customer, closed and out of the lists', async (type) => {
    const { sandbox, customer, read, accounts } = await openCustomer({ customerType: type, region: 'DE' });
    await sandbox.advance(60);
    const answer = await sandbox.send('DELETE', `/customers/${customer.id}`);
    const deleted = { ...customer, isDeleted: true, updatedAt: later };
    expect([answer.status, answer.body]).toEqual([200, deleted]);
    expect(await read()).toEqual(deleted);
    expect(await accounts()).toEqual(['USD CLOSED 0', 'USDC CLOSED 0', 'USDB CLOSED 0']);
    expect(idsOf(await sandbox.send('GET', '/customers?region=DE'))).toEqual([]);
    const all = await sandbox.send('GET', '/customers?region=DE&isIncludingDeleted=true');
    expect([all.body.totalCount, all.body.data]).toEqual([1, [deleted]]);
    expect((await sandbox.send('GET', '/customers')).body.totalCount).toBe(2);
    expect((await sandbox.send('GET', '/customers?isIncludingDeleted=true')).body.totalCount).toBe(3);
    expect((await sandbox.send('GET', '/customers?isIncludingDeleted=false')).body.totalCount).toBe(2);
  });

  test('an account that was closed before is left as it was', async () => {
    const { sandbox, customer, update } = await openCustomer({
      customerType: 'INDIVIDUAL',
      currencies: ['USD', 'EUR'],
    });
    await sandbox.advance(60);
    must(await update({ customerType: 'INDIVIDUAL', currencies: ['USD'] }));
    await sandbox.advance(60);
    await deleteCustomer(sandbox, customer.id);
    const accounts = await accountsOf(sandbox, customer.id);
    expect(accounts.map(({ balance, status, updatedAt }) => [balance.currency.code, status, updatedAt])).toEqual([
      ['USD', 'CLOSED', '2025-10-13T09:02:00.000Z'],
      ['EUR', 'CLOSED', later],
    ]);
  });

  test('goes alone: the others keep their accounts', async () => {
    const { sandbox, customer } = await openCustomer({ customerType: 'INDIVIDUAL' });
    const other = await openCustomer({ customerType: 'INDIVIDUAL' }, sandbox);
    await deleteCustomer(sandbox, customer.id);
    expect([await other.read(), await other.accounts()]).toEqual([
      other.customer,
      ['USD ACTIVE 0', 'USDC ACTIVE 0', 'USDB ACTIVE 0'],
    ]);
  });

  test('is deleted once, by any number of deletions at once', async () => {
    const { sandbox, customer } = await openCustomer({ customerType: 'INDIVIDUAL' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => sandbox.send('DELETE', `/customers/${customer.id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
  });
});

describe('money', () => {
  const currencies = ['USD', 'EUR', 'USDC', 'BTC', 'USDB'];

  test.each([['USD'], ['BTC'], ['USDB'], ['EUR', 'USDC'], currencies])(
    'in %s, %s: 409, and nothing has changed',
    async (...held) => {
      const { sandbox, customer, read, accounts, fund } = await openCustomer({
        customerType: 'INDIVIDUAL',
        currencies,
      });
      for (const currency of held) expect((await fund(currency, 1)).status).toBe(200);
      const before = await accounts();
      const refused = expectRefusal(await sandbox.send('DELETE', `/customers/${customer.id}`), 409, 'CONFLICT');
      expect(refused.details).toEqual({ currencies: held });
      expect([await read(), await accounts()]).toEqual([customer, before]);
    },
  );

  test('that comes at the same moment is either refused or keeps the customer', async () => {
    const { sandbox, customer, accounts, fund } = await openCustomer({ customerType: 'INDIVIDUAL' });
    const [deleted, funded] = await Promise.all([sandbox.send('DELETE', `/customers/${customer.id}`), fund('USD', 5)]);
    const isDeleted = deleted.status === 200;
    expect([deleted.status, funded.status]).toEqual(isDeleted ? [200, 400] : [409, 200]);
    expect((await accounts())[0]).toBe(isDeleted ? 'USD CLOSED 0' : 'USD ACTIVE 5');
  });
});

describe('names', () => {
  const name = { platformCustomerId: 'ada', umaAddress: '$ada@pay.example' };
  const openDeleted = async () => {
    const { sandbox, customer } = await openCustomer({ customerType: 'INDIVIDUAL', ...name });
    await deleteCustomer(sandbox, customer.id);
    return { sandbox, customer, create: (body: object) => sandbox.send('POST', '/customers', { body }) };
  };

  test('the platformCustomerId can be used again, by one customer', async () => {
    const { sandbox, customer, create } = await openDeleted();
    const body = { customerType: 'BUSINESS', platformCustomerId: name.platformCustomerId };
    const second = await create(body);
    expect(second.status).toBe(201);
    expectRefusal(await create(body), 409, 'CONFLICT');
    const query = `platformCustomerId=${name.platformCustomerId}`;
    expect(idsOf(await sandbox.send('GET', `/customers?${query}`))).toEqual([second.body.id]);
    const both = await sandbox.send('GET', `/customers?${query}&isIncludingDeleted=true`);
    expect(idsOf(both)).toEqual([second.body.id, customer.id]);
    await deleteCustomer(sandbox, second.body.id);
    expect((await create(body)).status).toBe(201);
  });

  test.each(['$ada@pay.example', '$ADA@pay.example'])(
    'the UMA address can never be used again (%s)',
    async (umaAddress) => {
      const { sandbox, create } = await openDeleted();
      expectRefusal(await create({ customerType: 'INDIVIDUAL', umaAddress }), 409, 'UMA_ADDRESS_EXISTS');
      const other = await openCustomer({ customerType: 'INDIVIDUAL' }, sandbox);
      expectRefusal(await other.update({ customerType: 'INDIVIDUAL', umaAddress }), 409, 'UMA_ADDRESS_EXISTS');
      const looked = await sandbox.send('GET', `/receiver/uma/${encodeURIComponent(umaAddress)}`);
      expect(looked.status).toBe(404);
    },
  );
});

describe('an id that names nobody', () => {
  test.each(['Customer:0199dccc-0000-7000-8000-000000000000', 'Customer:', 'InternalAccount:a', 'none'])(
    '%s: 404',
    async (id) => {
      expectRefusal(await (await openSandbox()).send('DELETE', `/customers/${id}`), 404, 'USER_NOT_FOUND');
    },
  );

  test("another platform's customer: 404, and it stays", async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    const { customer, read } = await openCustomer({ customerType: 'INDIVIDUAL' }, other);
    expectRefusal(await sandbox.send('DELETE', `/customers/${customer.id}`), 404, 'USER_NOT_FOUND');
    expect(await read()).toEqual(customer);
  });
});
