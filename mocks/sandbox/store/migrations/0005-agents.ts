import type { Kysely } from 'kysely';
import { filter, records } from './tables.ts';

/** Agents, the device codes that connect them, and their actions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await records(db, 'agents', (table) =>
    table
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('is_paused', 'text', (column) => column.notNull())
      .addColumn('is_connected', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
  );
  for (const column of ['customer_id', 'is_paused', 'is_connected', 'created_at', 'updated_at']) {
    await filter(db, 'agents', column);
  }

  await records(db, 'device_codes', (table) =>
    table
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('code_hash', 'text', (column) => column.notNull().unique()),
  );
  await filter(db, 'device_codes', 'agent_id');

  await records(db, 'agent_actions', (table) =>
    table
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('customer_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      // Set only while an action waits for approval, so that it can be found by its quote.
      .addColumn('waiting_quote_id', 'text')
      .addColumn('transaction_id', 'text')
      .addColumn('counted_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
  );
  await filter(db, 'agent_actions', 'agent_id', 'status');
  await filter(db, 'agent_actions', 'status', 'customer_id');
  await filter(db, 'agent_actions', 'status', 'created_at');
  await filter(db, 'agent_actions', 'agent_id', 'counted_at');
  for (const column of ['agent_id', 'status', 'waiting_quote_id', 'transaction_id']) {
    await filter(db, 'agent_actions', column);
  }
}
