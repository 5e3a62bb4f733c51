import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';
import * as proofs from './0002-proofs.ts';
import * as reference from './0003-reference.ts';
import * as money from './0004-money.ts';
import * as agents from './0005-agents.ts';
import * as accountOwners from './0006-account-owners.ts';
import * as slices from './0007-slices.ts';
import * as due from './0008-due.ts';

/** All migrations, in order of name. A published migration is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-proofs': proofs,
  '0003-reference': reference,
  '0004-money': money,
  '0005-agents': agents,
  '0006-account-owners': accountOwners,
  '0007-slices': slices,
  '0008-due': due,
};
