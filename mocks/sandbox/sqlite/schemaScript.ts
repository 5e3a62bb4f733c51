import type { SqliteDatabase } from './database.ts';

/** Where Kysely notes which steps were taken. */
const notes = ['kysely_migration', 'kysely_migration_lock'] as const;

/**
 * Writes down a migrated database without records: what makes an empty one the same in a fraction of the time that the
 * steps take. The steps build tables and then change them; this makes each table as it is at the end.
 */
export function schemaScript(database: SqliteDatabase): string {
  const made = database.prepare('select sql from sqlite_master where sql is not null order by rowid').all();
  const noted = notes.flatMap((table) => {
    const rows = database.prepare(`select * from ${table}`).all();
    return rows.map((row) => `insert into ${table} values (${Object.values(row).map(quoted).join(', ')})`);
  });
  return ['begin', ...made.map(({ sql }) => String(sql)), ...noted, 'commit'].join(';\n');
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
