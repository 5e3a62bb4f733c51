import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { migrations } from '../../store/migrations/index.ts';
import { NewerSchema } from '../../store/newerSchema.ts';
import type { Schema } from '../../store/store.ts';
import { type DataFile, DataFileRefused } from './dataFile.ts';

/** Brings the file to the newest step. What does so is loaded only where there is something to do, which is seldom. */
export async function bringUpToDate(database: DatabaseSync): Promise<void> {
  if (isUpToDate(database)) return;
  const { migrate } = await import('../../store/migrate.ts');
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => {},
        prepare: (sql) => {
          const statement = database.prepare(sql);
          const spread = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...spread(parameters)),
            run: (parameters) => statement.run(...spread(parameters)),
            iterate: (parameters) => statement.iterate(...spread(parameters)),
          };
        },
      },
    }),
  });
  // All steps or none: Kysely leaves that to us, as it takes SQLite for an engine whose tables are made outside transactions.
  database.exec('begin immediate');
  try {
    await migrate(db);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Whether exactly our steps were taken. */
function isUpToDate(database: DatabaseSync): boolean {
  const there = database.prepare("select 1 from sqlite_master where name = 'kysely_migration'").all();
  if (there.length === 0) return false;
  return JSON.stringify(takenSteps(database)) === JSON.stringify(Object.keys(migrations).sort());
}

function takenSteps(database: DatabaseSync): string[] {
  const taken = database.prepare('select name from kysely_migration order by name').all();
  return taken.map(({ name }) => String(name));
}

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
