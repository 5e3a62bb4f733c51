import { memoize } from '../../../../contract/memoize.ts';

/** What a statement does, as far as this decides when it is sent. */
export type Shape =
  /** Adds rows; `change` adds to counters. The parameters are the values of the rows, column by column. */
  | { readonly does: 'insert' | 'change'; readonly table: string; readonly columns: readonly string[] }
  /** Sets the last number that a platform gave. The parameters are the number and the platform. */
  | { readonly does: 'number' }
  | { readonly does: 'read'; readonly tables: readonly string[] }
  | { readonly does: 'mark' | 'keep' | 'take back' }
  | { readonly does: 'anything' };

const insertion = /^insert into "(\w+)" \(([^()]+)\) values (\(\$[$\d, ]+\)(?:, \(\$[$\d, ]+\))*)( on conflict .*)?$/;
const addingUp = ' on conflict ("platform_id", "name") do update set "count" = counters.count + excluded.count';
const numbering = 'update "platforms" set "sequence" = $1 where "id" = $2';

/** Recognises a statement by the text that the query builder writes. Any other statement is sent unchanged. */
export const shapeOf: (sql: string) => Shape = memoize((sql) => {
  if (sql.startsWith('select ')) {
    return { does: 'read', tables: [...sql.matchAll(/\b(?:from|join) "(\w+)"/g)].map(([, name = '']) => name) };
  }
  if (sql === numbering) return { does: 'number' };
  if (/^savepoint \w+$/.test(sql)) return { does: 'mark' };
  if (/^release savepoint \w+$/.test(sql)) return { does: 'keep' };
  if (/^rollback to savepoint \w+$/.test(sql)) return { does: 'take back' };
  const [, table, list = '', , conflict] = insertion.exec(sql) ?? [];
  if (table === undefined) return { does: 'anything' };
  const columns = list.split(', ').map((name) => name.slice(1, -1));
  if (conflict === undefined) return { does: 'insert', table, columns };
  return conflict === addingUp ? { does: 'change', table, columns } : { does: 'anything' };
});
