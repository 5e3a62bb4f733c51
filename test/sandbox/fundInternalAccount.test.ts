/** Promise: the money arrives at once and to the unit. An amount that doesn't fit is refused, never rounded (D08). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InternalAccount } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { runs } from '../support/run/length.ts';
import { data, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import { openWallet } from '../support/scenes/builders.ts';
import { openCustomer } from '../support/scenes/customers.ts';
import { expectSound, listTransactions, openOwner, transferIn } from '../support/scenes/transfers.ts';

const most = 9_000_000_000_000_000;
const fund = (sandbox: TestSandbox, accountId: string, amount: unknown) =>
  sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { body: { amount } });
const accounts = async (sandbox: TestSandbox): Promise<InternalAccount[]> =>
  data(await sandbox.client.GET('/customers/internal-accounts')).data;

testCommonRefusals('fundInternalAccount', '/sandbox/internal-accounts/InternalAccount:none/fund');

describe('funding', () => {
  test.each(['EMBEDDED_WALLET', 'INTERNAL_FIAT', 'INTERNAL_CRYPTO'] as const)(
    'adds to a %s, and to no other',
    async (type) => {
      const sandbox = await openSandbox();
      await openWallet(sandbox);
      const before = await accounts(sandbox);
      await sandbox.advance(60);
      const target = before.find((account) => account.type === type) as InternalAccount;
      const answer = await fund(sandbox, target.id, 250);
      const balance = { ...target.balance, amount: target.balance.amount + 250 };
      const after = { ...target, balance, updatedAt: '2025-10-13T09:01:00.000Z' };
      expect([answer.status, answer.body]).toEqual([200, after]);
      expect(await accounts(sandbox)).toEqual(before.map((account) => (account.id === target.id ? after : account)));
    },
  );

  test('any sums add up exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 100_000_000_000 }), { maxLength: 8 }), async (amounts) => {
        const sandbox = await openSandbox();
        const { accountId } = await openWallet(sandbox);
        for (const amount of amounts) expect((await fund(sandbox, accountId, amount)).status).toBe(200);
        const [wallet] = (await accounts(sandbox)).filter(({ id }) => id === accountId);
        expect(wallet?.balance.amount).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
      }),
      { numRuns: runs(20) },
    );
  });

  test('at once, none is lost', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => fund(sandbox, accountId, index + 1)));
    expect(Math.max(...answers.map(({ body }) => body.balance.amount))).toBe(1275);
    expect(new Set(answers.map(({ body }) => body.balance.amount)).size).toBe(50);
  });
});

describe('the amount', () => {
  test.each([1, 100_000_000_000])('case 91: %d is taken', async (amount) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    expect(await fund(sandbox, accountId, amount)).toMatchObject({ status: 200, body: { balance: { amount } } });
  });

  test.each([0, -1, 100_000_000_001, most, 9007199254740993n, 36893488147419103232n, 0.5, '100', null, true, [1], {}])(
    'case 91: %o is 400 at its place, and nothing is added',
    async (amount) => {
      const sandbox = await openSandbox();
      const { accountId } = await openWallet(sandbox);
      const before = await accounts(sandbox);
      const text = `{"amount":${typeof amount === 'bigint' ? amount : JSON.stringify(amount)}}`;
      const answer = await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { text });
      const refused = expectRefusal(answer, 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual(['body /amount']);
      expect(await accounts(sandbox)).toEqual(before);
    },
  );

  test.each([
    ['nothing', {}, ['body /amount']],
    ['a currency', { amount: 1, currency: 'USD' }, ['body /currency']],
    ['it spelt otherwise', { Amount: 1 }, ['body /Amount', 'body /amount']],
  ])('%s instead of it is 400', async (_name, body, places) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const answer = await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { body });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(places);
  });

  test('a balance ends at 9000000000000000, to the unit', async () => {
    // A bank transfer fills it, because adding money takes ninety thousand requests.
    const owner = await openOwner();
    const { sandbox, internalId } = owner;
    expect((await transferIn(owner, { amount: most - 100_001 })).status).toBe(201);
    const before = await accounts(sandbox);
    for (const amount of [2, 100_000_000_000]) {
      const refused = expectRefusal(await fund(sandbox, internalId, amount), 400, 'AMOUNT_OUT_OF_RANGE');
      expect(faultPlaces(refused)).toEqual(['body /amount']);
    }
    expect(await accounts(sandbox)).toEqual(before);
    expect(await fund(sandbox, internalId, 1)).toMatchObject({ status: 200, body: { balance: { amount: most } } });
    expectRefusal(await fund(sandbox, internalId, 1), 400, 'AMOUNT_OUT_OF_RANGE');
    await expectSound(sandbox);
  });
});

test.each(['InternalAccount:none', 'InternalAccount:', 'Customer:a', 'none', `InternalAccount:${'a'.repeat(65)}`])(
  'an account %s is 404',
  async (id) => {
    expectRefusal(await fund(await openSandbox(), id, 1), 404, 'ACCOUNT_NOT_FOUND');
  },
);

test.each(['an update that drops its currency', 'a deletion of its customer'])(
  'an account closed by %s takes no money, and says so (D67)',
  async (what) => {
    const { sandbox, customer, update } = await openCustomer({
      customerType: 'INDIVIDUAL',
      currencies: ['EUR', 'USD'],
    });
    const [euro] = await accountsOf(sandbox, customer.id);
    const path = `/customers/${customer.id}`;
    const closing = what.startsWith('an update')
      ? await update({ customerType: 'INDIVIDUAL', currencies: ['USD'] })
      : await sandbox.send('DELETE', path);
    expect(closing.status).toBe(200);
    const refused = expectRefusal(await fund(sandbox, euro?.id ?? '', 1), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['path /accountId']);
    expect((await accountsOf(sandbox, customer.id))[0]).toMatchObject({ status: 'CLOSED', balance: { amount: 0 } });
  },
);

test('an account that is open again takes money again', async () => {
  const { fund: give, update } = await openCustomer({ customerType: 'INDIVIDUAL', currencies: ['EUR', 'USD'] });
  for (const currencies of [['USD'], ['USD', 'EUR']]) {
    expect((await update({ customerType: 'INDIVIDUAL', currencies })).status).toBe(200);
  }
  expect(await give('EUR', 5)).toMatchObject({ status: 200, body: { status: 'ACTIVE', balance: { amount: 5 } } });
});

describe('its transaction (D69)', () => {
  test('is INCOMING and COMPLETED, from outside, and belongs to the owner of the account', async () => {
    const {
      sandbox,
      customer,
      fund: give,
    } = await openCustomer({
      customerType: 'INDIVIDUAL',
      currencies: ['EUR'],
      platformCustomerId: 'user-1',
    });
    await sandbox.advance(60);
    const { id } = (await give('EUR', 250)).body;
    const at = '2025-10-13T09:01:00.000Z';
    const [made, ...more] = await listTransactions(sandbox, `accountIdentifier=${id}`);
    expect([more, made]).toEqual([
      [],
      {
        id: expect.stringMatching(/^Transaction:/),
        type: 'INCOMING',
        status: 'COMPLETED',
        customerId: customer.id,
        platformCustomerId: 'user-1',
        source: { sourceType: 'REALTIME_FUNDING', customerId: customer.id, currency: 'EUR' },
        destination: { destinationType: 'ACCOUNT', accountId: id, currency: 'EUR' },
        receivedAmount: { amount: 250, currency: { code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 } },
        fees: 0,
        rateDetails: {
          serviceApiMultiplier: 1,
          serviceApiFixedFee: 0,
          serviceApiVariableFeeRate: 0,
          serviceApiVariableFeeAmount: 0,
        },
        reconciliationInstructions: { reference: expect.stringMatching(/^T[0-9A-F]{9}$/) },
        settledAt: at,
        createdAt: at,
        updatedAt: at,
      },
    ]);
    await expectSound(sandbox);
  });

  test('of the platform’s own account belongs to no customer', async () => {
    const sandbox = await openSandbox();
    const [own] = (await sandbox.send('GET', '/platform/internal-accounts')).body.data;
    expect((await fund(sandbox, own.id, 7)).status).toBe(200);
    const [made] = await listTransactions(sandbox, `receiverAccountIdentifier=${own.id}`);
    expect(made).toMatchObject({ type: 'INCOMING', source: { sourceType: 'REALTIME_FUNDING' } });
    expect(made).not.toHaveProperty('customerId');
    expect(made).not.toHaveProperty('platformCustomerId');
    await expectSound(sandbox);
  });

  test('is not there when nothing was added', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    expectRefusal(await fund(sandbox, accountId, 0), 400, 'INVALID_INPUT');
    expect(await listTransactions(sandbox, `accountIdentifier=${accountId}`)).toEqual([]);
  });
});
