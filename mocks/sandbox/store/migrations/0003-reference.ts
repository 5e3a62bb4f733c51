import type { Kysely } from 'kysely';
import { filter, records, unique } from './tables.ts';

/**
 * Owners, verifications, external accounts, lookups, platform configurations, labels, and the columns that the lists of
 * customers, accounts and tokens filter by.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('labels')
    .addColumn('platform_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('labels_key', ['platform_id', 'name', 'label', 'sequence'])
    .execute();

  for (const table of ['customers', 'tokens']) {
    for (const column of ['created_at', 'updated_at']) {
      await db.schema
        .alterTable(table)
        .addColumn(column, 'bigint', (add) => add.notNull().defaultTo(0))
        .execute();
      await filter(db, table, column);
    }
  }
  await db.schema
    .alterTable('customers')
    .addColumn('is_deleted', 'text', (add) => add.notNull().defaultTo('no'))
    .execute();
  await filter(db, 'customers', 'is_deleted');
  await db.schema
    .alterTable('tokens')
    .addColumn('name', 'text', (add) => add.notNull().defaultTo(''))
    .execute();
  await filter(db, 'tokens', 'name');
  await db.schema
    .alterTable('internal_accounts')
    .addColumn('owner', 'text', (add) => add.notNull().defaultTo('CUSTOMER'))
    .execute();
  await filter(db, 'internal_accounts', 'owner');

  await records(db, 'beneficial_owners', (table) =>
    table.addColumn('customer_id', 'text', (column) => column.notNull()),
  );
  await filter(db, 'beneficial_owners', 'customer_id');

  await records(db, 'verifications', (table) =>
    table
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull()),
  );
  for (const column of ['customer_id', 'status']) await filter(db, 'verifications', column);

  await records(db, 'external_accounts', (table) =>
    table
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('identity', 'text', (column) => column.notNull())
      .addColumn('deposit_for', 'text'),
  );
  for (const column of ['customer_id', 'currency']) await filter(db, 'external_accounts', column);
  await filter(db, 'external_accounts', 'customer_id', 'currency');
  await unique(db, 'external_accounts', ['identity']);
  await unique(db, 'external_accounts', ['deposit_for']);

  await records(db, 'lookups', (table) => table);
  await records(db, 'configs', (table) => table);
}
