import type { SqliteDatabase } from './database.ts';

/** How many values a column of codes has on a platform. All other columns are taken to have {@link manyValues}. */
const valuesOf: Readonly<Record<string, number>> = {
  type: 4,
  status: 8,
  currency: 8,
  region: 20,
  customer_type: 2,
  owner: 2,
  is_deleted: 2,
  is_paused: 2,
  is_connected: 2,
};
/** One row in this many has the same id, name or time. */
const manyValues = 10_000;
const times: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const rows = 1_000_000;
const platforms = 10;

/**
 * Fixed statistics of a large store. Without any, SQLite takes all indexes for equally good, and finds the eleven transactions of a
 * customer with some status by reading every one with that status. Measuring them (`analyze`) takes time, and plans
 * would change with the data.
 */
export function addStatistics(database: SqliteDatabase): void {
  if (hasStatistics(database)) return;
  database.exec(statisticsScript(database));
}

/** Whether there are statistics, ours or those that somebody measured. */
export function hasStatistics(database: SqliteDatabase): boolean {
  return database.prepare("select 1 from sqlite_master where name = 'sqlite_stat1'").all().length > 0;
}

/** The same as a script, for a database with the same schema. */
export function statisticsScript(database: SqliteDatabase): string {
  const indexes = database.prepare("select name, tbl_name from sqlite_master where type = 'index' order by name").all();
  const values = indexes
    .filter(({ tbl_name }) => !String(tbl_name).startsWith('kysely_'))
    .map(({ name, tbl_name }) => {
      const columns = database.prepare(`select name from pragma_index_info('${name}') order by seqno`).all();
      return `('${tbl_name}', '${name}', '${statistic(columns.map((column) => String(column['name'])))}')`;
    });
  // The first one creates the table of statistics, and the last one reads it.
  return `analyze sqlite_schema; delete from sqlite_stat1;
    insert into sqlite_stat1 (tbl, idx, stat) values ${values.join(', ')}; analyze sqlite_schema`;
}

/** The number of rows, and of those that have the same values in the first column, in the first two, and so on. */
function statistic(columns: readonly string[]): string {
  // A page between two times is read in its order, newest first. By its times, all of its rows would be sorted.
  let same = columns.some((column) => times.has(column)) ? 3 * rows : rows;
  const counts = columns.map((column) => {
    if (column === 'sequence' || column === 'id') same = 1;
    else
      same = Math.max(1, Math.ceil(same / (column === 'platform_id' ? platforms : (valuesOf[column] ?? manyValues))));
    return same;
  });
  return [rows, ...counts].join(' ');
}
