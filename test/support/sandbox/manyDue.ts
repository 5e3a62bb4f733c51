/** Multiplies a pending quote, so that a test has as many delayed changes as it needs without a request for each. */
import { recordTables, type Store } from '../../../mocks/sandbox/store/store.ts';

interface Original {
  readonly platformId: string;
  readonly id: string;
  readonly transactionId: string;
}

const columns = {
  quotes: [],
  transactions: [
    'customer_id',
    'platform_customer_id',
    'type',
    'status',
    'reference',
    'sender',
    'receiver',
    'created_at',
  ],
  effects: ['due_at'],
} as const;

/** Between the numbers of a copy and those of the next, so that quote, transaction and change have different ones. */
const stride = recordTables.length;

/**
 * Adds copies of a quote, with their transactions and expiries, which are due together. A copy's ids end with its
 * number. A transaction's counts and labels are those that it would have.
 */
export async function multiplyQuote(store: Store, { platformId, id, transactionId }: Original, count: number) {
  const select = `select coalesce("rows", id) as name from platforms where id = '${platformId}'`;
  const [platform] = await store.read(async (reader) => (await reader.execute({ sql: select, parameters: [] })).rows);
  const rows = String(platform?.['name']);
  const digits = String(count).length;
  const numbers = `with recursive numbers (number) as
      (select 1 union all select number + 1 from numbers where number < ${count}),
    named as (select number, substr(cast(${10 ** digits} + number as text), 2) as ending from numbers)`;
  const renamed = (column: string) =>
    [id, transactionId].reduce(
      (text, was) => `replace(${text}, '${was}', '${was.slice(0, -digits)}' || ending)`,
      column,
    );
  const original = `platform_id = '${rows}' and id = '${transactionId}'`;
  const statements = Object.entries(columns).map(([table, more]) => {
    const others = more.map((column) => `, ${column}`).join('');
    return `insert into ${table} (platform_id, id, sequence, version, body${others}) ${numbers}
      select platform_id, ${renamed('id')}, sequence + number * ${stride}, version, ${renamed('body')}${others}
      from ${table}, named
      where platform_id = '${rows}' and id in ('${id}', 'EXPIRE_QUOTE:${id}', '${transactionId}')`;
  });
  statements.push(
    `insert into labels (platform_id, name, label, sequence) ${numbers}
      select platform_id, name, label, sequence + number * ${stride} from labels, named
      where platform_id = '${rows}' and name = 'transactions'
        and sequence = (select sequence from transactions where ${original})`,
    `update counters set count = count + ${count} where platform_id = '${rows}' and name in ('transactions',
      (select 'transactions customer_id ' || customer_id from transactions where ${original}))`,
    `update platforms set sequence = sequence + ${(count + 1) * stride} where id = '${platformId}'`,
  );
  await store.transaction(
    platformId,
    async (tx) => {
      for (const sql of statements) await tx.execute({ sql, parameters: [] });
    },
    'large',
  );
}
