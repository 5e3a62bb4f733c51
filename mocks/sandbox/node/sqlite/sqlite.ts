import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '../../sqlite/engine.ts';
import { bringUpToDate } from '../../sqlite/migrate.ts';
import type { Store } from '../../store/store.ts';
import { openSqliteFile, type SqliteOptions } from './openFile.ts';
import { settings } from './settings.ts';

export type { SqliteOptions };

/**
 * The store on one SQLite file (or `:memory:`). A machine that loses power loses nothing that was answered.
 * @param file a path, or `:memory:`.
 * @param options see {@link SqliteOptions}.
 * @throws DataFileRefused for a file that can't be used; then nothing is left behind.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Store> {
  if (file !== ':memory:') return new SqliteStore(await openSqliteFile(file, options));
  const writer = new DatabaseSync(file);
  writer.exec(settings);
  await bringUpToDate(writer);
  return new SqliteStore({ writer });
}
