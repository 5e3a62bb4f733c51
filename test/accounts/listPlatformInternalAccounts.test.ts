/**
 * Promise: the platform has one own account per configured currency. None of them is a wallet. This list shows them,
 * and no list of customers' accounts does (D23, D68).
 */
import { describe, expect, test } from 'vitest';
import type { InternalAccount } from '../../generated/types.ts';
import { currencyCodes } from '../../mocks/sandbox/payments/currencies.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';

const path = '/platform/internal-accounts';
const list = async (sandbox: TestSandbox, query = ''): Promise<InternalAccount[]> => {
  const answer = await sandbox.send('GET', `${path}?limit=100&${query}`);
  expect([answer.status, answer.body?.totalCount]).toEqual([200, answer.body?.data?.length]);
  return answer.body.data;
};
const support = async (sandbox: TestSandbox, currencies: readonly string[]): Promise<void> => {
  const supportedCurrencies = currencies.map((currencyCode) => ({
    currencyCode,
    minAmount: 1,
    maxAmount: 1000,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: ['INCOMING'],
  }));
  expect((await sandbox.send('PATCH', '/config', { body: { supportedCurrencies } })).status).toBe(200);
};
const short = ({ balance, type, status }: InternalAccount): string => `${balance.currency.code} ${type} ${status}`;

testCommonRefusals('listPlatformInternalAccounts', path);

describe("a platform's own accounts", () => {
  test('are three from the start, newest first, empty, and of no customer', async () => {
    const sandbox = await openSandbox();
    const accounts = await list(sandbox);
    const [usdb, usdc, usd] = [
      'USDB INTERNAL_CRYPTO ACTIVE',
      'USDC INTERNAL_CRYPTO ACTIVE',
      'USD INTERNAL_FIAT ACTIVE',
    ];
    expect(accounts.map(short)).toEqual([usdb, usdc, usd]);
    for (const account of accounts) {
      expect([account.balance.amount, 'customerId' in account, 'privateEnabled' in account]).toEqual([0, false, false]);
    }
    const customers = (await sandbox.send('GET', '/customers/internal-accounts?limit=100')).body;
    const ids = customers.data.map(({ id }: InternalAccount) => id);
    expect(customers.totalCount).toBe(6);
    for (const { id } of accounts) expect(ids).not.toContain(id);
  });

  test('grow with the configuration, and stay when a currency goes', async () => {
    const sandbox = await openSandbox();
    const before = await list(sandbox);
    await support(sandbox, ['EUR', 'USDB']);
    const after = await list(sandbox);
    expect(after.map(short)).toEqual(['EUR INTERNAL_FIAT ACTIVE', ...before.map(short)]);
    expect(after.slice(1)).toEqual(before);
    await support(sandbox, ['EUR', 'USD']);
    expect(await list(sandbox)).toEqual(after);
  });

  test('can be given money', async () => {
    const sandbox = await openSandbox();
    for (const account of await list(sandbox)) {
      const body = { amount: 250 };
      const funded = await sandbox.send('POST', `/sandbox/internal-accounts/${account.id}/fund`, { body });
      const balance = { ...account.balance, amount: 250 };
      expect([funded.status, funded.body]).toEqual([200, { ...account, balance }]);
    }
    expect((await list(sandbox)).map(({ balance }) => balance.amount)).toEqual([250, 250, 250]);
  });

  test('of every currency say how to pay in, as the account of the platform', async () => {
    const sandbox = await openSandbox();
    await support(sandbox, currencyCodes);
    const accounts = await list(sandbox);
    expect(accounts.map(({ balance }) => balance.currency.code).sort()).toEqual([...currencyCodes].sort());
    for (const { fundingPaymentInstructions, balance } of accounts) {
      expect([balance.currency.code, fundingPaymentInstructions.length > 0]).toEqual([balance.currency.code, true]);
      for (const { isPlatformAccount } of fundingPaymentInstructions) expect(isPlatformAccount).toBe(true);
    }
    expect(await list(sandbox)).toEqual(accounts);
  });

  test('are those of the one platform', async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    await support(other, ['EUR']);
    const [ids, others] = [await list(sandbox), await list(other)].map((accounts) => accounts.map(({ id }) => id));
    expect([ids?.length, others?.length, new Set([...(ids ?? []), ...(others ?? [])]).size]).toEqual([3, 4, 7]);
  });
});

describe('filters', () => {
  test.each<[query: string, currencies: string[]]>([
    ['currency=USDC', ['USDC']],
    ['type=INTERNAL_CRYPTO', ['USDB', 'USDC']],
    ['type=INTERNAL_FIAT', ['EUR', 'USD']],
    ['type=EMBEDDED_WALLET', []],
    ['type=INTERNAL_FIAT&currency=EUR', ['EUR']],
    ['type=INTERNAL_FIAT&currency=USDC', []],
    ['currency=GBP', []],
  ])('%s: %s', async (query, currencies) => {
    const sandbox = await openSandbox();
    await support(sandbox, ['USD', 'EUR']);
    // A customer's accounts in the same currencies do not count.
    must(
      await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', currencies: ['EUR', 'GBP'] } }),
    );
    expect((await list(sandbox, query)).map(({ balance }) => balance.currency.code)).toEqual(currencies);
  });

  test.each([
    ['currency=eur', 'currency'],
    ['type=WALLET', 'type'],
    ['customerId=Customer:none', 'customerId'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=abc', 'cursor'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});

describe('pages', () => {
  test('come without a gap while accounts are added', async () => {
    const sandbox = await openSandbox();
    await support(sandbox, currencyCodes.slice(0, 20));
    const before = await list(sandbox);
    const seen: InternalAccount[] = [];
    for (let page = await sandbox.send('GET', `${path}?limit=5`); ; ) {
      seen.push(...page.body.data);
      if (page.body.nextCursor === undefined) break;
      await support(sandbox, currencyCodes.slice(0, 21 + seen.length / 5));
      page = await sandbox.send('GET', `${path}?limit=5&cursor=${page.body.nextCursor}`);
    }
    expect(seen).toEqual(before);
  });

  test("a cursor of the customers' list, or of another filter, is 400", async () => {
    const sandbox = await openSandbox();
    const cursors = [];
    for (const other of ['/customers/internal-accounts?', `${path}?type=INTERNAL_CRYPTO&`]) {
      cursors.push((await sandbox.send('GET', `${other}limit=1`)).body.nextCursor);
    }
    for (const cursor of cursors) {
      expectRefusal(await sandbox.send('GET', `${path}?limit=1&cursor=${cursor}`), 400, 'INVALID_INPUT');
    }
  });
});
