import { memoize } from '../../../contract/memoize.ts';

/** A platform's row, except its sequence, which grows with each record. Replies depend on this row. */
export const platformSettings = 'platforms';

// Kept beside the records, and changed only together with the table that they count or label.
const besideRecords: readonly string[] = ['counters', 'labels'];

/** The tables that a query of ours reads, except counts and labels. */
export const tablesRead: (sql: string) => readonly string[] = memoize((sql) =>
  [...sql.matchAll(/\b(?:from|join) "(\w+)"/g)]
    .map(([, name = '']) => name)
    .filter((name) => !besideRecords.includes(name)),
);

/**
 * The table that a statement writes to. Undefined if it only reads or sets a savepoint, `''` if the table is unknown.
 */
export const tableWritten: (sql: string) => string | undefined = memoize((sql) => {
  if (/^(?:select|savepoint|release|rollback to)\b/.test(sql)) return undefined;
  // Every new record takes a number, and every write keeps its instant. That changes nothing that a reply shows.
  if (/^update "platforms" set "sequence" = \S+, "latest" = \S+ where /.test(sql)) return 'sequences';
  return /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1] ?? '';
});
