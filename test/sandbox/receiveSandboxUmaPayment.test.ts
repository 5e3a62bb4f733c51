/**
 * Promise: a UMA payment from outside arrives in the receiver's account, at once and to the unit, with a transaction
 * that names the sender. A refused request moves nothing (D31).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import type { Answer } from '../support/sandbox/harness.ts';
import { mustAdd, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  expectSound,
  listTransactions,
  moneyState,
  type Owner,
  openOwner,
  readTransaction,
  transferIn,
  transferOut,
} from '../support/scenes/transfers.ts';

testCommonRefusals('receiveSandboxUmaPayment', '/sandbox/uma/receive');

const address = '$Ada.Byron@pay.example';
const openReceiver = (fields: object = {}) => openOwner('000', { umaAddress: address, ...fields });

/** 42 dollars from a sender of the sandbox to the receiver's address, unless `change` differs. */
function receive({ sandbox }: Owner, change: object = {}): Promise<Answer> {
  const body = {
    senderUmaAddress: '$success.usd@vasp.example',
    receiverUmaAddress: address,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 4200,
    ...change,
  };
  return sandbox.send('POST', '/sandbox/uma/receive', { body });
}

test('a payment, whole', async () => {
  const receiver = await openReceiver({ platformCustomerId: 'user-1' });
  const { sandbox, customerId, internalId } = receiver;
  await sandbox.advance(60);
  const { status, body } = await receive(receiver);
  const at = '2025-10-13T09:01:00.000Z';
  expect([status, body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^Transaction:/),
      type: 'INCOMING',
      status: 'COMPLETED',
      customerId,
      platformCustomerId: 'user-1',
      source: { sourceType: 'UMA_ADDRESS', umaAddress: '$success.usd@vasp.example', currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: internalId, currency: 'USD' },
      receivedAmount: {
        amount: 4200,
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
      counterpartyInformation: { FULL_NAME: 'Sandbox Sender' },
      settledAt: at,
      createdAt: at,
      updatedAt: at,
    },
  ]);
  expect(await readTransaction(sandbox, body.id)).toEqual(body);
  expect(await receiver.balance()).toBe(104_200);
  expect(await expectSound(sandbox)).toMatchObject({ 'World:USD:UMA': -4200 });
});

describe('who receives', () => {
  test.each(['the address', 'the address in other letters', 'the id'])('named by %s', async (how) => {
    const receiver = await openReceiver();
    const change = how === 'the id' ? { receiverUmaAddress: undefined, customerId: receiver.customerId } : {};
    const letters = how.endsWith('letters') ? { receiverUmaAddress: address.toUpperCase() } : {};
    const { status, body } = await receive(receiver, { ...change, ...letters });
    expect([status, body.customerId]).toEqual([200, receiver.customerId]);
  });

  test('somebody who may not send may receive (D39)', async () => {
    const receiver = await openReceiver({ kycStatus: 'REJECTED' });
    expect((await receive(receiver)).status).toBe(200);
  });

  test('named twice, or not at all, is 400', async () => {
    const receiver = await openReceiver();
    const before = await moneyState(receiver.sandbox);
    for (const change of [{ customerId: receiver.customerId }, { receiverUmaAddress: undefined }]) {
      expect(faultPlaces(expectRefusal(await receive(receiver, change), 400, 'INVALID_INPUT'))).toEqual(['body ']);
    }
    // Faults of a request's form are reported before unknown customers.
    const nobodySends = { customerId: receiver.customerId, senderUmaAddress: '$nobody@pay.example' };
    expectRefusal(await receive(receiver, nobodySends), 400, 'INVALID_INPUT');
    expect(await moneyState(receiver.sandbox)).toEqual(before);
  });

  test.each(['the address', 'the address in other letters', 'the id'])(
    'a customer who sends to itself, named by %s, is 400',
    async (how) => {
      const receiver = await openReceiver();
      const before = await moneyState(receiver.sandbox);
      const senderUmaAddress = how.endsWith('letters') ? address.toLowerCase() : address;
      const change = how === 'the id' ? { receiverUmaAddress: undefined, customerId: receiver.customerId } : {};
      const refusal = expectRefusal(await receive(receiver, { senderUmaAddress, ...change }), 400, 'SELF_PAYMENT');
      expect(faultPlaces(refusal)).toEqual(['body /senderUmaAddress']);
      expect(await moneyState(receiver.sandbox)).toEqual(before);
    },
  );

  test('a deleted one is 404 by the address and 410 by the id', async () => {
    const receiver = await openReceiver();
    await transferOut(receiver, { amount: 100_000 });
    expect((await receiver.sandbox.send('DELETE', `/customers/${receiver.customerId}`)).status).toBe(200);
    expectRefusal(await receive(receiver), 404, 'UMA_NOT_FOUND');
    const byId = { receiverUmaAddress: undefined, customerId: receiver.customerId };
    expectRefusal(await receive(receiver, byId), 410, 'CUSTOMER_DELETED');
  });

  test('one of the platform may send as well, is named, and is not debited', async () => {
    const receiver = await openReceiver();
    const fields = { umaAddress: '$grace@pay.example', fullName: 'Grace Murray', birthDate: '1986-12-09' };
    const sender = await openOwner('000', fields, receiver.sandbox);
    const { body } = await receive(receiver, { senderUmaAddress: '$GRACE@pay.example' });
    expect(body.counterpartyInformation).toEqual({ FULL_NAME: 'Grace Murray', BIRTH_DATE: '1986-12-09' });
    expect(await sender.balance()).toBe(100_000);
    expect(await listTransactions(receiver.sandbox, 'senderAccountIdentifier=$grace@pay.example')).toEqual([body]);
  });
});

describe('where the money goes', () => {
  test('to the default deposit account of its currency, and then to no balance', async () => {
    const receiver = await openReceiver();
    const { sandbox, customerId } = receiver;
    // Its suffix would return a payment, but UMA payments ignore it (D31).
    const account = usdRequest('000888888002', { customerId, defaultUmaDepositAccount: true });
    const deposit = await mustAdd(sandbox, account);
    const { status, body } = await receive(receiver);
    expect([status, body.status, body.destination.accountId]).toEqual([200, 'COMPLETED', deposit.id]);
    expect(await receiver.balance()).toBe(100_000);
    expect(await listTransactions(sandbox, `receiverAccountIdentifier=${deposit.id}`)).toEqual([body]);
    await expectSound(sandbox);
  });

  test('to the internal account when the deposit account is of another currency', async () => {
    const receiver = await openReceiver();
    const account = usdRequest('000888888000', { customerId: receiver.customerId, defaultUmaDepositAccount: true });
    await mustAdd(receiver.sandbox, account);
    const { body } = await receive(receiver, { receivingCurrencyCode: 'EUR' });
    expect(body.destination.accountId).toBe(receiver.euroId);
  });

  test('a closed account takes nothing: 400', async () => {
    const receiver = await openReceiver();
    expect((await receiver.update({ customerType: 'INDIVIDUAL', currencies: ['USD'] })).status).toBe(200);
    const refused = expectRefusal(await receive(receiver, { receivingCurrencyCode: 'EUR' }), 400, 'INVALID_CURRENCY');
    expect(faultPlaces(refused)).toEqual(['body /receivingCurrencyCode']);
  });

  test('a balance ends at 9000000000000000, to the unit', async () => {
    const receiver = await openReceiver();
    const room = 9_000_000_000_000_000 - 100_000;
    const before = await moneyState(receiver.sandbox);
    const tooMuch = await receive(receiver, { receivingCurrencyAmount: room + 1 });
    expect(faultPlaces(expectRefusal(tooMuch, 400, 'AMOUNT_OUT_OF_RANGE'))).toEqual(['body /receivingCurrencyAmount']);
    expect(await moneyState(receiver.sandbox)).toEqual(before);
    expect((await receive(receiver, { receivingCurrencyAmount: room })).status).toBe(200);
    expectRefusal(await transferIn(receiver, { amount: 1 }), 400, 'AMOUNT_OUT_OF_RANGE');
    await expectSound(receiver.sandbox);
  });
});

test.each([
  ['a sender whom nobody knows', { senderUmaAddress: '$nobody@pay.example' }, 404, 'UMA_NOT_FOUND', undefined],
  ['a receiver whom nobody knows', { receiverUmaAddress: '$nobody@pay.example' }, 404, 'UMA_NOT_FOUND', undefined],
  ['a receiver of the sandbox', { receiverUmaAddress: '$success.usd@a.example' }, 404, 'UMA_NOT_FOUND', undefined],
  [
    'a customer whom nobody knows',
    { receiverUmaAddress: undefined, customerId: 'Customer:none' },
    404,
    'USER_NOT_FOUND',
    undefined,
  ],
  [
    'a currency that nobody knows',
    { receivingCurrencyCode: 'XXX' },
    400,
    'INVALID_CURRENCY',
    '/receivingCurrencyCode: XXX is not a currency of the service',
  ],
  [
    'one without an account',
    { receivingCurrencyCode: 'GBP' },
    400,
    'INVALID_CURRENCY',
    '/receivingCurrencyCode: the customer has no account in GBP',
  ],
  ['a sum of zero', { receivingCurrencyAmount: 0 }, 400, 'INVALID_INPUT', '/receivingCurrencyAmount'],
  ['half a cent', { receivingCurrencyAmount: 0.5 }, 400, 'INVALID_INPUT', '/receivingCurrencyAmount'],
  ['no sum', { receivingCurrencyAmount: undefined }, 400, 'INVALID_INPUT', '/receivingCurrencyAmount'],
  ['no sender', { senderUmaAddress: undefined }, 400, 'INVALID_INPUT', '/senderUmaAddress'],
  ['a field of another operation', { currency: 'USD' }, 400, 'INVALID_INPUT', '/currency'],
] as const)('%s: refused, and nothing has moved', async (_name, change, status, code, said) => {
  const receiver = await openReceiver();
  const before = await moneyState(receiver.sandbox);
  const refused = expectRefusal(await receive(receiver, change), status, code);
  if (said !== undefined) {
    expect(faultPlaces(refused)).toEqual([`body ${said.split(':')[0]}`]);
    expect(refused.message).toContain(`body ${said}`);
  }
  expect(await moneyState(receiver.sandbox)).toEqual(before);
});
