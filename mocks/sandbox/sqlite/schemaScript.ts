import type { SqliteDatabase } from './database.ts';
import { statisticsScript } from './statistics.ts';

/** The tables in which Kysely notes the steps that have run. */
const notes = ['kysely_migration', 'kysely_migration_lock'] as const;

/**
 * Writes the schema of a migrated database as a script. It makes an empty database the same, in a fraction of the time
 * of the migrations. The migrations create tables and change them later; this creates each table in its final form.
 */
export function schemaScript(database: SqliteDatabase): string {
  const ours = "sql is not null and name not like 'sqlite_stat%'";
  const made = database.prepare(`select sql from sqlite_master where ${ours} order by rowid`).all();
  const noted = notes.flatMap((table) => {
    const rows = database.prepare(`select * from ${table}`).all();
    return rows.map((row) => `insert into ${table} values (${Object.values(row).map(quoted).join(', ')})`);
  });
  return ['begin', ...made.map(({ sql }) => String(sql)), ...noted, statisticsScript(database), 'commit'].join(';\n');
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
