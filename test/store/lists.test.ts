/**
 * Promise: a page of external accounts costs the same for any number of accounts. For every combination of filters an
 * index returns its rows in order, and `totalCount` is read, not counted. (`npm run bench -- --lists` shows the cost.)
 */
import { afterAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Reader, Statement, Store } from '../../mocks/sandbox/store/store.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const customerId = 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';
const combinations = ['', `customerId=${customerId}`, 'currency=EUR', `customerId=${customerId}&currency=EUR`];

describe('the list of external accounts', async () => {
  const real = await openSqlite(':memory:');
  afterAll(() => real.close());
  const asked: Statement[] = [];
  const spy = (reader: Reader): Reader => ({
    builder: reader.builder,
    execute(statement) {
      asked.push(statement);
      return reader.execute(statement);
    },
  });
  const store: Store = {
    read: (work) => real.read((reader) => work(spy(reader))),
    transaction: (id, work) => real.transaction(id, (reader) => work(spy(reader))),
    hold: (id, work) => real.hold(id, (slices) => work({ run: (part) => slices.run((reader) => part(spy(reader))) })),
    counts: () => real.counts(),
    close: () => real.close(),
  };

  test.each(combinations)('filtered by "%s" sorts nothing, scans nothing and counts nothing', async (query) => {
    const sandbox = await openSandbox({ store });
    asked.length = 0;
    expect((await sandbox.send('GET', `/customers/external-accounts?${query}`)).status).toBe(200);
    const onAccounts = asked.filter(({ sql }) => /\bfrom "external_accounts"/.test(sql));
    expect(onAccounts).toHaveLength(1);
    for (const { sql, parameters } of onAccounts) {
      expect(sql).not.toContain('count(');
      const { rows } = await real.read((reader) => reader.execute({ sql: `explain query plan ${sql}`, parameters }));
      const plan = rows.map(({ detail }) => detail).join('; ');
      const columns = ['platform_id', query.includes('customerId') ? 'customer_id' : 'owner'];
      if (query.includes('currency')) columns.push('currency');
      const sought = columns.map((column) => `${column}=?`).join(' AND ');
      expect(plan).toContain(`(${sought} AND sequence<?)`);
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
    }
  });
});
