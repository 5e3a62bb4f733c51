/** Checks what must be true after a sandbox was killed at any time. */
import { expect } from 'vitest';
import { ask, type Memory, noteFunding, type Payer, putAside, settle } from './payer.ts';

/**
 * Checks that everything acknowledged is there to the byte. A request without an answer was done completely or not at
 * all, and repeated with its key it happens once. Then updates the payers to the real state.
 * @param payers everyone who ever sent a request.
 * @param everything whether to check again what was checked before.
 * @returns how many replies were compared.
 */
export async function examine(base: string, payers: readonly Payer[], everything = false): Promise<number> {
  const compared = await Promise.all(
    payers.map(async (payer) => {
      await examineMemory(base, payer, payer.recent);
      const count = countReplies(payer.recent);
      putAside(payer);
      if (!everything) return count;
      await examineMemory(base, payer, payer.older);
      return countReplies(payer.older);
    }),
  );
  for (const payer of payers) await compareBooks(base, payer);
  const ledger = await ask(base, 'GET', '/__sandbox/ledger');
  expect([ledger.status, ledger.body.faults, ledger.body.sound]).toEqual([200, [], true]);
  for (const payer of payers) expect(ledger.body.places[payer.accountId]).toBe(payer.balance);
  // The ready-made world has two customers.
  const people = payers.flatMap((payer) => [...payer.older.people.values()]).length;
  const customers = await ask(base, 'GET', '/customers?limit=1');
  expect(customers.body.totalCount).toBe(2 + payers.length + people);
  return compared.reduce((sum, count) => sum + count, 0);
}

const countReplies = ({ sent, records }: Memory): number => sent.length + records.size;

async function examineMemory(base: string, payer: Payer, memory: Memory): Promise<void> {
  await repeatKeys(base, payer, memory);
  await lookForPeople(base, memory);
  for (const [path, text] of memory.records) expect((await ask(base, 'GET', path)).text).toBe(text);
}

/**
 * Repeats each key. An answered one returns the same bytes. An unanswered one is carried out now or was before, and
 * never twice.
 */
async function repeatKeys(base: string, payer: Payer, memory: Memory): Promise<void> {
  for (const sent of memory.sent) {
    const known = sent.text;
    const first = await ask(base, 'POST', sent.path, sent.body, sent.key);
    if (known === undefined) {
      expect([sent.path, first.status, first.text]).toEqual([
        sent.path,
        expect.toBeOneOf([200, 201]),
        expect.anything(),
      ]);
      settle(payer, sent, first);
    }
    const again = known === undefined ? await ask(base, 'POST', sent.path, sent.body, sent.key) : first;
    expect([again.replayed, again.text]).toEqual([true, sent.text]);
  }
}

/** Checks that a customer without an answer exists with its accounts, or not at all. */
async function lookForPeople(base: string, { people }: Memory): Promise<void> {
  for (const [name, text] of people) {
    const { body } = await ask(base, 'GET', `/customers?platformCustomerId=${name}`);
    expect(body.data).toHaveLength(text === undefined ? Math.min(body.data.length, 1) : 1);
    const [found] = body.data;
    if (found === undefined) {
      people.delete(name);
      continue;
    }
    const accounts = await ask(base, 'GET', `/customers/internal-accounts?customerId=${found.id}`);
    expect(accounts.body.totalCount).toBe(2);
    const read = await ask(base, 'GET', `/customers/${found.id}`);
    expect(read.text).toBe(text ?? read.text);
    people.set(name, read.text);
  }
}

/** Checks that the balance and the number of transactions follow from the answers. */
async function compareBooks(base: string, payer: Payer): Promise<void> {
  const { customerId, balance: known, funding = 0 } = payer;
  const accounts = await ask(base, 'GET', `/customers/internal-accounts?customerId=${customerId}`);
  const balance: number = accounts.body.data[0].balance.amount;
  // If funding got no answer, it happened completely or not at all.
  expect([known, known + funding]).toContain(balance);
  if (balance !== known) noteFunding(payer, funding);
  payer.funding = undefined;
  // A quote makes its transaction, and its execution completes that.
  const made = payer.older.sent.filter(({ path }) => !path.endsWith('/execute')).length;
  const completed = payer.older.sent.filter(({ moves }) => moves).length;
  const total = async (query: string): Promise<number> =>
    (await ask(base, 'GET', `/transactions?customerId=${customerId}&limit=1${query}`)).body.totalCount;
  const { fundings } = payer;
  expect([await total(''), await total('&status=COMPLETED')]).toEqual([fundings + made, fundings + completed]);
}
