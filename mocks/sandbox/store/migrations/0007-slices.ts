import { type Kysely, sql } from 'kysely';

// As they were then. A published migration never changes.
const tables = [
  'tokens',
  'customers',
  'internal_accounts',
  'credentials',
  'sessions',
  'pending_requests',
  'outbox',
  'beneficial_owners',
  'verifications',
  'external_accounts',
  'lookups',
  'configs',
  'postings',
  'quotes',
  'transactions',
  'effects',
  'idempotency_keys',
  'agents',
  'device_codes',
  'agent_actions',
];

/**
 * Counts what each platform's records weigh, so that the size of a snapshot is known before it is taken. Lets a
 * platform's rows have another name than the platform, so that new ones are written beside the old ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) {
    // One table after the other, so that no statement needs room for all of them.
    await sql`insert into counters (platform_id, name, count)
      select platform_id, 'bytes', sum(octet_length(body) + 48) from ${sql.table(table)} where true
      group by platform_id
      on conflict (platform_id, name) do update set count = counters.count + excluded.count`.execute(db);
  }
  await db.schema.alterTable('platforms').addColumn('rows', 'text').execute();
  await db.schema
    .createTable('unfinished')
    .addColumn('rows', 'text', (column) => column.primaryKey())
    .addColumn('platform_id', 'text', (column) => column.notNull())
    .addColumn('work', 'text', (column) => column.notNull())
    .execute();
}
