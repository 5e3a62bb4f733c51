/**
 * Promise: a customer's accounts match its list of currencies, no closed account ever holds money, and an impossible
 * list changes nothing (D23).
 */
import { expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf, customerOf, openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { openCustomer } from '../support/scenes/customers.ts';

const list = (...currencies: string[]) => ({ customerType: 'INDIVIDUAL', currencies });

test('one that is new opens an account; an empty one that is missing closes its account, and opens it on return', async () => {
  const { sandbox, customer, update, accounts, fund } = await openCustomer(list('USD', 'USDB'));
  expect((await update(list('USDB', 'EUR', 'BTC'))).body.currencies).toEqual(['USDB', 'EUR', 'BTC']);
  expect(await accounts()).toEqual(['USD CLOSED 0', 'USDB ACTIVE 0', 'EUR ACTIVE 0', 'BTC ACTIVE 0']);
  const types = (await accountsOf(sandbox, customer.id)).map(({ type }) => type);
  expect(types).toEqual(['INTERNAL_FIAT', 'EMBEDDED_WALLET', 'INTERNAL_FIAT', 'INTERNAL_CRYPTO']);
  expectRefusal(await fund('USD', 5), 400, 'INVALID_INPUT');
  const before = await accountsOf(sandbox, customer.id);
  await update(list('USD', 'USDB'));
  expect(await accounts()).toEqual(['USD ACTIVE 0', 'USDB ACTIVE 0', 'EUR CLOSED 0', 'BTC CLOSED 0']);
  expect((await accountsOf(sandbox, customer.id)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await fund('USD', 5)).status).toBe(200);
});

test('with money in it, it cannot be missing: 409 that names it, and nothing changes', async () => {
  const { customer, update, read, accounts, fund } = await openCustomer(list('USD', 'EUR', 'USDC', 'GBP'));
  await fund('USD', 1);
  await fund('USDC', 7);
  const before = await accounts();
  const change = { ...list('GBP', 'JPY'), fullName: 'Grace', umaAddress: '$g@pay.example' };
  const refused = expectRefusal(await update(change), 409, 'CONFLICT');
  expect(refused.details).toEqual({ currencies: ['USD', 'USDC'] });
  expect([await read(), await accounts()]).toEqual([customer, before]);
  expect((await update(list('USDC', 'USD'))).status).toBe(200);
  expect(await accounts()).toEqual(['USD ACTIVE 1', 'EUR CLOSED 0', 'USDC ACTIVE 7', 'GBP CLOSED 0']);
});

test.each([
  [['KES', 'USD', 'NGN'], ['body /currencies']],
  [
    ['USD', 'XYZ', 'USDX'],
    ['body /currencies/1', 'body /currencies/2'],
  ],
])('%j: 400 INVALID_CURRENCY', async (currencies, places) => {
  const { customer, update, read, accounts } = await openCustomer(list('NGN'));
  const refused = expectRefusal(await update(list(...currencies)), 400, 'INVALID_CURRENCY');
  expect(faultPlaces(refused)).toEqual(places);
  expect([await read(), await accounts()]).toEqual([customer, ['NGN ACTIVE 0']]);
});

test('NGN can be replaced with KES', async () => {
  const { update, accounts } = await openCustomer(list('NGN'));
  expect((await update(list('KES'))).status).toBe(200);
  expect(await accounts()).toEqual(['NGN CLOSED 0', 'KES ACTIVE 0']);
});

test('of a world with accounts of its own: an update that does not name them leaves the accounts alone', async () => {
  const platform = await openPlatform(await openSandbox(), {
    world: { customers: [{ customer: { customerType: 'INDIVIDUAL', email: 'w@example.com' }, accounts: [] }] },
  });
  const { customer, accounts } = await customerOf(platform, 'w@example.com');
  expect(accounts).toEqual([]);
  const change = { customerType: 'INDIVIDUAL', fullName: 'W' };
  must(await platform.send('PATCH', `/customers/${customer.id}`, { body: change }));
  expect(await accountsOf(platform, customer.id)).toEqual([]);
});

test('a customer with two wallets closes both, and has both again', async () => {
  const platform = await openPlatform(await openSandbox(), { world: worldOf({ 'two@example.com': 2 }) });
  const { customer } = await customerOf(platform, 'two@example.com');
  const statuses = async (currencies: string[]) => {
    must(await platform.send('PATCH', `/customers/${customer.id}`, { body: list(...currencies) }));
    return (await accountsOf(platform, customer.id)).map(({ status }) => status);
  };
  expect(await statuses(['USD'])).toEqual(['CLOSED', 'CLOSED', 'ACTIVE']);
  expect(await statuses(['USDB'])).toEqual(['ACTIVE', 'ACTIVE', 'CLOSED']);
});
