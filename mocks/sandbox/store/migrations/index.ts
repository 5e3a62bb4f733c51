import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';
import * as proofs from './0002-proofs.ts';

/** Every step the database has gone through, in order of name. A step that has landed is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-proofs': proofs,
};
