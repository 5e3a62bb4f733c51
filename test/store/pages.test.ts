/**
 * Promise: a page and a count are read once, and again only when a record of their table has changed on this platform. Two
 * filters together use the index of the one that fewer records match, however many records there are.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Reader, Statement, Store } from '../../mocks/sandbox/store/store.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

/** The page and the count, without what other steps of a request ask of the same table. */
const isOfList =
  (table: string) =>
  ({ sql }: Statement) =>
    sql.includes(`from "${table}"`) && /count\(\*\)|"sequence" [<>] \?/.test(sql);

/** A sandbox whose statements are seen. It keeps no replies, because its store doesn't tell what has changed. */
async function openWatched() {
  const real = await openSqlite(':memory:');
  const asked: Statement[] = [];
  const spy = (reader: Reader): Reader => ({
    builder: reader.builder,
    known: reader.known,
    execute(statement) {
      asked.push(statement);
      return reader.execute(statement);
    },
  });
  const store: Store = {
    read: (work) => real.read((reader) => work(spy(reader))),
    transaction: (id, work) => real.transaction(id, (reader) => work(spy(reader))),
    hold: (id, work) => real.hold(id, work),
    counts: () => real.counts(),
    close: () => real.close(),
  };
  const sandbox = await openSandbox({ store });
  const statementsOn = async (table: string, path: string) => {
    asked.length = 0;
    const { status, body } = await sandbox.send('GET', path);
    expect(status, path).toBe(200);
    return { body, statements: asked.filter(isOfList(table)) };
  };
  const planOf = async ({ sql, parameters }: Statement) => {
    const { rows } = await real.read((reader) => reader.execute({ sql: `explain query plan ${sql}`, parameters }));
    return rows.map(({ detail }) => detail).join('; ');
  };
  return { sandbox, statementsOn, planOf, close: () => real.close() };
}

describe('a list', async () => {
  const { sandbox, statementsOn, close } = await openWatched();
  afterAll(close);
  const path = '/customers?customerType=INDIVIDUAL&region=US';

  test('is read once, and once more after a change of its table', async () => {
    const first = await statementsOn('customers', path);
    expect(first.statements).toHaveLength(2);
    const second = await statementsOn('customers', path);
    expect(second).toEqual({ body: first.body, statements: [] });
    // Another page of the same list needs no count.
    expect((await statementsOn('customers', `${path}&limit=1`)).statements).toHaveLength(1);
    must(await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', region: 'US' } }), 201);
    const third = await statementsOn('customers', path);
    expect(third.statements).toHaveLength(2);
    expect(third.body.totalCount).toBe(first.body.totalCount + 1);
  });
});

const uuid = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';
const times = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
/** Filters that few records match, with the column of each. */
const exact: Readonly<Record<string, readonly [value: string, column: string]>> = {
  customerId: [`Customer:${uuid}`, 'customer_id'],
  platformCustomerId: ['p1', 'platform_customer_id'],
  accountIdentifier: [`InternalAccount:${uuid}`, 'label'],
  senderAccountIdentifier: [`InternalAccount:${uuid}`, 'sender'],
  receiverAccountIdentifier: [`InternalAccount:${uuid}`, 'receiver'],
  reference: ['T1', 'reference'],
  umaAddress: ['$ada@example.com', 'uma_address'],
  agentId: [`Agent:${uuid}`, 'agent_id'],
  name: ['ci', 'name'],
};
/** Filters that many records match. */
const wide: Readonly<Record<string, string | undefined>> = {
  status: 'PENDING',
  type: 'OUTGOING',
  verificationStatus: 'APPROVED',
  currency: 'USD',
  region: 'US',
  customerType: 'INDIVIDUAL',
  isPaused: 'false',
  isConnected: 'true',
  isIncludingDeleted: 'true',
  ...Object.fromEntries(['createdAfter', 'updatedAfter', 'startDate'].map((name) => [name, times[0]])),
  ...Object.fromEntries(['createdBefore', 'updatedBefore', 'endDate'].map((name) => [name, times[1]])),
};
const [created, updated, range] = [
  ['createdAfter', 'createdBefore'],
  ['updatedAfter', 'updatedBefore'],
  ['startDate', 'endDate'],
] as const;
const accountType = 'INTERNAL_FIAT';
const lists: readonly [path: string, table: string, filters: readonly string[], type?: string][] = [
  ['/tokens', 'tokens', ['name', ...created, ...updated]],
  [
    '/customers',
    'customers',
    ['platformCustomerId', 'customerType', 'region', 'umaAddress', ...created, ...updated, 'isIncludingDeleted'],
  ],
  ['/customers/internal-accounts', 'internal_accounts', ['customerId', 'currency', 'type'], accountType],
  ['/customers/external-accounts', 'external_accounts', ['customerId', 'currency']],
  ['/platform/internal-accounts', 'internal_accounts', ['currency', 'type'], accountType],
  ['/verifications', 'verifications', ['customerId', 'verificationStatus']],
  [
    '/transactions',
    'transactions',
    [
      'customerId',
      'platformCustomerId',
      'accountIdentifier',
      'senderAccountIdentifier',
      'receiverAccountIdentifier',
      'status',
      'type',
      'reference',
      ...range,
    ],
  ],
  ['/agents', 'agents', ['customerId', 'isPaused', 'isConnected', ...created, ...updated]],
  ['/agents/approvals', 'agent_actions', ['agentId', 'customerId', ...range]],
];

describe('each pair of filters', async () => {
  const { statementsOn, planOf, close } = await openWatched();
  afterAll(close);

  test.each(lists)('of %s uses an index of the one that fewer records match', async (path, table, filters, type) => {
    const pairs = filters.flatMap((one, index) => filters.slice(index + 1).map((other) => [one, other]));
    for (const pair of pairs) {
      const values = pair.map((name) => (name === 'type' ? type : undefined) ?? exact[name]?.[0] ?? wide[name] ?? '');
      const query = new URLSearchParams(pair.map((name, index) => [name, String(values[index])]));
      const { statements } = await statementsOn(table, `${path}?${query}`);
      const found = await Promise.all(statements.map(planOf));
      const columns = pair.map((name) => exact[name]?.[1]).filter((column) => column !== undefined);
      for (const plan of found) {
        expect(plan, `${path}?${query}`).not.toMatch(/SCAN|TEMP B-TREE/);
        const sought = columns.some((column) => plan.includes(`${column}=?`));
        expect(columns.length === 0 || sought, `${path}?${query}: ${plan}`).toBe(true);
      }
    }
  });
});
