import { DatabaseSync } from 'node:sqlite';
import { onceDone } from '../../../../contract/memoize.ts';
import { SqliteStore } from '../../sqlite/engine.ts';
import { bringUpToDate } from '../../sqlite/migrate.ts';
import { schemaScript } from '../../sqlite/schemaScript.ts';
import type { Store } from '../../store/store.ts';
import { openSqliteFile, type SqliteOptions } from './openFile.ts';
import { memorySettings } from './settings.ts';

export type { SqliteOptions };

/**
 * Opens the store on one SQLite file (or `:memory:`). If the machine loses power, no answered write is lost.
 * @param file a path, or `:memory:`.
 * @param options see {@link SqliteOptions}.
 * @throws DataFileRefused if the file can't be used. Nothing is left behind then.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Store> {
  if (file !== ':memory:') return new SqliteStore(await openSqliteFile(file, options));
  const script = await readSchema();
  const writer = new DatabaseSync(file);
  writer.exec(memorySettings);
  writer.exec(script);
  return new SqliteStore({ writer, known: options.known });
}

/** A program may open hundreds of stores in memory. The migrations run once for all of them. */
const readSchema = onceDone(async () => {
  const database = new DatabaseSync(':memory:');
  try {
    await bringUpToDate(database);
    return schemaScript(database);
  } finally {
    database.close();
  }
});
