import type { Kysely } from 'kysely';
import { filter, records } from './tables.ts';

/** Messages that a mail server would have carried, and which credentials belong to an e-mail address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await records(db, 'outbox', (table) => table);
  await db.schema.alterTable('credentials').addColumn('email', 'text').execute();
  await filter(db, 'credentials', 'email');
}
