import { externalAccounts, internalAccounts, postings } from '../domains/accounts/records.ts';
import { actions, agents, deviceCodes } from '../domains/agents/records.ts';
import { credentials, outbox, sessions } from '../domains/auth/records.ts';
import { beneficialOwners, customers, verifications } from '../domains/customers/records.ts';
import { effects } from '../domains/effect.ts';
import { lookups, quotes } from '../domains/quotes/records.ts';
import { configs, tokens } from '../domains/tokens/records.ts';
import { transactions } from '../domains/transfers/records.ts';
import { pendingRequests } from '../signedRetry/records.ts';
import { keptReplies } from '../steps/replayIdempotent.ts';
import type { AnyTable, Table } from '../store/records/table.ts';
import type { RecordTable } from '../store/store.ts';

/** Every table with a platform's records. A missing one is a type error: it would also be missing in snapshots. */
export const tables: Readonly<Record<RecordTable, AnyTable>> = {
  tokens: any(tokens),
  customers: any(customers),
  internal_accounts: any(internalAccounts),
  credentials: any(credentials),
  sessions: any(sessions),
  pending_requests: any(pendingRequests),
  outbox: any(outbox),
  beneficial_owners: any(beneficialOwners),
  verifications: any(verifications),
  external_accounts: any(externalAccounts),
  lookups: any(lookups),
  configs: any(configs),
  postings: any(postings),
  quotes: any(quotes),
  transactions: any(transactions),
  effects: any(effects),
  idempotency_keys: any(keptReplies),
  agents: any(agents),
  device_codes: any(deviceCodes),
  agent_actions: any(actions),
};

/** Hides the type of a table's records, because they are only copied here. */
function any<R extends { readonly id: string }, C extends string>(table: Table<R, C>): AnyTable {
  return table as unknown as AnyTable;
}
