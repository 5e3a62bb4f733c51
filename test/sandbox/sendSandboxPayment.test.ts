/**
 * Promise: a quote that waits for money from outside starts when exactly its amount arrives in its currency, once and
 * in time, and for no other reason (D76). After that it behaves like any quote (D30).
 */
import { describe, expect, test } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openBusiness } from '../support/scenes/businesses.ts';
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

testCommonRefusals('sendSandboxPayment', '/sandbox/send');

/** 2500 cents from outside to the owner's bank account, unless `change` differs. */
async function quote(owner: Owner, change: object = {}): Promise<Quote> {
  const { status, body } = await owner.sandbox.send('POST', '/quotes', {
    body: {
      source: { sourceType: 'REALTIME_FUNDING', customerId: owner.customerId, currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: owner.externalId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 2500,
      ...change,
    },
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}

const pay = (sandbox: TestSandbox, quoteId: string, change: object = {}): Promise<Answer> =>
  sandbox.send('POST', '/sandbox/send', { body: { quoteId, currencyCode: 'USD', ...change } });
const statusOf = async (sandbox: TestSandbox, { id }: Quote): Promise<string> =>
  (await sandbox.send('GET', `/quotes/${id}`)).body.status;

describe('the money of a quote', () => {
  test.each([{}, { currencyAmount: 2500 }])('is paid in with %o, and the transaction is the answer', async (change) => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const made = await quote(owner);
    const before = await readTransaction(sandbox, made.transactionId ?? '');
    await sandbox.advance(60);
    const { status, body } = await pay(sandbox, made.id, change);
    const at = '2025-10-13T09:01:00.000Z';
    expect([status, body]).toEqual([200, { ...before, status: 'COMPLETED', settledAt: at, updatedAt: at }]);
    expect(await readTransaction(sandbox, body.id)).toEqual(body);
    expect(await statusOf(sandbox, made)).toBe('COMPLETED');
    expect(await owner.balance()).toBe(100_000);
    await expectSound(sandbox);
  });

  test('reaches an account in another currency, and leaves the fee', async () => {
    const owner = await openOwner();
    const { sandbox, euroId } = owner;
    const made = await quote(owner, { destination: { destinationType: 'ACCOUNT', accountId: euroId } });
    expect((await pay(sandbox, made.id)).body.status).toBe('COMPLETED');
    const places = await expectSound(sandbox);
    expect(places).toMatchObject({ [euroId]: made.totalReceivingAmount, 'Fees:USD': 13, 'World:USD:FUNDING': -2500 });
    expect((await listTransactions(sandbox, `accountIdentifier=${euroId}`)).map(({ type }) => type)).toEqual([
      'OUTGOING',
    ]);
  });

  test('may be the platform’s own, for a customer who is named', async () => {
    const owner = await openOwner();
    const { sandbox, customerId, internalId } = owner;
    const made = await quote(owner, {
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: internalId },
    });
    const { status, body } = await pay(sandbox, made.id);
    expect([status, 'customerId' in body]).toEqual([200, false]);
    expect(await owner.balance()).toBe(102_500);
    const [told] = await listTransactions(sandbox, `customerId=${customerId}`);
    expect(told).toMatchObject({ type: 'INCOMING', status: 'COMPLETED', receivedAmount: { amount: 2500 } });
    await expectSound(sandbox);
  });
});

describe('outcomes by the identifier of the destination (D30)', () => {
  test.each([
    ['002', 'FAILED', 'QUOTE_EXECUTION_FAILED', undefined],
    ['004', 'FAILED', 'COUNTERPARTY_POST_TX_FAILED', { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' }],
    ['006', 'FAILED', 'QUOTE_EXECUTION_FAILED', { status: 'COMPLETED', reason: 'USER_CANCELLATION' }],
    ['007', 'FAILED', 'COUNTERPARTY_POST_TX_FAILED', { status: 'FAILED', reason: 'TRANSACTION_FAILED' }],
  ])('%s is %s at once', async (suffix, status, failureReason, refund) => {
    const owner = await openOwner(suffix);
    const made = await quote(owner);
    const { body } = await pay(owner.sandbox, made.id);
    expect(body).toMatchObject({ status, failureReason, ...(refund === undefined ? {} : { refund }) });
    expect('refund' in body).toBe(refund !== undefined);
    expect(await statusOf(owner.sandbox, made)).toBe(status);
    await expectSound(owner.sandbox);
  });

  test.each([
    ['003', 'PROCESSING', 360, { status: 'COMPLETED', settledAt: '2025-10-13T09:06:00.000Z' }],
    ['005', 'COMPLETED', 30, { status: 'FAILED', refund: { status: 'COMPLETED' } }],
  ] as const)('%s is %s, and %i seconds later it is not', async (suffix, status, seconds, later) => {
    const owner = await openOwner(suffix);
    const { sandbox } = owner;
    const made = await quote(owner);
    const { body } = await pay(sandbox, made.id);
    expect(body.status).toBe(status);
    await expectSound(sandbox);
    await sandbox.advance(seconds - 0.001);
    expect(await readTransaction(sandbox, body.id)).toEqual(body);
    await sandbox.advance(0.001);
    expect(await readTransaction(sandbox, body.id)).toMatchObject(later);
    expect(await statusOf(sandbox, made)).toBe(later.status);
    await expectSound(sandbox);
  });

  test.each(['a dropped currency', 'a deletion'])('money from outside on its way does not stop %s', async (what) => {
    const owner = await openOwner('003');
    const elsewhere = await mustAdd(owner.sandbox, usdRequest('000555555000', { customerId: owner.customerId }));
    await transferOut(owner, { to: elsewhere.id, amount: 100_000 });
    const made = await quote(owner);
    expect((await pay(owner.sandbox, made.id)).body.status).toBe('PROCESSING');
    const end = what.startsWith('a deletion')
      ? await owner.sandbox.send('DELETE', `/customers/${owner.customerId}`)
      : await owner.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] });
    expect(end.status).toBe(200);
    await owner.sandbox.advance(360);
    expect(await statusOf(owner.sandbox, made)).toBe('COMPLETED');
    await expectSound(owner.sandbox);
  });
});

describe('what has become impossible is a FAILED quote, and nothing moves (D72)', () => {
  test.each(['REJECTED', 'PENDING', 'UNVERIFIED'])('a payer whose KYC is %s by then (D39)', async (kycStatus) => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const made = await quote(owner);
    must(await owner.update({ customerType: 'INDIVIDUAL', kycStatus }));
    const before = await expectSound(sandbox);
    const { status, body } = await pay(sandbox, made.id);
    expect([status, body.status, body.failureReason]).toEqual([200, 'FAILED', 'QUOTE_EXECUTION_FAILED']);
    expect(await statusOf(sandbox, made)).toBe('FAILED');
    expect(await expectSound(sandbox)).toEqual(before);
  });

  test('a payer who is a business and was verified when the quote was made, and is not any more', async () => {
    const owner = await openOwner();
    const { sandbox } = owner;
    const id = await openBusiness(sandbox, { kybStatus: 'APPROVED' });
    const made = await quote(owner, { source: { sourceType: 'REALTIME_FUNDING', customerId: id, currency: 'USD' } });
    must(
      await sandbox.send('PATCH', `/customers/${id}`, { body: { customerType: 'BUSINESS', kybStatus: 'REJECTED' } }),
    );
    expect((await pay(sandbox, made.id)).body).toMatchObject({ customerId: id, status: 'FAILED' });
  });

  test.each([
    'a deleted payer',
    'a deleted payer of a bank account that is not its own',
    'an account that is full',
    'a closed account',
    'a removed bank account',
  ])('%s', async (what) => {
    const owner = await openOwner();
    const { sandbox, customerId, internalId } = owner;
    const toBank = what === 'a deleted payer' || what.startsWith('a removed');
    const accountId = what.endsWith('own') ? (await mustAdd(sandbox, usdRequest('000777777000'))).id : internalId;
    const destination = { destinationType: 'ACCOUNT', accountId };
    const made = await quote(owner, toBank ? {} : { destination });
    if (what.includes('full')) await transferIn(owner, { amount: 9_000_000_000_000_000 - 100_000 - 2499 });
    else await transferOut(owner, { amount: 100_000 });
    if (what.includes('payer')) must(await sandbox.send('DELETE', `/customers/${customerId}`));
    if (what.includes('closed')) await owner.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] });
    if (what.includes('removed'))
      must(await sandbox.send('DELETE', `/customers/external-accounts/${owner.externalId}`));
    const before = await expectSound(sandbox);
    const { status, body } = await pay(sandbox, made.id);
    expect([status, body.status, body.failureReason, 'refund' in body]).toEqual([
      200,
      'FAILED',
      'QUOTE_EXECUTION_FAILED',
      false,
    ]);
    expect(await statusOf(sandbox, made)).toBe('FAILED');
    expect(await expectSound(sandbox)).toEqual(before);
    expectRefusal(await pay(sandbox, made.id), 409, 'QUOTE_NOT_PENDING');
  });
});

describe('when', () => {
  test('until just before it expires', async () => {
    const owner = await openOwner();
    const [one, two] = [await quote(owner), await quote(owner)];
    await owner.sandbox.advance(299.999);
    expect((await pay(owner.sandbox, one.id)).body.status).toBe('COMPLETED');
    await owner.sandbox.advance(0.001);
    const before = await moneyState(owner.sandbox);
    expectRefusal(await pay(owner.sandbox, two.id), 409, 'QUOTE_EXPIRED');
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });

  test('once: of fifty at once, one pays', async () => {
    const owner = await openOwner();
    const destination = { destinationType: 'ACCOUNT', accountId: owner.internalId };
    const made = await quote(owner, { destination });
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(owner.sandbox, made.id)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(49);
    for (const answer of refused) expectRefusal(answer, 409, 'QUOTE_NOT_PENDING');
    expect(await owner.balance()).toBe(102_500);
    await expectSound(owner.sandbox);
  });
});

test.each([
  ['another currency', { currencyCode: 'EUR' }, 'INVALID_CURRENCY', '/currencyCode'],
  ['a currency that nobody knows', { currencyCode: 'XXX' }, 'INVALID_CURRENCY', '/currencyCode'],
  ['a unit too much', { currencyAmount: 2501 }, 'INVALID_AMOUNT', '/currencyAmount'],
  ['a unit too little', { currencyAmount: 2499 }, 'INVALID_AMOUNT', '/currencyAmount'],
  ['nothing', { currencyAmount: 0 }, 'INVALID_INPUT', '/currencyAmount'],
  ['half a cent', { currencyAmount: 0.5 }, 'INVALID_INPUT', '/currencyAmount'],
  ['no currency', { currencyCode: undefined }, 'INVALID_INPUT', '/currencyCode'],
  ['no quote', { quoteId: undefined }, 'INVALID_INPUT', '/quoteId'],
  ['an account', { accountId: 'a' }, 'INVALID_INPUT', '/accountId'],
] as const)('%s is 400 at its place, and the quote still waits', async (_name, change, code, place) => {
  const owner = await openOwner();
  const made = await quote(owner);
  const before = await moneyState(owner.sandbox);
  const refused = expectRefusal(await pay(owner.sandbox, made.id, change), 400, code);
  expect(faultPlaces(refused)).toEqual([`body ${place}`]);
  expect(await moneyState(owner.sandbox)).toEqual(before);
  expect((await pay(owner.sandbox, made.id)).status).toBe(200);
});

test('a quote whose source is an account is 400: it is executed', async () => {
  const owner = await openOwner();
  const made = await quote(owner, { source: { sourceType: 'ACCOUNT', accountId: owner.internalId } });
  const refused = expectRefusal(await pay(owner.sandbox, made.id), 400, 'INVALID_INPUT');
  expect(faultPlaces(refused)).toEqual(['body /quoteId']);
  expect(await statusOf(owner.sandbox, made)).toBe('PENDING');
});

test('a quote that nobody made is 404', async () => {
  expectRefusal(await pay(await openSandbox(), 'Quote:none'), 404, 'QUOTE_NOT_FOUND');
});
