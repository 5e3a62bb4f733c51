import type { DatabaseSync } from 'node:sqlite';
import { takenSteps } from '../../sqlite/migrate.ts';
import { migrations } from '../../store/migrations/index.ts';
import { NewerSchema } from '../../store/newerSchema.ts';
import { type DataFile, DataFileRefused } from './dataFile.ts';

/**
 * Checks the kind of a database without changing it.
 * @throws Error if another program made it, because our tables don't belong there; NewerSchema if a later version of
 * ours made it.
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
