import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';

/** Every step the database has gone through, in order of name. A step that has landed is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
};
