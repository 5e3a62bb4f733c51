/**
 * Promise: collected money is in the account only while its transaction is COMPLETED. The external account's identifier
 * decides what happens, to the second (D30). No money appears or disappears (D29).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import { mustAdd, person, usdcRequest, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  expectSound,
  moneyState,
  openOwner,
  platformAccount,
  readTransaction,
  transferIn,
  transferOut,
} from '../support/scenes/transfers.ts';

testCommonRefusals('createTransferIn', '/transfer-in');

/** The body that adds an Indian account with a payment address (VPA). */
const inrRequest = (customerId: string, vpa: string) => ({
  currency: 'INR',
  customerId,
  accountInfo: { accountType: 'INR_ACCOUNT', vpa, beneficiary: person },
});

test('a transfer in, whole: what it says is what the transaction says', async () => {
  const owner = await openOwner('000', { platformCustomerId: 'user-1' });
  const { sandbox, customerId, internalId, externalId } = owner;
  const { status, body } = await transferIn(owner);
  const at = '2025-10-13T09:00:00.000Z';
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^Transaction:/),
      type: 'INCOMING',
      status: 'COMPLETED',
      customerId,
      platformCustomerId: 'user-1',
      source: { sourceType: 'ACCOUNT', accountId: externalId, customerId, currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: internalId, currency: 'USD' },
      receivedAmount: {
        amount: 2500,
        currency: { code: 'USD', name: 'United States Dollar', symbol: '$', decimals: 2 },
      },
      fees: 0,
      rateDetails: {
        serviceApiMultiplier: 1,
        serviceApiFixedFee: 0,
        serviceApiVariableFeeRate: 0,
        serviceApiVariableFeeAmount: 0,
      },
      reconciliationInstructions: { reference: expect.stringMatching(/^T[0-9A-F]{9}$/) },
      counterpartyInformation: { FULL_NAME: 'Ada Byron' },
      settledAt: at,
      createdAt: at,
      updatedAt: at,
    },
  ]);
  expect(await readTransaction(sandbox, body.id)).toEqual(body);
  expect(await owner.balance()).toBe(102_500);
  await expectSound(sandbox);
});

describe('outcomes by the identifier (D30)', () => {
  test.each([
    ['000', 'COMPLETED', undefined, 102_500],
    ['001', 'COMPLETED', undefined, 102_500],
    ['002', 'FAILED', 'INSUFFICIENT_FUNDS', 100_000],
    ['003', 'FAILED', 'ACCOUNT_CLOSED', 100_000],
    ['004', 'FAILED', 'REJECTED_BY_BANK', 100_000],
    ['006', 'COMPLETED', undefined, 102_500],
    ['007', 'COMPLETED', undefined, 102_500],
  ])('%s is %s at once and stays so', async (suffix, status, failureReason, balance) => {
    const owner = await openOwner(suffix);
    const { sandbox } = owner;
    const made = await transferIn(owner);
    expect([made.status, made.body.status, made.body.failureReason]).toEqual([201, status, failureReason]);
    expect('settledAt' in made.body).toBe(status === 'COMPLETED');
    for (const seconds of [0, 30, 86_400]) {
      await sandbox.advance(seconds);
      expect(await readTransaction(sandbox, made.body.id)).toEqual(made.body);
      expect(await owner.balance()).toBe(balance);
      await expectSound(sandbox);
    }
  });

  test('005 is PENDING with nothing credited, and FAILED after 30 seconds', async () => {
    const owner = await openOwner('005');
    const { sandbox } = owner;
    const { status, body } = await transferIn(owner);
    expect([status, body.status]).toEqual([201, 'PENDING']);
    await sandbox.advance(29.999);
    expect(await readTransaction(sandbox, body.id)).toEqual(body);
    await sandbox.advance(0.001);
    const failed = { status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: '2025-10-13T09:00:30.000Z' };
    expect(await readTransaction(sandbox, body.id)).toEqual({ ...body, ...failed });
    expect(await owner.balance()).toBe(100_000);
    await expectSound(sandbox);
  });

  test.each([
    ['ada002@okbank', 'FAILED'],
    ['ada000@ok002', 'COMPLETED'],
  ])('of an identifier with an @ the part before it counts: %s is %s', async (vpa, status) => {
    const owner = await openOwner('000', { currencies: ['USD', 'INR'] });
    const rupees = await mustAdd(owner.sandbox, inrRequest(owner.customerId, vpa));
    const { body } = await transferIn(owner, { from: rupees.id, to: owner.idOf('INR') });
    expect(body.status).toBe(status);
  });
});

describe('the destination', () => {
  test('a wallet may receive, and so may somebody who may not send (D39, D42)', async () => {
    const owner = await openOwner('000', {
      kycStatus: 'REJECTED',
      currencies: ['USD', 'USDB'],
      email: 'ada@example.com',
    });
    const { sandbox, customerId } = owner;
    expect((await transferIn(owner)).status).toBe(201);
    const wallet = (await accountsOf(sandbox, customerId)).find(({ type }) => type === 'EMBEDDED_WALLET');
    const accountInfo = { accountType: 'SPARK_WALLET', address: `spark1${'a'.repeat(60)}` };
    const coins = await mustAdd(sandbox, { currency: 'USDB', customerId, accountInfo });
    const { status, body } = await transferIn(owner, { from: coins.id, to: wallet?.id ?? '' });
    expect([status, body.status, body.destination.accountId]).toEqual([201, 'COMPLETED', wallet?.id]);
    expect(body).not.toHaveProperty('counterpartyInformation');
    await expectSound(sandbox);
  });

  test('a balance ends at 9000000000000000, to the unit', async () => {
    const owner = await openOwner();
    const room = 9_000_000_000_000_000 - 100_000;
    const before = await moneyState(owner.sandbox);
    const refused = expectRefusal(await transferIn(owner, { amount: room + 1 }), 400, 'AMOUNT_OUT_OF_RANGE');
    expect(faultPlaces(refused)).toEqual(['body /amount']);
    expect(await moneyState(owner.sandbox)).toEqual(before);
    expect((await transferIn(owner, { amount: room })).status).toBe(201);
    await expectSound(owner.sandbox);
  });

  test('a closed account is 400', async () => {
    const owner = await openOwner('000', { currencies: ['USD', 'INR'] });
    expect((await owner.update({ customerType: 'INDIVIDUAL', currencies: ['USD'] })).status).toBe(200);
    const rupees = await mustAdd(owner.sandbox, inrRequest(owner.customerId, 'ada@okbank'));
    const answer = await transferIn(owner, { from: rupees.id, to: owner.idOf('INR') });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['body /destination/accountId']);
  });
});

describe('accounts that are there and do not go together (D73)', () => {
  test.each([
    ['an unknown source', { from: 'ExternalAccount:none' }, 404, 'ACCOUNT_NOT_FOUND', undefined],
    ['an unknown destination', { to: 'InternalAccount:none' }, 404, 'ACCOUNT_NOT_FOUND', undefined],
    ['an internal source', { from: 'InternalAccount:none' }, 400, 'INVALID_INPUT', 'body /source/accountId'],
    ['an external destination', { to: 'ExternalAccount:none' }, 400, 'INVALID_INPUT', 'body /destination/accountId'],
    ['no sum', { amount: null }, 400, 'INVALID_INPUT', 'body /amount'],
    ['a sum of zero', { amount: 0 }, 400, 'INVALID_INPUT', 'body /amount'],
  ] as const)('%s: refused, and nothing has moved', async (_name, change, status, code, place) => {
    const owner = await openOwner();
    const before = await moneyState(owner.sandbox);
    const refused = expectRefusal(await transferIn(owner, change), status, code);
    if (place !== undefined) expect(faultPlaces(refused)).toEqual([place]);
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('another currency is 400', async () => {
    const owner = await openOwner();
    const coins = await mustAdd(owner.sandbox, usdcRequest('So11111111111111111111111111111111111111112'));
    const before = await moneyState(owner.sandbox);
    for (const change of [{ from: coins.id }, { to: owner.euroId }]) {
      const refused = expectRefusal(await transferIn(owner, change), 400, 'INVALID_CURRENCY');
      expect(faultPlaces(refused)).toEqual(['body /destination/accountId']);
    }
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('the account of another customer is 400, that of the platform is not', async () => {
    const owner = await openOwner();
    const other = await openOwner('000', {}, owner.sandbox);
    const refused = expectRefusal(await transferIn(owner, { from: other.externalId }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /destination/accountId']);
    const shared = await mustAdd(owner.sandbox, usdRequest('000777777000'));
    const { status, body } = await transferIn(owner, { from: shared.id });
    expect([status, body.customerId]).toEqual([201, owner.customerId]);
    expect(body.source).toEqual({ sourceType: 'ACCOUNT', accountId: shared.id, currency: 'USD' });
  });

  test('a deleted customer is 410', async () => {
    const owner = await openOwner();
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    expect((await owner.sandbox.send('DELETE', `/customers/${owner.customerId}`)).status).toBe(200);
    for (const change of [{}, { to: owner.euroId }]) {
      expectRefusal(await transferIn(owner, change), 410, 'CUSTOMER_DELETED');
    }
  });

  test('nobody collects from or for a deleted customer: 410, before whose it is and its currency', async () => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const gone = await openOwner('000', {}, sandbox);
    const shared = await mustAdd(sandbox, usdRequest('000777777000'));
    must(await transferOut(gone, { amount: 100_000 }));
    must(await sandbox.send('DELETE', `/customers/${gone.customerId}`));
    const platform = await platformAccount(sandbox);
    const before = await moneyState(sandbox);
    for (const change of [
      { from: gone.externalId, to: platform },
      { from: gone.externalId, to: owner.internalId },
      { from: gone.externalId, to: owner.euroId },
      { from: shared.id, to: gone.internalId },
      { from: owner.externalId, to: gone.internalId },
      { from: owner.externalId, to: gone.euroId },
    ]) {
      expectRefusal(await transferIn(owner, change), 410, 'CUSTOMER_DELETED');
    }
    expect(await moneyState(sandbox)).toEqual(before);
  });
});
