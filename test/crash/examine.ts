/** What must be true of a sandbox after it was killed, whenever that was. */
import { expect } from 'vitest';
import { ask, type Memory, noteFunding, type Payer, putAside, settle } from './payer.ts';

/**
 * Everything that was acknowledged is there to the byte; what was not is there whole or not at all, and with its key it
 * happens once. Brings the payers up to what has really happened to them.
 * @param payers all who ever did anything.
 * @param everything whether what was examined before is looked at again.
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

/** A key that was answered gives the same bytes; one that was not is carried out now or was, and never twice. */
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

/** A customer that was not answered for is there with its accounts, or not at all. */
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

/** The balance and the number of transactions are those that follow from what was answered. */
async function compareBooks(base: string, payer: Payer): Promise<void> {
  const { customerId, balance: known, funding = 0 } = payer;
  const accounts = await ask(base, 'GET', `/customers/internal-accounts?customerId=${customerId}`);
  const balance: number = accounts.body.data[0].balance.amount;
  // Nobody knows of a sum whose answer did not come; but it is there whole or not at all.
  expect([known, known + funding]).toContain(balance);
  if (balance !== known) noteFunding(payer, funding);
  payer.funding = undefined;
  // A quote makes its transaction, and its execution completes it.
  const made = payer.older.sent.filter(({ path }) => !path.endsWith('/execute')).length;
  const completed = payer.older.sent.filter(({ moves }) => moves).length;
  const total = async (query: string): Promise<number> =>
    (await ask(base, 'GET', `/transactions?customerId=${customerId}&limit=1${query}`)).body.totalCount;
  const { fundings } = payer;
  expect([await total(''), await total('&status=COMPLETED')]).toEqual([fundings + made, fundings + completed]);
}
