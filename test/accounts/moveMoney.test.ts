/** Promise: a refused movement of money has written nothing, even if the caller catches the refusal. */
import { expect, test } from 'vitest';
import { credit, moveMoney, openAccount } from '../../mocks/sandbox/domains/accounts/procedures/accounts.ts';
import { internalAccounts, postings } from '../../mocks/sandbox/domains/accounts/records.ts';
import { examineLedger } from '../../mocks/sandbox/domains/accounts/rules.ts';
import { maxAmount } from '../../mocks/sandbox/payments/currencies.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import type { Unit } from '../../mocks/sandbox/store/units/unit.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

/** Runs work inside a unit of a sandbox, as the handler of an operation without a reply. */
async function inUnit<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
  const results: T[] = [];
  const deleteToken: typeof handlers.deleteToken = {
    async handle(_call, unit) {
      results.push(await work(unit));
      return { status: 204 };
    },
  };
  const sandbox = await openSandbox({ handlers: { ...handlers, deleteToken } });
  must(await sandbox.send('DELETE', '/tokens/Token:any'), 204);
  return results[0] as T;
}

/** Examines the ledger from inside the unit. */
const checkLedger = async (unit: Unit) =>
  examineLedger(await postings.all(unit, { filters: {} }), await internalAccounts.all(unit, { filters: {} }));

/** Moves 100 between two US dollar accounts with these balances, and returns the balances afterwards. */
const tryToMove = (paying: number, receiving: number) =>
  inUnit(async (unit) => {
    const open = async (balance: number) => {
      const account = await openAccount(unit, unit.newId('Customer'), 'USD');
      return balance === 0 ? account : credit(unit, account, balance);
    };
    const [from, to] = [await open(paying), await open(receiving)];
    const before = await checkLedger(unit);
    const movement = { from: from.id, to: to.id, currency: 'USD', amount: 100 };
    const refusal = await moveMoney(unit, movement).catch((error: unknown) => error);
    const after = await Promise.all([from, to].map(({ id }) => internalAccounts.find(unit, id)));
    return { refusal, before, ledger: await checkLedger(unit), accounts: { before: [from, to], after } };
  });

test.each([
  { what: 'credit', paying: 100, receiving: maxAmount - 99, code: 'AMOUNT_OUT_OF_RANGE' },
  { what: 'debit', paying: 99, receiving: 0, code: 'INSUFFICIENT_FUNDS' },
  { what: 'debit and credit', paying: 99, receiving: maxAmount, code: 'INSUFFICIENT_FUNDS' },
])('a refused $what leaves both sides as they were in the same unit', async ({ paying, receiving, code }) => {
  const { refusal, before, ledger, accounts } = await tryToMove(paying, receiving);
  expect(refusal).toBeInstanceOf(Problem);
  expect(refusal).toMatchObject({ code });
  expect(accounts.after).toEqual(accounts.before);
  expect(ledger).toEqual(before);
  expect(ledger.faults).toEqual([]);
});

test('what is not refused moves on both sides', async () => {
  const { refusal, ledger, accounts } = await tryToMove(100, maxAmount - 100);
  expect(refusal).toBeUndefined();
  expect(accounts.after.map((account) => account?.balance)).toEqual([0, maxAmount]);
  expect(ledger.faults).toEqual([]);
});
