import type { Kysely } from 'kysely';
import { filter, records } from './tables.ts';

/** The ledger's postings, quotes, transactions, effects that are due later, and idempotency keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await records(db, 'postings', (table) =>
    table
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('movement_id', 'text', (column) => column.notNull()),
  );
  for (const column of ['account_id', 'movement_id']) await filter(db, 'postings', column);

  await records(db, 'quotes', (table) => table);

  await records(db, 'transactions', (table) =>
    table
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('platform_customer_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('reference', 'text')
      .addColumn('sender', 'text')
      .addColumn('receiver', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
  );
  const filters = [
    'customer_id',
    'platform_customer_id',
    'type',
    'status',
    'reference',
    'sender',
    'receiver',
    'created_at',
  ];
  for (const column of filters) await filter(db, 'transactions', column);

  await records(db, 'effects', (table) => table.addColumn('due_at', 'bigint', (column) => column.notNull()));
  await filter(db, 'effects', 'due_at');

  await records(db, 'idempotency_keys', (table) => table);
}
