import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import { NewerSchema } from './newerSchema.ts';
import type { Schema } from './store.ts';

/**
 * Migrates a database to the newest step, completely or not at all. Several processes may do so at once.
 * @throws NewerSchema if a newer version has already migrated it further. It isn't changed then.
 */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error === undefined) return;
  const unknown = await unknownSteps(db);
  if (unknown.length === 0) throw error;
  throw new NewerSchema(unknown);
}

async function unknownSteps(db: Kysely<Schema>): Promise<string[]> {
  const steps = await db
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
    // It isn't even our database. The first error says what is wrong.
    .catch(() => []);
  return steps.map(({ name }) => String(name)).filter((name) => !(name in migrations));
}
