import { memoize } from '../../../../contract/memoize.ts';

/** What a statement does, as far as this decides when it is sent. */
export type Shape =
  /** Adds rows; `change` adds to counters. The parameters are the values of the rows, column by column. */
  | { readonly does: 'insert' | 'change'; readonly table: string; readonly columns: readonly string[] }
  /**
   * Replaces a record. The parameters are the values of the columns, then the platform, the id, and the version that was
   * read.
   */
  | { readonly does: 'replace'; readonly table: string; readonly columns: readonly string[] }
  /** Removes a record. The parameters are the platform and the id. */
  | { readonly does: 'remove'; readonly table: string }
  /** Sets a platform's {@link PlatformNumbers}. The parameters are these two and the platform. */
  | { readonly does: 'number' }
  | { readonly does: 'read'; readonly tables: readonly string[] }
  | { readonly does: 'mark' | 'keep' | 'take back' }
  | { readonly does: 'anything' };

const insertion = /^insert into "(\w+)" \(([^()]+)\) values (\(\$[$\d, ]+\)(?:, \(\$[$\d, ]+\))*)( on conflict .*)?$/;
const replacement =
  /^update "(\w+)" set ((?:"\w+" = \$\d+(?:, )?)+) where "platform_id" = \$\d+ and "id" = \$\d+ and "version" = \$\d+$/;
const removal = /^delete from "(\w+)" where "platform_id" = \$1 and "id" = \$2$/;
const addingUp = ' on conflict ("platform_id", "name") do update set "count" = counters.count + excluded.count';
const numbering = 'update "platforms" set "sequence" = $1, "latest" = $2 where "id" = $3';

/**
 * The columns with values that are unique in a table, apart from id and sequence. If a record takes the value of another that is
 * replaced or removed in the same unit, the order matters, so a change of these columns is not held back.
 */
export const uniqueColumns: ReadonlySet<string> = new Set([
  'account_id',
  'client_id',
  'code_hash',
  'deposit_for',
  'email_account_id',
  'identity',
  'oidc_identity',
  'passkey_id',
  'token_hash',
  'uma_address',
]);

/** Recognises a statement by the text that the query builder writes. Any other statement is sent unchanged. */
export const shapeOf: (sql: string) => Shape = memoize((sql) => {
  if (sql.startsWith('select ')) {
    return { does: 'read', tables: [...sql.matchAll(/\b(?:from|join) "(\w+)"/g)].map(([, name = '']) => name) };
  }
  if (sql === numbering) return { does: 'number' };
  if (/^savepoint \w+$/.test(sql)) return { does: 'mark' };
  if (/^release savepoint \w+$/.test(sql)) return { does: 'keep' };
  if (/^rollback to savepoint \w+$/.test(sql)) return { does: 'take back' };
  const [, removed] = removal.exec(sql) ?? [];
  if (removed !== undefined) return { does: 'remove', table: removed };
  const [, replaced, settings = ''] = replacement.exec(sql) ?? [];
  if (replaced !== undefined) {
    const columns = settings.split(', ').map((setting) => setting.split('"')[1] as string);
    const isHeldBack = !columns.some((column) => uniqueColumns.has(column));
    return isHeldBack ? { does: 'replace', table: replaced, columns } : { does: 'anything' };
  }
  const [, table, list = '', , conflict] = insertion.exec(sql) ?? [];
  if (table === undefined) return { does: 'anything' };
  const columns = list.split(', ').map((name) => name.slice(1, -1));
  if (conflict === undefined) return { does: 'insert', table, columns };
  return conflict === addingUp ? { does: 'change', table, columns } : { does: 'anything' };
});
