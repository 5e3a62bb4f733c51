import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { migrations } from './migrations/index.ts';
import type { Schema } from './store.ts';

/** Brings the file to the newest step. What does so is loaded only where there is something to do, which is seldom. */
export async function bringUpToDate(database: DatabaseSync): Promise<void> {
  if (isUpToDate(database)) return;
  const { migrate } = await import('./migrate.ts');
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
  const taken = database.prepare('select name from kysely_migration order by name').all();
  return JSON.stringify(taken.map(({ name }) => name)) === JSON.stringify(Object.keys(migrations).sort());
}
