/**
 * Promise: money that has left an account but not arrived is neither lost nor spent twice. Its owner can't be deleted
 * before it arrives, and the service keeps money that can't be returned to anyone (D75).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { makePlace } from '../support/sandbox/database.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { mustAdd, usdRequest } from '../support/scenes/externalAccounts.ts';
import {
  expectSound,
  moneyState,
  type Owner,
  openOwner,
  quote,
  readTransaction,
  transferIn,
  transferOut,
} from '../support/scenes/transfers.ts';

const most = 9_000_000_000_000_000;

/** What happens to 100 000 cents that return: they arrive, or stay with the service. */
interface Fate {
  readonly back: number;
  readonly kept: Readonly<Record<string, number>>;
  readonly refund: 'COMPLETED' | 'FAILED';
}

const arrives: Fate = { back: 100_000, kept: {}, refund: 'COMPLETED' };
const stays: Fate = { back: 0, kept: { 'Kept:USD': 100_000 }, refund: 'FAILED' };
const fates: [name: string, filled: number, after: Fate][] = [
  ['exactly as much room', most - 100_000, arrives],
  ['room for one unit less', most - 99_999, stays],
  ['no room', most, stays],
];

/** Pays dollars into the owner's empty account from a bank account with enough money. */
async function fill(owner: Owner, amount: number): Promise<void> {
  const rich = await mustAdd(owner.sandbox, usdRequest('000999999000', { customerId: owner.customerId }));
  expect((await transferIn(owner, { from: rich.id, amount })).status).toBe(201);
}

describe('a transfer out', () => {
  test.each(['deleting its owner', 'dropping its currency'])('%s waits until it is back', async (what) => {
    const owner = await openOwner('005');
    const end = () =>
      what.startsWith('deleting')
        ? owner.sandbox.send('DELETE', `/customers/${owner.customerId}`)
        : owner.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] });
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    expect(await owner.balance()).toBe(0);
    expectRefusal(await end(), 409, 'CONFLICT');
    await owner.sandbox.advance(29.999);
    expectRefusal(await end(), 409, 'CONFLICT');
    await owner.sandbox.advance(0.001);
    expectRefusal(await end(), 409, 'CONFLICT');
    expect(await owner.balance()).toBe(100_000);
    const elsewhere = await mustAdd(owner.sandbox, usdRequest('000555555000', { customerId: owner.customerId }));
    expect((await transferOut(owner, { to: elsewhere.id, amount: 100_000 })).status).toBe(201);
    expect((await end()).status).toBe(200);
    await expectSound(owner.sandbox);
  });

  test.each<[name: string, filled: number, after: Fate]>(fates)(
    'money that comes back to an account with %s (D75)',
    async (_name, filled, after) => {
      const owner = await openOwner('005');
      expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
      await fill(owner, filled);
      await owner.sandbox.advance(30);
      expect(await owner.balance()).toBe(filled + after.back);
      expect(await expectSound(owner.sandbox)).toMatchObject({ 'Held:USD': 0, ...after.kept });
    },
  );

  test('is found among a thousand newer quotes that wait', async () => {
    const owner = await openOwner('005');
    expect((await transferOut(owner, { amount: 100_000 })).status).toBe(201);
    const path = `/customers/${owner.customerId}`;
    for (let number = 0; number < 1001; number += 1) await quote(owner);
    expectRefusal(await owner.sandbox.send('DELETE', path), 409, 'CONFLICT');
  }, 60_000);

  test('comes back after a restart, at the moment at which it was due', async () => {
    const open = await makePlace();
    const store = await open();
    const owner = await openOwner('005', {}, await openSandbox({ store }));
    const { body } = await transferOut(owner);
    await store.close();
    const again = await open();
    const restarted = await openSandbox({ store: again });
    expect(await readTransaction(restarted, body.id)).toEqual(body);
    await restarted.advance(3600);
    const failed = { status: 'FAILED', failureReason: 'TIMED_OUT', updatedAt: '2025-10-13T09:00:30.000Z' };
    expect(await readTransaction(restarted, body.id)).toEqual({ ...body, ...failed });
    expect((await expectSound(restarted))[owner.internalId]).toBe(100_000);
    await again.close();
  });

  test('is over with a reset, and nothing of it comes later', async () => {
    const owner = await openOwner('005');
    await transferOut(owner);
    await quote(owner);
    expect((await owner.sandbox.control('POST', '/reset')).status).toBe(204);
    const before = await moneyState(owner.sandbox);
    await owner.sandbox.advance(3600);
    expect(await moneyState(owner.sandbox)).toEqual(before);
  });
});

describe('a quote', () => {
  test.each(['a dropped currency', 'a deletion'])(
    'money that comes back to an account closed by %s: the refund is FAILED (D75)',
    async (what) => {
      const payer = await openOwner('005');
      const { sandbox } = payer;
      const change = { lockedCurrencyAmount: 100_000, immediatelyExecute: true };
      const { transactionId = '' } = await quote(payer, change);
      // For the platform the payment is COMPLETED, so nothing prevents the closing.
      const closing = what.startsWith('a deletion')
        ? await sandbox.send('DELETE', `/customers/${payer.customerId}`)
        : await payer.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] });
      expect(closing.status).toBe(200);
      await sandbox.advance(30);
      const after = await readTransaction(sandbox, transactionId);
      expect(after).toMatchObject({
        status: 'FAILED',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        refund: { status: 'FAILED', reason: 'TRANSACTION_FAILED' },
      });
      expect('refund' in after && after.refund).not.toHaveProperty('settledAt');
      expect(await payer.balance()).toBe(0);
      expect(await expectSound(sandbox)).toMatchObject({ 'Kept:USD': 100_000 });
    },
  );

  test.each<[name: string, filled: number, after: Fate]>(fates)(
    'money that is returned to an account with %s (D75)',
    async (_name, filled, after) => {
      const payer = await openOwner('005');
      const { transactionId = '' } = await quote(payer, { lockedCurrencyAmount: 100_000, immediatelyExecute: true });
      await fill(payer, filled);
      await payer.sandbox.advance(30);
      expect(await readTransaction(payer.sandbox, transactionId)).toMatchObject({
        status: 'FAILED',
        refund: { status: after.refund, reason: 'TRANSACTION_FAILED' },
      });
      expect(await payer.balance()).toBe(filled + after.back);
      expect(await expectSound(payer.sandbox)).toMatchObject(after.kept);
    },
  );

  test.each(['a dropped currency', 'a deletion'])('while it is PROCESSING, %s is 409 (D75)', async (what) => {
    const payer = await openOwner('003');
    const { sandbox } = payer;
    await quote(payer, { lockedCurrencyAmount: 100_000, immediatelyExecute: true });
    const end = () =>
      what.startsWith('a deletion')
        ? sandbox.send('DELETE', `/customers/${payer.customerId}`)
        : payer.update({ customerType: 'INDIVIDUAL', currencies: ['EUR'] });
    const refused = expectRefusal(await end(), 409, 'CONFLICT');
    expect(JSON.stringify(refused.details)).toContain('USD');
    await sandbox.advance(359.999);
    expectRefusal(await end(), 409, 'CONFLICT');
    await sandbox.advance(0.001);
    expect((await end()).status).toBe(200);
    await expectSound(sandbox);
  });
});
