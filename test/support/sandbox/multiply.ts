/**
 * Makes a platform large: it multiplies the rows of its payments with SQL, each copy with ids of its own, so that a
 * million take seconds. The books stay sound, and counters and labels are those of the rows.
 */
import { type Reader, type Row, recordTables } from '../../../mocks/sandbox/store/store.ts';

/** The tables that are multiplied. Their records name each other, and accounts and customers, which stay. */
const multiplied = ['quotes', 'transactions', 'postings'] as const;

/**
 * @param tx a unit of the store
 * @param times how many copies of each quote, transaction and posting are added
 */
export async function multiply(tx: Reader, platformId: string, times: number): Promise<void> {
  const ask = async (sql: string): Promise<readonly Row[]> => (await tx.execute({ sql, parameters: [] })).rows;
  const own = `platform_id = ${quoted(platformId)}`;
  const templates: [table: string, row: Row][] = [];
  for (const table of multiplied) {
    for (const row of await ask(`select * from "${table}" where ${own} order by sequence`))
      templates.push([table, row]);
  }
  const ids = templates.map(([, { id }]) => String(id));
  const [platform] = await ask(`select sequence from platforms where id = ${quoted(platformId)}`);
  const first = Number(platform?.['sequence']) + 1;
  const numbers = `with recursive numbers(k) as (select 1 union all select k + 1 from numbers where k < ${times})`;
  for (const [index, [table, row]] of templates.entries()) {
    const sequence = `${first + index} + (k - 1) * ${templates.length}`;
    const columns = Object.entries(row).map(([column, value]): [string, string] => {
      if (column === 'sequence') return [column, sequence];
      return [column, typeof value === 'string' ? renamed(value, ids) : String(value)];
    });
    const names = columns.map(([column]) => `"${column}"`);
    await ask(`${numbers} insert into "${table}" (${names}) select ${columns.map(([, value]) => value)} from numbers`);
    await ask(`${numbers} insert into labels (platform_id, name, label, sequence)
      select platform_id, name, label, ${sequence} from numbers, labels
      where ${own} and name = '${table}' and sequence = ${row['sequence']}`);
  }
  await ask(`update platforms set sequence = ${first + times * templates.length} where id = ${quoted(platformId)}`);
  for (const table of multiplied) {
    const isOfTable = `(name = '${table}' or name like '${table} %')`;
    await ask(`update counters set count = count * ${times + 1} where ${own} and ${isOfTable}`);
  }
  // Every posting was multiplied, so every balance is too.
  for (const { id, body } of await ask(`select id, body from internal_accounts where ${own}`)) {
    const account = JSON.parse(String(body));
    const changed = quoted(JSON.stringify({ ...account, balance: account.balance * (times + 1) }));
    await ask(`update internal_accounts set body = ${changed} where ${own} and id = ${quoted(id)}`);
  }
  const weights = recordTables.map((table) => `select octet_length(body) + 48 as bytes from "${table}" where ${own}`);
  await ask(`update counters set count = (select sum(bytes) from (${weights.join(' union all ')}) as weights)
    where ${own} and name = 'bytes'`);
}

function quoted(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`;
}

/** A text in which each of these ids has the number of the copy at its end. */
function renamed(value: string, ids: readonly string[]): string {
  const named = ids.filter((id) => value.includes(id));
  return named.reduce(
    (inner, id) => `replace(${inner}, ${quoted(id)}, ${quoted(`${id}-`)} || cast(k as text))`,
    quoted(value),
  );
}
