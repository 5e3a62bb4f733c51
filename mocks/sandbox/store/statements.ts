import { memoize } from '../../../contract/memoize.ts';

/** A platform's row but for the number that each of its records takes: what replies are made of. */
export const platformSettings = 'platforms';

// Kept beside the records, and changed only together with the table that they count or label.
const besideRecords: readonly string[] = ['counters', 'labels'];

/** The tables that a query of ours reads, without what is only kept beside the records. */
export const tablesRead: (sql: string) => readonly string[] = memoize((sql) =>
  [...sql.matchAll(/\b(?:from|join) "(\w+)"/g)]
    .map(([, name = '']) => name)
    .filter((name) => !besideRecords.includes(name)),
);

/** What a statement writes to; undefined for one that only reads or marks a place, `''` where that can't be told. */
export const tableWritten: (sql: string) => string | undefined = memoize((sql) => {
  if (/^(?:select|savepoint|release|rollback to)\b/.test(sql)) return undefined;
  // Every record takes a number, which changes nothing that a reply shows.
  if (/^update "platforms" set "sequence" = \S+ where /.test(sql)) return 'sequences';
  return /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1] ?? '';
});
