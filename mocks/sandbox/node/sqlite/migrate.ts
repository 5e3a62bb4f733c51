import type { DatabaseSync } from 'node:sqlite';
import { takenSteps } from '../../sqlite/migrate.ts';
import { migrations } from '../../store/migrations/index.ts';
import { NewerSchema } from '../../store/newerSchema.ts';
import { type DataFile, DataFileRefused } from './dataFile.ts';

/**
 * Looks at what a database is, and changes nothing.
 * @throws Error for one that another program made: our tables have no place in it; NewerSchema for a later one of ours.
 */
export function refuseForeign(database: DatabaseSync, { name, elsewhere }: DataFile): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  if (tables.length === 0) return;
  if (!tables.some((table) => table['name'] === 'kysely_migration')) {
    throw new DataFileRefused(`${name} is the database of another program. C${elsewhere.slice(1)}.`);
  }
  const unknown = takenSteps(database).filter((step) => !(step in migrations));
  if (unknown.length > 0) throw new NewerSchema(unknown);
}
