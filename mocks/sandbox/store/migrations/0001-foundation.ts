import type { Kysely } from 'kysely';
import { filter, records, unique } from './tables.ts';

// Only text and whole numbers, so that the same steps work for every engine. JSON is stored as text, because a binary
// JSON type would reorder keys.

/** Platforms, tokens, customers, internal accounts, credentials, sessions, pending requests, and counters of lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('platforms')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('counters')
    .addColumn('platform_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('counters_key', ['platform_id', 'name'])
    .execute();

  await records(db, 'tokens', (table) => table.addColumn('client_id', 'text', (column) => column.notNull().unique()));

  await records(db, 'customers', (table) =>
    table
      .addColumn('platform_customer_id', 'text', (column) => column.notNull())
      .addColumn('customer_type', 'text', (column) => column.notNull())
      .addColumn('region', 'text')
      .addColumn('uma_address', 'text', (column) => column.notNull()),
  );
  for (const column of ['platform_customer_id', 'customer_type', 'region']) await filter(db, 'customers', column);
  await unique(db, 'customers', ['uma_address']);

  await records(db, 'internal_accounts', (table) =>
    table
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull()),
  );
  for (const column of ['customer_id', 'currency', 'type']) await filter(db, 'internal_accounts', column);

  await records(db, 'credentials', (table) =>
    table
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('email_account_id', 'text')
      .addColumn('passkey_id', 'text')
      .addColumn('oidc_identity', 'text'),
  );
  await filter(db, 'credentials', 'account_id');
  await unique(db, 'credentials', ['email_account_id']);
  await unique(db, 'credentials', ['passkey_id']);
  await unique(db, 'credentials', ['account_id', 'oidc_identity']);

  await records(db, 'sessions', (table) =>
    table
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('credential_id', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
  );
  for (const column of ['account_id', 'credential_id', 'expires_at']) await filter(db, 'sessions', column);

  await records(db, 'pending_requests', (table) =>
    table.addColumn('expires_at', 'bigint', (column) => column.notNull()),
  );
  await filter(db, 'pending_requests', 'expires_at');
}
