/**
 * Promise: the digest of a snapshot only protects against mistakes, so a forged snapshot is checked like any other
 * input. If it is accepted, the platform answers requests by the contract (docs/how-to/snapshots.md).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { hashJson } from '../../mocks/sandbox/tools/bytes.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  authorizationFor,
  type Json,
  openTargets,
  pathOf,
  requestExamples,
  type Targets,
} from '../support/requests/targets.ts';
import { byLength } from '../support/run/length.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openOwner, quote, transferOut } from '../support/scenes/transfers.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test may change any part of the document
type Document = any;
const take = async (sandbox: TestSandbox): Promise<Document> => (await sandbox.control('GET', '/snapshot')).body;
/** With a matching digest, which anyone can compute. */
const forge = ({ digest: _digest, ...content }: Document): Document => ({ ...content, digest: hashJson(content) });
const put = (sandbox: TestSandbox, document: Document) =>
  sandbox.control('PUT', '/snapshot', { body: forge(document) });

function add(document: Document, table: string, record: object): void {
  document.sequence += 1;
  document.records[table].push({ ...record, sequence: document.sequence, version: 1 });
}

describe('a forged snapshot must stay within bounds', () => {
  test.each<[name: string, spoil: (one: Document) => void, place: RegExp]>([
    [
      'a clock after the last instant',
      (one) => (one.state.clock = { offsetMs: 253_000_000_000_000, frozenAt: null }),
      /^body \/state\/clock$/,
    ],
    [
      'a clock that stands beyond any',
      (one) => (one.state.clock = { offsetMs: 0, frozenAt: 8.64e15 }),
      /^body \/state\/clock\/frozenAt$/,
    ],
    [
      'a clock before 1970',
      (one) => (one.state.clock = { offsetMs: 0, frozenAt: -1 }),
      /^body \/state\/clock\/frozenAt$/,
    ],
    [
      'a fault rule for nothing',
      (one) => (one.state.faults = { rules: [{ operation: 'nothing', status: 500 }] }),
      /^body \/state\/faults\/rules\/0\/operation$/,
    ],
    [
      'a fault rule that waits for years',
      (one) => (one.state.faults = { rules: [{ operation: '*', delayMs: 1e12 }] }),
      /^body \/state\/faults\/rules\/0\/delayMs$/,
    ],
    ['faults of its own', (one) => (one.state.faults = { other: 1 }), /^body \/state\/faults\/other$/],
    ['settings of its own', (one) => (one.state.other = 1), /^body \/state\/other$/],
    ['an issuer without keys', (one) => (one.state.issuers = [{ issuer: 'i' }]), /^body \/state\/issuers\/0/],
    ['an id twice', (one) => add(one, 'customers', one.records.customers[0]), /^body \/records$/],
    [
      'a place in the sequence twice',
      (one) => (one.records.customers[1].sequence = one.records.customers[0].sequence),
      /^body \/records\/\w+\/\d+\/sequence$/,
    ],
    ['a last place that leaves no room', (one) => (one.sequence = 2 ** 52 + 1), /^body \/sequence$/],
    ['a place after the last', (one) => (one.sequence = 3), /^body \/records\/\w+\/\d+\/sequence$/],
    [
      'an address twice',
      (one) => (one.records.customers[1].umaAddress = one.records.customers[0].umaAddress),
      /^body \/records$/,
    ],
    ['an id of no form', (one) => (one.records.customers[0].id = 'x'), /^body \/records\/\w+\/\d+$/],
    [
      'a currency of none',
      (one) => (one.records.internal_accounts[0].currency = 'ZZZ'),
      /^body \/records\/internal_accounts\/0$/,
    ],
    [
      'a moment beyond any',
      (one) => (one.records.customers[0].createdAt = 8.7e15),
      /^body \/records\/customers\/0\/createdAt$/,
    ],
    [
      'a passkey credential without its passkey',
      (one) =>
        add(one, 'credentials', {
          id: 'AuthMethod:x',
          type: 'PASSKEY',
          accountId: one.records.internal_accounts[0].id,
          nickname: 'x',
          challengedAt: [],
          createdAt: 1,
          updatedAt: 1,
        }),
      /^body \/records\/credentials\/0\/passkey$/,
    ],
    [
      'money that comes in by a quote',
      (one) => {
        const money = { currency: 'USD', amount: 1 };
        add(one, 'transactions', {
          id: 'Transaction:x',
          type: 'INCOMING',
          quoteId: 'Quote:x',
          payment: { from: 'World:USD:ACH', to: 'World:USD:ACH', sending: money, fee: 0, receiving: money },
          reference: 'x',
          exchangeRate: 1,
          createdAt: 1,
          updatedAt: 1,
        });
      },
      /^body \/records\/transactions\/0\/type$/,
    ],
    [
      'an effect of no kind',
      (one) => add(one, 'effects', { id: 'Effect:x', kind: 'toString', subjectId: 'x', dueAt: 1 }),
      /^body \/records\/effects\/0\/kind$/,
    ],
  ])('%s', async (_name, spoil, place) => {
    const sandbox = await openSandbox();
    const before = await take(sandbox);
    const spoiled = structuredClone(before);
    spoil(spoiled);
    const faults = faultPlaces(expectRefusal(await put(sandbox, spoiled), 400, 'INVALID_INPUT'));
    for (const fault of faults) expect(fault).toMatch(place);
    expect(await take(sandbox)).toEqual(before);
    const elsewhere = await sandbox.control('POST', '/platforms', { body: { world: forge(spoiled) } });
    expect(faultPlaces(expectRefusal(elsewhere, 400, 'INVALID_INPUT'))[0]).toContain('body /world/');
    await expect(openSandbox({ world: forge(spoiled) })).rejects.toThrow(/^Invalid body \/world\//);
  });
});

test.each([
  ['last place', (one: Document) => (one.sequence = 2 ** 52)],
  ['number in a reference', (one: Document) => (one.records.transactions[0].reference = 'TFFFFFFFFF')],
])('after the greatest %s, a platform makes things as before', async (_, change) => {
  const owner = await openOwner();
  must(await transferOut(owner));
  const document = await take(owner.sandbox);
  change(document);
  expect((await put(owner.sandbox, document)).status).toBe(204);
  const made = [await transferOut(owner), await transferOut(owner)];
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
  const references = made.map(({ body }) => body.reconciliationInstructions.reference);
  expect(new Set([...references, 'TFFFFFFFFF']).size).toBe(3);
});

/** Values that no field expects, and values that only fields of another kind expect. */
const odd = fc.constantFrom<Json>(
  null,
  true,
  -1,
  0,
  1.5,
  9e15,
  2 ** 53,
  '',
  'x',
  '__proto__',
  'USD',
  'Customer:x',
  '2030-01-01',
  [],
  {},
  ['x'],
  [null],
);

function spoil(document: Document, at: number, value: Json, what: string): Document {
  const copy = structuredClone(document);
  const places: [holder: Document, key: string][] = [];
  const collect = (holder: Document): void => {
    for (const [key, child] of Object.entries(holder)) {
      places.push([holder, key]);
      if (typeof child === 'object' && child !== null) collect(child);
    }
  };
  collect({ state: copy.state, records: copy.records });
  const [holder, key] = places[at % places.length] as [Document, string];
  if (what === 'remove' && !Array.isArray(holder)) delete holder[key];
  else if (what === 'swap') {
    const [other, name] = places[(at * 31 + 7) % places.length] as [Document, string];
    holder[key] = structuredClone(other[name]);
  } else holder[key] = value;
  return copy;
}

/** A request of every operation, with those that change things last. */
async function askEverything(sandbox: TestSandbox, targets: Targets): Promise<string[]> {
  const failed: string[] = [];
  const sorted = operations.toSorted((one, other) => Number(one.method !== 'GET') - Number(other.method !== 'GET'));
  const ask = async (name: string, work: () => ReturnType<TestSandbox['send']>) => {
    const { status } = await work();
    if (status >= 500) failed.push(`${name} ${status}`);
  };
  for (const operation of sorted.filter(({ method }) => method !== 'DELETE')) {
    const [body] = requestExamples(operation);
    const authorization = authorizationFor(operation, targets);
    const credentials = authorization === undefined ? {} : { authorization };
    await ask(operation.id, () =>
      sandbox.send(operation.method, pathOf(operation, targets), {
        ...credentials,
        ...(body === undefined ? {} : { body }),
      }),
    );
  }
  await ask('ledger', () => sandbox.control('GET', '/ledger'));
  await ask('outbox', () => sandbox.control('GET', '/outbox'));
  await ask('clock', () => sandbox.control('POST', '/clock', { body: { advanceSeconds: 4000 } }));
  await ask('later', () => sandbox.send('GET', '/transactions'));
  await ask('snapshot', () => sandbox.control('GET', '/snapshot'));
  return failed;
}

test(
  'after an accepted snapshot, no request of that platform is 500',
  async () => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    const { internalId, externalId, ...owner } = await openOwner('003', {}, sandbox);
    const { id } = await quote({ internalId, externalId, ...owner });
    const headers = { 'Idempotency-Key': '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff' };
    must(await sandbox.send('POST', `/quotes/${id}/execute`, { headers }));
    await transferOut({ internalId, externalId, ...owner });
    const document = await take(sandbox);
    let accepted = 0;
    const property = fc.asyncProperty(
      fc.nat(),
      odd,
      fc.constantFrom('set', 'set', 'remove', 'swap'),
      async (at, value, what) => {
        const spoiled = spoil(document, at, value, what);
        const { status } = await put(sandbox, spoiled);
        expect([204, 400]).toContain(status);
        if (status === 400) return;
        accepted += 1;
        expect(await askEverything(sandbox, targets), JSON.stringify(sandbox.log.at(-1))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: byLength(40, 250), ...byLength({ seed: 20251014 }, {}) });
    expect(accepted).toBeGreaterThan(byLength(0, 5));
  },
  byLength(60_000, 300_000),
);
