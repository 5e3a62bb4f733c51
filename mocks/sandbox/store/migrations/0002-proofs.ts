import type { Kysely } from 'kysely';
import { filter, records } from './tables.ts';

/**
 * Messages that a mail server would deliver, the credentials of an e-mail address, and the initial state of a platform.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await records(db, 'outbox', (table) => table);
  await db.schema.alterTable('credentials').addColumn('email', 'text').execute();
  await filter(db, 'credentials', 'email');
  await db.schema
    .alterTable('platforms')
    .addColumn('first', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
