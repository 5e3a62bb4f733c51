import type { Kysely } from 'kysely';
import type { KnownRows } from './known.ts';

/** A row as both engines give it: column → text, whole number or null. */
export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/** Any table of the store: the common columns and those that its lists filter by. Built queries are typed by use. */
export type Schema = Record<string, Record<string, Cell>>;

/** The tables that hold a platform's records, each with platform_id, id, sequence, version, body and filter columns. */
export const recordTables = [
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
] as const;
export type RecordTable = (typeof recordTables)[number];

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

export interface Result {
  readonly rows: readonly Row[];
  readonly affected: number;
}

/** What can run statements: a plain reader, or a unit of work while it is open. */
export interface Reader {
  /** Builds SQL for this engine; it never runs any. Also the key under which compiled queries are kept. */
  readonly builder: Kysely<Schema>;
  execute(statement: Statement): Promise<Result>;
  /** Where units share what they know; absent outside of them, and where others write to the same data. */
  readonly known?: KnownRows | undefined;
}

export interface StoreCounts {
  /** Units of work that were carried out, kept or not. */
  readonly units: number;
  readonly commits: number;
  /** Units that the engine refused. */
  readonly failures: number;
  /** Units that wait for their turn. */
  readonly waiting: number;
}

/**
 * Tells a cache whether what was read still holds. The numbers say nothing by themselves: as long as one stays
 * the same, so does what it stands for.
 */
export interface Changes {
  /** The count of some tables of a platform. Taken inside a unit of it, it holds for what that unit has read in them. */
  ofPlatform(platformId: string, tables: Iterable<string>): number;
  /** The count of one table, all platforms together. Taken before a read outside units, it holds for what was read. */
  ofTable(table: RecordTable): number;
}

/** `large` for a unit that may write thousands of records: it shares no commit with others, as it is slower beside them. */
export type UnitSize = 'small' | 'large';

/**
 * The port that every storage engine fills. A unit of work is all or nothing, and acknowledged only after it is safe on
 * disk.
 */
export interface Store {
  /** Runs reads that see committed data only. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Runs one unit of work of a platform; units of one platform run one after the other. A throw rolls it back and
   * comes out again. Inside, await only the unit's own statements: anything else holds up everybody.
   * @throws StorageUnavailable when the engine can't keep its promise (disk full, file gone).
   */
  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size?: UnitSize): Promise<T>;
  /** What this process has done with it so far. */
  counts(): StoreCounts;
  /** Only where nobody else writes to the same data: what another process changes, this one can't know. */
  readonly changes?: Changes;
  /** What its units know without asking; see {@link KnownRows}. Only where {@link changes} is. */
  readonly known?: KnownRows;
  /** Finishes what is queued, then frees file and locks. */
  close(): Promise<void>;
}
