/**
 * Promise: whatever happens in between, a read that may come from memory returns the same as that read under an address
 * that was never requested. The long run tries 10 000 reads.
 */
import { expect, test } from 'vitest';
import { randomFrom } from '../support/requests/random.ts';
import { byLength } from '../support/run/length.ts';
import { seed } from '../support/run/seed.ts';
import { engine } from '../support/sandbox/database.ts';
import { type Answer, must, openSandbox, startOfTime } from '../support/sandbox/harness.ts';
import { openAgent } from '../support/scenes/agents.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';
import { type Owner, openOwner, transferIn, transferOut } from '../support/scenes/transfers.ts';

const reads = byLength(400, 10_000);

/** A sandbox with objects of every kind, and all addresses to read. New objects add addresses. */
async function setUp() {
  let now = startOfTime;
  const sandbox = await openSandbox({ clock: { now: () => now } });
  const pass = (ms: number): undefined => {
    now += ms;
  };
  // Transfers that succeed, that return later, and that are on their way for minutes.
  const owners: Owner[] = [];
  for (const suffix of ['000', '003', '005']) owners.push(await openOwner(suffix, {}, sandbox));
  const [first] = owners as [Owner];
  const agent = await openAgent(sandbox, first.customerId);
  const { accountId } = await openSignedInWallet(sandbox);
  const paths = [
    '/customers',
    '/customers?limit=2',
    '/customers/internal-accounts?limit=50',
    '/customers/external-accounts',
    '/platform/internal-accounts',
    '/platform/external-accounts',
    '/transactions',
    '/transactions?limit=3',
    '/tokens',
    '/config',
    '/agents',
    `/agents/${agent.id}`,
    `/auth/credentials?accountId=${accountId}`,
    `/auth/sessions?accountId=${accountId}`,
    ...owners.flatMap(({ customerId, externalId }) => [
      `/customers/${customerId}`,
      `/customers/internal-accounts?customerId=${customerId}`,
      `/customers/external-accounts/${externalId}`,
      `/transactions?customerId=${customerId}`,
    ]),
  ];
  return { pass, sandbox, owners, agent, paths };
}
type Stage = Awaited<ReturnType<typeof setUp>>;

/** What may happen between two reads. Refused requests are allowed. */
const happenings: Record<string, (stage: Stage, owner: Owner) => Promise<Answer | undefined>> = {
  quote: async ({ sandbox, paths }, owner) => {
    const source = { sourceType: 'ACCOUNT', accountId: owner.internalId };
    const destination = { destinationType: 'ACCOUNT', accountId: owner.externalId };
    const body = { source, destination, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 };
    const answer = await sandbox.send('POST', '/quotes', { body });
    must(answer, 201);
    paths.push(`/quotes/${answer.body.id}`, `/transactions/${answer.body.transactionId}`);
    return answer;
  },
  execute: async ({ sandbox, paths }) => {
    const quote = paths.findLast((path) => path.startsWith('/quotes/'));
    return quote === undefined ? undefined : sandbox.send('POST', `${quote}/execute`);
  },
  out: async ({ paths }, owner) => {
    const answer = await transferOut(owner, { amount: 10 });
    paths.push(`/transactions/${answer.body.id}`);
    return answer;
  },
  in: (_, owner) => transferIn(owner, { amount: 10 }),
  customer: ({ sandbox }) => sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }),
  rename: ({ sandbox }, { customerId }) =>
    sandbox.send('PATCH', `/customers/${customerId}`, { body: { customerType: 'INDIVIDUAL', fullName: 'Ada King' } }),
  token: ({ sandbox }) => sandbox.send('POST', '/tokens', { body: { name: 'a', permissions: ['VIEW'] } }),
  pay: ({ agent }, owner) =>
    agent.send('POST', '/transfer-out', {
      body: { source: { accountId: owner.internalId }, destination: { accountId: owner.externalId }, amount: 5 },
    }),
  refusal: ({ sandbox }) => sandbox.send('POST', '/customers', { body: {} }),
  second: async ({ pass }) => pass(1000),
  halfMinute: async ({ pass }) => pass(30_000),
  minutes: async ({ pass }) => pass(360_000),
  moved: async ({ sandbox }) => void (await sandbox.advance(30)),
};

/** The address in another spelling for each number: some letters escaped, and empty parameters at the end. */
function respelled(path: string, number: number): string {
  const letters = [...path.slice(1, 6)].map((letter, index) =>
    letter !== '/' && (number >> index) % 2 === 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
  );
  const empty = '&'.repeat(1 + (number >> 4));
  return `/${letters.join('')}${path.slice(6)}${path.includes('?') ? '' : '?'}${empty}`;
}

const shown = ({ status, body }: Answer) => ({ status, body });

test('a read from memory is the read of an address that was never asked for', async () => {
  const random = randomFrom(seed);
  const stage = await setUp();
  const { sandbox, owners, paths } = stage;
  for (let count = 0; count < reads; count += 1) {
    const happening = random.chance(0.3) ? random.pick(Object.keys(happenings)) : 'nothing';
    await happenings[happening]?.(stage, random.pick(owners));
    const path = random.pick(paths);
    const read = shown(await sandbox.send('GET', path));
    const never = shown(await sandbox.send('GET', respelled(path, count)));
    expect(read, `seed ${seed}, read ${count} of ${path} after ${happening}`).toEqual(never);
    // Drops most of the new addresses, so that addresses are requested again.
    if (paths.length > 60) paths.splice(30, 20);
  }
  const { body } = await sandbox.control('GET', '/metrics');
  const hits = Number(/^countersign_reply_cache_hits_total (\d+)$/m.exec(body)?.[1]);
  // Without hits, nothing would have been compared.
  if (engine() === 'SQLite') expect(hits).toBeGreaterThan(reads * 0.15);
});
