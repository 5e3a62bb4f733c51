/**
 * Promise: only a platform's manager can read its ledger, and the ledger always balances. It would find a movement that
 * doesn't cancel out, a balance that nobody paid in, and negative money (D29, D43).
 */
import { describe, expect, test } from 'vitest';
import { examineLedger } from '../../mocks/sandbox/domains/accounts/rules.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { makeToken } from '../support/scenes/tokens.ts';
import { expectSound, openOwner, quote, transferIn, transferOut } from '../support/scenes/transfers.ts';

test('an empty platform has an empty ledger', async () => {
  const platform = await openPlatform(await openSandbox());
  const { status, body } = await platform.control('GET', '/ledger');
  expect([status, body]).toEqual([200, { sound: true, faults: [], places: {} }]);
});

test('it is for managers', async () => {
  const sandbox = await openSandbox();
  expectRefusal(await sandbox.control('GET', '/ledger', { authorization: null }), 401, 'UNAUTHORIZED');
  const { authorization } = await makeToken(sandbox, ['VIEW', 'TRANSACT']);
  expectRefusal(await sandbox.control('GET', '/ledger', { authorization }), 403, 'FORBIDDEN');
  const manager = await makeToken(sandbox, ['MANAGE']);
  expect((await sandbox.control('GET', '/ledger', manager)).status).toBe(200);
});

test('it is sound at every moment of payments of every outcome, and each platform has its own', async () => {
  const sandbox = await openPlatform(await openSandbox());
  const other = await openPlatform(sandbox);
  for (const suffix of ['000', '002', '003', '004', '005', '006', '007']) {
    const owner = await openOwner(suffix, {}, sandbox);
    expect((await transferOut(owner)).status).toBe(201);
    expect((await transferIn(owner)).status).toBe(201);
    for (const accountId of [owner.euroId, owner.externalId]) {
      const body = {
        source: { sourceType: 'ACCOUNT', accountId: owner.internalId },
        destination: { destinationType: 'ACCOUNT', accountId },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1000,
        immediatelyExecute: true,
      };
      expect((await sandbox.send('POST', '/quotes', { body })).status).toBe(201);
    }
    await expectSound(sandbox);
  }
  for (const seconds of [0, 30, 330, 86_400]) {
    await sandbox.advance(seconds);
    const places = await expectSound(sandbox);
    const held = seconds < 330 ? 1 : 0;
    expect(Math.sign(places['Held:USD'] ?? 0)).toBe(held);
    const negative = Object.entries(places).filter(([name, sum]) => sum < 0 && !name.startsWith('World:'));
    expect(negative).toEqual([]);
  }
  expect(await expectSound(other)).toEqual({});
});

test('what is due happens before it is shown', async () => {
  const owner = await openOwner('005');
  await transferOut(owner);
  expect(await expectSound(owner.sandbox)).toMatchObject({ 'Held:USD': 2500 });
  await owner.sandbox.advance(30);
  expect(await expectSound(owner.sandbox)).toMatchObject({ 'Held:USD': 0, [owner.internalId]: 100_000 });
});

test('it lists what moved for one transaction: away, held, and back after a failure', async () => {
  const owner = await openOwner('005');
  const { body } = await transferOut(owner);
  await transferIn(owner);
  const read = async (id: string) =>
    (await owner.sandbox.control('GET', `/ledger?transactionId=${encodeURIComponent(id)}`)).body.movements;
  const away = { from: owner.internalId, to: 'Held:USD', amount: 2500, currency: 'USD', at: expect.any(String) };
  expect(await read(body.id)).toEqual([away]);
  await owner.sandbox.advance(30);
  const back = { ...away, from: away.to, to: away.from };
  expect(await read(body.id)).toEqual([away, back]);
  expect(Date.parse((await read(body.id))[1].at)).toBeGreaterThan(Date.parse((await read(body.id))[0].at));
  expect(await read('Transaction:nobody')).toEqual([]);
  expect((await owner.sandbox.control('GET', '/ledger')).body).not.toHaveProperty('movements');
  expectRefusal(await owner.sandbox.control('GET', '/ledger?transactionId=x'), 400, 'INVALID_INPUT');
});

test('it lists each part of a conversion, down to one unit, in the order in which they moved, and back', async () => {
  const owner = await openOwner('005');
  const { sandbox, euroId } = owner;
  must(await owner.fund('EUR', 10));
  const source = { sourceType: 'ACCOUNT', accountId: euroId };
  const { id, transactionId = '' } = await quote(owner, { source, lockedCurrencyAmount: 3 });
  must(await sandbox.send('POST', `/quotes/${id}/execute`));
  await sandbox.advance(30);
  const { body } = await sandbox.control('GET', `/ledger?transactionId=${encodeURIComponent(transactionId)}`);
  const at = expect.any(String);
  const parts = [
    { from: euroId, to: 'Fees:EUR', amount: 1, currency: 'EUR', at },
    { from: euroId, to: 'World:EUR:EXCHANGE', amount: 2, currency: 'EUR', at },
    { from: 'World:USD:EXCHANGE', to: 'World:USD:ACH', amount: 2, currency: 'USD', at },
  ];
  const back = parts.toReversed().map(({ from, to, ...sum }) => ({ from: to, to: from, ...sum }));
  expect(body.movements).toEqual([...parts, ...back]);
});

describe('faults that it would find', () => {
  const account = 'InternalAccount:1';
  const posting = (movementId: string, accountId: string, amount: number, currency = 'USD') => ({
    movementId,
    accountId,
    currency,
    amount,
  });
  const sound = [posting('a', 'World:USD:SANDBOX', -5), posting('a', account, 5)];

  test('nothing in a ledger that is right', () => {
    const report = examineLedger(sound, [{ id: account, balance: 5 }]);
    expect(report).toEqual({ faults: [], places: { 'World:USD:SANDBOX': -5, [account]: 5 } });
  });

  test('sums beyond what a number holds are exact', () => {
    const most = 9_000_000_000_000_000;
    const paidIn = ['a', 'b', 'c'].flatMap((id) => [
      posting(id, 'World:USD:SANDBOX', -(most - 1)),
      posting(id, `${account}${id}`, most - 1),
    ]);
    const rest = [posting('d', 'World:USD:SANDBOX', -1), posting('d', `${account}d`, 1)];
    const accounts = [...'abc'].map((id) => ({ id: `${account}${id}`, balance: most - 1 }));
    expect(examineLedger([...paidIn, ...rest], [...accounts, { id: `${account}d`, balance: 1 }]).faults).toEqual([]);
    const halves = [...paidIn, posting('d', `${account}d`, 1)];
    expect(examineLedger(halves, [...accounts, { id: `${account}d`, balance: 1 }]).faults).toEqual([
      'the movement d in USD sums up to 1',
      'USD sums up to 1',
    ]);
  });

  test.each([
    ['half a movement', [...sound, posting('b', 'Fees:USD', 1)], 5, ['the movement b', 'USD sums up to 1']],
    [
      'two halves of different movements',
      [...sound, posting('b', 'Fees:USD', 1), posting('c', 'World:USD:ACH', -1)],
      5,
      ['the movement b', 'the movement c'],
    ],
    [
      'a movement across currencies',
      [...sound, posting('b', 'World:EUR:ACH', -1, 'EUR'), posting('b', 'Fees:USD', 1)],
      5,
      ['the movement b in EUR', 'the movement b in USD', 'EUR sums up', 'USD sums up'],
    ],
    ['a balance that nobody paid in', sound, 6, [`${account} says 6`]],
    ['money that is nowhere on the balance', sound, 0, [`${account} says 0`]],
    [
      'a place below zero',
      [...sound, posting('b', 'Held:USD', -1), posting('b', 'World:USD:ACH', 1)],
      5,
      ['Held:USD holds -1'],
    ],
    ['money in an account and no posting', [], 5, [`${account} says 5`]],
  ])('%s', (_name, postings, balance, faults) => {
    const report = examineLedger(postings, [{ id: account, balance }]);
    expect(report.faults).toHaveLength(faults.length);
    for (const fault of faults) expect(report.faults).toContainEqual(expect.stringContaining(fault));
  });
});
