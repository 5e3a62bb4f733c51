/** Promise: no two transactions of a platform have the same reference (D70), even if the random numbers repeat. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Transaction } from '../../generated/types.ts';
import { numberedReference, numberOf } from '../../mocks/sandbox/domains/transfers/records.ts';
import { hashJson } from '../../mocks/sandbox/tools/bytes.ts';
import { runs } from '../support/run/length.ts';
import { must } from '../support/sandbox/harness.ts';
import {
  listTransactions,
  type Owner,
  openOwner,
  quote,
  readTransaction,
  transferOut,
} from '../support/scenes/transfers.ts';

const referenceOf = ({ reconciliationInstructions }: Transaction) => reconciliationInstructions.reference;

/**
 * Makes a transaction, restores the state before it, gives its reference to another transaction, and makes it again.
 * With the same seed, it is the same transaction and would first get the same reference.
 * @param make makes a transaction and returns its id.
 */
async function makeAgainBesideItsReference(owner: Owner, make: () => Promise<string>): Promise<[string, Transaction]> {
  const { sandbox } = owner;
  must(await transferOut(owner));
  const { digest: _digest, ...before } = (await sandbox.control('GET', '/snapshot')).body;
  const wanted = referenceOf(await readTransaction(sandbox, await make()));
  before.records.transactions[0].reference = wanted;
  must(await sandbox.control('PUT', '/snapshot', { body: { ...before, digest: hashJson(before) } }));
  return [wanted, await readTransaction(sandbox, await make())];
}

test('a transfer whose reference is taken gets another one of the same form', async () => {
  const owner = await openOwner();
  const [wanted, made] = await makeAgainBesideItsReference(owner, async () => (await transferOut(owner)).body.id);
  expect(referenceOf(made)).toMatch(/^T[0-9A-F]{9}$/);
  expect(referenceOf(made)).not.toBe(wanted);
  const all = (await listTransactions(owner.sandbox)).map(referenceOf);
  expect(new Set(all).size).toBe(all.length);
});

test('a quote that waits for money has the reference that its instructions show, and nobody else has it', async () => {
  const owner = await openOwner();
  const source = { sourceType: 'REALTIME_FUNDING', customerId: owner.customerId, currency: 'USD' };
  let shown = '';
  const [wanted, made] = await makeAgainBesideItsReference(owner, async () => {
    const { transactionId, paymentInstructions } = await quote(owner, { source });
    shown = JSON.stringify(paymentInstructions);
    return transactionId;
  });
  expect(referenceOf(made)).not.toBe(wanted);
  expect(shown).toContain(`"reference":"${referenceOf(made)}"`);
});

test('references have ten characters, and come in the order of their transactions', () => {
  const number = fc.integer({ min: 1, max: 16 ** 9 - 2 });
  fc.assert(
    fc.property(number, (sequence) => {
      const [one, next] = [numberedReference(sequence), numberedReference(sequence + 1)];
      expect(one).toHaveLength(10);
      expect(one < next).toBe(true);
      expect(numberOf(one)).toBe(sequence);
    }),
    { numRuns: runs(100) },
  );
});

test.each(['', '0123456789', '589DC9BDF3', 'T00000001f', 'T0000000001', 't000000001', 'xT000000001', 'T000000001x'])(
  'a reference of another form has no number: %j',
  (reference) => {
    expect(numberOf(reference)).toBe(0);
  },
);
