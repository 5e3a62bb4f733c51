import type { CreateTableBuilder, Kysely } from 'kysely';

type Table = CreateTableBuilder<string, string>;

/** Creates a table of records: the columns that every table has, and those that its lists filter by. */
export async function records(db: Kysely<unknown>, name: string, columns: (table: Table) => Table): Promise<void> {
  const common: Table = db.schema
    .createTable(name)
    .addColumn('platform_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull());
  await columns(common).addPrimaryKeyConstraint(`${name}_key`, ['platform_id', 'id']).execute();
  await db.schema.createIndex(`${name}_list`).on(name).columns(['platform_id', 'sequence']).unique().execute();
}

/** Creates an index for a list that filters by these columns together. It returns the newest first without sorting. */
export async function filter(db: Kysely<unknown>, table: string, ...filters: string[]): Promise<void> {
  const columns = ['platform_id', ...filters, 'sequence'];
  await db.schema
    .createIndex(`${table}_by_${filters.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}

/** Creates a unique index as a safety net. The domain checks the rule first. Rows with null aren't included. */
export async function unique(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  const name = `${table}_one_${columns.join('_')}`;
  await db.schema
    .createIndex(name)
    .on(table)
    .columns(['platform_id', ...columns])
    .unique()
    .execute();
}
