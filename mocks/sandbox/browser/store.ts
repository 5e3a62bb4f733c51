import initSqlite, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { onceDone } from '../../../contract/memoize.ts';
import { SqliteStore } from '../sqlite/engine.ts';
import { bringUpToDate } from '../sqlite/migrate.ts';
import { Syncs } from '../sqlite/syncs.ts';
import type { Store } from '../store/store.ts';
import { Kept } from './kept.ts';
import { WasmDatabase } from './wasm.ts';

/** Compiled once for the whole page. All databases share it. */
const loadSqlite: () => Promise<Sqlite3Static> = onceDone(initSqlite);

/**
 * Opens the store in a page or worker. It is in memory, or kept in the browser under a name that only one page at a
 * time can use.
 * @throws Error if another page uses the name, or the browser stores nothing.
 */
export async function openWasmStore(keptAs?: string): Promise<Store> {
  const sqlite = await loadSqlite();
  if (keptAs === undefined) return new SqliteStore({ writer: await open(sqlite) });
  const kept = await Kept.open(keptAs);
  try {
    const writer = await open(sqlite, kept.image);
    const keeping = kept.keep(writer);
    await keeping.sync();
    return new SqliteStore({ writer, syncs: new Syncs(keeping) });
  } catch (error) {
    kept.close();
    throw error;
  }
}

async function open(sqlite: Sqlite3Static, image?: Uint8Array): Promise<WasmDatabase> {
  const database = new WasmDatabase(sqlite, image);
  database.exec('pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16384');
  await bringUpToDate(database);
  return database;
}
