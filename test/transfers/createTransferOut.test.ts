/**
 * Promise: a transfer out reduces the balance at once, to the unit. The external account's identifier decides what
 * happens to it, to the second (D30). A refused request moves nothing, and no money appears or disappears (D29).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import { mustAdd, usdcRequest, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  expectSound,
  listTransactions,
  moneyState,
  openOwner,
  platformAccount,
  readTransaction,
  transferOut,
} from '../support/scenes/transfers.ts';

testCommonRefusals('createTransferOut', '/transfer-out');

const usd = { code: 'USD', name: 'United States Dollar', symbol: '$', decimals: 2 };

test('a transfer out, whole: what it says is what the transaction says', async () => {
  const owner = await openOwner('000', { platformCustomerId: 'user-1' });
  const { sandbox, customerId, internalId, externalId } = owner;
  await sandbox.advance(60);
  const { status, body } = await transferOut(owner, { rail: 'WIRE' });
  const at = '2025-10-13T09:01:00.000Z';
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^Transaction:/),
      type: 'OUTGOING',
      status: 'COMPLETED',
      customerId,
      platformCustomerId: 'user-1',
      source: { sourceType: 'ACCOUNT', accountId: internalId, customerId, currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: externalId, paymentRail: 'WIRE', currency: 'USD' },
      sentAmount: { amount: 2500, currency: usd },
      receivedAmount: { amount: 2500, currency: usd },
      exchangeRate: 1,
      fees: 0,
      rateDetails: {
        counterpartyMultiplier: 1,
        counterpartyFixedFee: 0,
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
  expect(await owner.balance()).toBe(97_500);
  expect(await expectSound(sandbox)).toMatchObject({ [internalId]: 97_500, 'World:USD:WIRE': 2500 });
});

describe('outcomes by the identifier (D30)', () => {
  test.each([
    ['000', 'COMPLETED', undefined, 97_500],
    ['001', 'COMPLETED', undefined, 97_500],
    ['002', 'FAILED', 'INSUFFICIENT_FUNDS', 100_000],
    ['003', 'FAILED', 'ACCOUNT_CLOSED', 100_000],
    ['004', 'FAILED', 'REJECTED_BY_BANK', 100_000],
    ['006', 'COMPLETED', undefined, 97_500],
    ['007', 'COMPLETED', undefined, 97_500],
  ])('%s is %s at once and stays so', async (suffix, status, failureReason, balance) => {
    const owner = await openOwner(suffix);
    const { sandbox } = owner;
    const made = await transferOut(owner);
    expect([made.status, made.body.status, made.body.failureReason]).toEqual([201, status, failureReason]);
    expect('settledAt' in made.body).toBe(status === 'COMPLETED');
    expect(made.body).not.toHaveProperty('refund');
    for (const seconds of [0, 30, 86_400]) {
      await sandbox.advance(seconds);
      expect(await readTransaction(sandbox, made.body.id)).toEqual(made.body);
      expect(await owner.balance()).toBe(balance);
      await expectSound(sandbox);
    }
  });

  test('005 is PENDING with the sum off the balance, and FAILED with it back after 30 seconds', async () => {
    const owner = await openOwner('005');
    const { sandbox } = owner;
    const { status, body } = await transferOut(owner);
    expect([status, body.status]).toEqual([201, 'PENDING']);
    await sandbox.advance(29.999);
    expect(await readTransaction(sandbox, body.id)).toEqual(body);
    expect(await owner.balance()).toBe(97_500);
    expect(await expectSound(sandbox)).toMatchObject({ 'Held:USD': 2500 });
    await sandbox.advance(0.001);
    const failed = { status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: '2025-10-13T09:00:30.000Z' };
    expect(await readTransaction(sandbox, body.id)).toEqual({ ...body, ...failed });
    expect(await owner.balance()).toBe(100_000);
    expect(await expectSound(sandbox)).toMatchObject({ 'Held:USD': 0 });
    await sandbox.advance(86_400);
    expect(await readTransaction(sandbox, body.id)).toEqual({ ...body, ...failed });
  });

  test('an event that was due long ago has the time at which it was due', async () => {
    const owner = await openOwner('005');
    const { body } = await transferOut(owner);
    await owner.sandbox.advance(86_400);
    expect(await readTransaction(owner.sandbox, body.id)).toMatchObject({ updatedAt: '2025-10-13T09:00:30.000Z' });
  });

  test('money on its way can be spent once: 400 until it is back, then 201', async () => {
    const owner = await openOwner('005');
    expect((await transferOut(owner, { amount: 60_000 })).status).toBe(201);
    expectRefusal(await transferOut(owner, { amount: 60_000 }), 400, 'INSUFFICIENT_FUNDS');
    await owner.sandbox.advance(30);
    expect((await transferOut(owner, { amount: 60_000 })).status).toBe(201);
    await expectSound(owner.sandbox);
  });
});

describe('the sum', () => {
  test('the whole balance may go, one unit more may not', async () => {
    const owner = await openOwner();
    const before = await moneyState(owner.sandbox);
    expectRefusal(await transferOut(owner, { amount: 100_001 }), 400, 'INSUFFICIENT_FUNDS');
    expect(await moneyState(owner.sandbox)).toEqual(before);
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    expect(await owner.balance()).toBe(0);
  });

  test.each(['002', '003', '004', '005'])('who has too little is refused, whatever %s selects', async (suffix) => {
    const owner = await openOwner(suffix);
    expectRefusal(await transferOut(owner, { amount: 100_001 }), 400, 'INSUFFICIENT_FUNDS');
    expect(await listTransactions(owner.sandbox, 'type=OUTGOING')).toEqual([]);
  });

  test.each([0, -1, 0.5, '2500', null, 9_000_000_000_000_001])('case 91: %o is 400 at its place', async (amount) => {
    const owner = await openOwner();
    const before = await moneyState(owner.sandbox);
    const refused = expectRefusal(await transferOut(owner, { amount }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /amount']);
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });
});

describe('accounts that are there and do not go together (D73)', () => {
  test.each([
    ['an unknown source', { from: 'InternalAccount:none' }, 404, 'ACCOUNT_NOT_FOUND', undefined],
    ['an unknown destination', { to: 'ExternalAccount:none' }, 404, 'ACCOUNT_NOT_FOUND', undefined],
    ['an external source', { from: 'ExternalAccount:none' }, 400, 'INVALID_INPUT', 'body /source/accountId'],
    ['an internal destination', { to: 'InternalAccount:none' }, 400, 'INVALID_INPUT', 'body /destination/accountId'],
    ['a rail of another account', { rail: 'SEPA' }, 400, 'INVALID_INPUT', 'body /destination/paymentRail'],
    ['a rail that nobody has', { rail: 'PIGEON' }, 400, 'INVALID_INPUT', 'body /destination/paymentRail'],
  ] as const)('%s: refused, and nothing has moved', async (_name, change, status, code, place) => {
    const owner = await openOwner();
    const before = await moneyState(owner.sandbox);
    const refused = expectRefusal(await transferOut(owner, change), status, code);
    if (place !== undefined) expect(faultPlaces(refused)).toEqual([place]);
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('another currency is 400: a transfer does not convert', async () => {
    const owner = await openOwner();
    const before = await moneyState(owner.sandbox);
    const coins = await mustAdd(owner.sandbox, usdcRequest('So11111111111111111111111111111111111111112'));
    for (const change of [{ to: coins.id }, { from: owner.euroId }]) {
      const refused = expectRefusal(await transferOut(owner, change), 400, 'INVALID_CURRENCY');
      expect(faultPlaces(refused)).toEqual(['body /destination/accountId']);
    }
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('a wallet is 400: its owner must sign (D42)', async () => {
    const owner = await openOwner('000', { currencies: ['USD', 'USDB'], email: 'ada@example.com' });
    const wallet = (await accountsOf(owner.sandbox, owner.customerId)).find(({ type }) => type === 'EMBEDDED_WALLET');
    const refused = expectRefusal(await transferOut(owner, { from: wallet?.id ?? '' }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /source/accountId']);
  });

  test('a closed account is 400', async () => {
    const owner = await openOwner();
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    expect((await owner.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] })).status).toBe(200);
    const refused = expectRefusal(await transferOut(owner), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /source/accountId']);
  });

  test('the account of another customer is 400, that of the platform is not, nor one for the platform', async () => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const other = await openOwner('000', {}, sandbox);
    const refused = expectRefusal(await transferOut(owner, { to: other.externalId }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /destination/accountId']);

    const shared = await mustAdd(sandbox, usdRequest('000777777000'));
    const toPlatform = await transferOut(owner, { to: shared.id });
    expect([toPlatform.status, toPlatform.body.customerId]).toEqual([201, owner.customerId]);

    const dollars = await platformAccount(sandbox);
    const { status, body } = await transferOut(owner, { from: dollars });
    expect([status, 'customerId' in body, 'platformCustomerId' in body]).toEqual([201, false, false]);
    expect(body.source).toEqual({ sourceType: 'ACCOUNT', accountId: dollars, currency: 'USD' });
    await expectSound(sandbox);
  });
});

describe('who may pay', () => {
  test.each(['PENDING', 'REJECTED', 'UNVERIFIED'])('someone whose KYC is %s may not: 403', async (kycStatus) => {
    const owner = await openOwner('000', { kycStatus });
    const before = await moneyState(owner.sandbox);
    const { message } = expectRefusal(await transferOut(owner), 403, 'USER_NOT_READY');
    expect(message).toContain(`its KYC status is ${kycStatus}.`);
    // Contradictions are reported first, the amount last (D72).
    expectRefusal(await transferOut(owner, { rail: 'SEPA' }), 400, 'INVALID_INPUT');
    expectRefusal(await transferOut(owner, { amount: 100_001 }), 403, 'USER_NOT_READY');
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('a deleted customer is 410, before the currency is looked at', async () => {
    const owner = await openOwner();
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    expect((await owner.sandbox.send('DELETE', `/customers/${owner.customerId}`)).status).toBe(200);
    for (const change of [{}, { from: owner.euroId }, { amount: 1 }]) {
      expectRefusal(await transferOut(owner, change), 410, 'CUSTOMER_DELETED');
    }
    expectRefusal(await transferOut(owner, { to: 'ExternalAccount:none' }), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('nobody pays the bank account of a deleted customer: 410, before whose it is and its currency', async () => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const gone = await openOwner('000', {}, sandbox);
    must(await transferOut(gone, { amount: 100_000 }));
    must(await sandbox.send('DELETE', `/customers/${gone.customerId}`));
    const platform = await platformAccount(sandbox);
    const before = await moneyState(sandbox);
    for (const from of [platform, owner.internalId, owner.euroId]) {
      expectRefusal(await transferOut(owner, { from, to: gone.externalId }), 410, 'CUSTOMER_DELETED');
    }
    expectRefusal(
      await transferOut(owner, { from: 'InternalAccount:none', to: gone.externalId }),
      404,
      'ACCOUNT_NOT_FOUND',
    );
    expect(await moneyState(sandbox)).toEqual(before);
  });
});

test('an empty body is 400 at every place', async () => {
  const sandbox = await openSandbox();
  const nothing = expectRefusal(await sandbox.send('POST', '/transfer-out', { body: {} }), 400, 'INVALID_INPUT');
  expect(faultPlaces(nothing)).toEqual(['body /amount', 'body /destination', 'body /source']);
});
