import { Kysely, SqliteDialect } from 'kysely';
import { migrations } from '../store/migrations/index.ts';
import type { Schema } from '../store/store.ts';
import type { SqliteDatabase, SqliteValue } from './database.ts';
import { addStatistics, hasStatistics } from './statistics.ts';

/**
 * Migrates a database to the newest step. The code for that is loaded only if there is something to do, which is rare.
 */
export async function bringUpToDate(database: SqliteDatabase): Promise<void> {
  if (isUpToDate(database)) return;
  const { migrate } = await import('../store/migrate.ts');
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => {},
        prepare: (sql) => {
          const statement = database.prepare(sql);
          const spread = (parameters: readonly unknown[]) => parameters as SqliteValue[];
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
  // All steps or none. Kysely doesn't do this for SQLite, because it assumes that SQLite can't change tables in a
  // transaction.
  database.exec('begin immediate');
  try {
    await migrate(db);
    addStatistics(database);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Whether exactly our steps have run, and plans have statistics. */
function isUpToDate(database: SqliteDatabase): boolean {
  const there = database.prepare("select 1 from sqlite_master where name = 'kysely_migration'").all();
  if (there.length === 0 || !hasStatistics(database)) return false;
  return JSON.stringify(takenSteps(database)) === JSON.stringify(Object.keys(migrations).sort());
}

/** The steps that have run, by name. */
export function takenSteps(database: SqliteDatabase): string[] {
  const taken = database.prepare('select name from kysely_migration order by name').all();
  return taken.map(({ name }) => String(name));
}
