import type { Kysely } from 'kysely';
import type { Known, KnownRows } from './known.ts';

/** A value of a row, the same for both engines: text, whole number or null. */
export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/**
 * Any table of the store: the common columns and its filter columns. Built queries get their types where they are used.
 */
export type Schema = Record<string, Record<string, Cell>>;

/** The tables with a platform's records. Each has platform_id, id, sequence, version, body and filter columns. */
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

/** Runs statements: a plain reader, or a unit of work while it is open. */
export interface Reader {
  /** Builds SQL for this engine, and never runs it. Compiled queries are cached under it. */
  readonly builder: Kysely<Schema>;
  execute(statement: Statement): Promise<Result>;
  /** The rows that units share. Absent outside of units. */
  readonly known?: Known | undefined;
}

export interface StoreCounts {
  /** Units of work that ran, committed or not. */
  readonly units: number;
  readonly commits: number;
  /** Units that the engine refused. */
  readonly failures: number;
  /** Units that wait for their turn. */
  readonly waiting: number;
}

/**
 * Tells a cache whether earlier reads are still valid. The numbers have no meaning of their own: while a number is the
 * same, the data it stands for is the same.
 */
export interface Changes {
  /**
   * The change count of some tables of a platform. Read it inside a unit; it then covers what that unit has read in
   * them.
   */
  ofPlatform(platformId: string, tables: Iterable<string>): number;
  /**
   * The change count of one table on all platforms. Read it before a read outside units; it then covers what was read.
   */
  ofTable(table: RecordTable): number;
  /** Drops the counts of a platform that has ended. Drop first what depends on them. */
  forget(platformId: string): void;
}

/**
 * `large` for a unit that may write thousands of records. It shares no commit, because it would slow the other units
 * down, and each of its writes reports a failure at once. Other units may learn of a failure later, and then fail as a
 * whole.
 */
export type UnitSize = 'small' | 'large';

/** Long work on a platform that isn't one unit. */
export interface Slices {
  /**
   * Runs a part of the work, which should take a few milliseconds. Between two parts the thread answers others, and
   * their units run. An engine may commit each part, or all parts together at the end of the work.
   */
  run<T>(part: (reader: Reader) => Promise<T>): Promise<T>;
}

/**
 * The interface of every storage engine. A unit of work is all or nothing. It is acknowledged only when it is safe on
 * disk.
 */
export interface Store {
  /** Runs reads that see only committed data. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Runs a unit of work of a platform. The units of one platform run one after the other. If the work throws, it is
   * rolled back and the error is thrown again. Inside, await only the unit's own statements: any other wait blocks all
   * requests.
   * @throws StorageUnavailable if the engine can't do its work (disk full, file gone).
   */
  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size?: UnitSize): Promise<T>;
  /**
   * Runs long work on a platform in slices. The platform's units wait meanwhile, those of other platforms don't. If the
   * work throws, the last slice is rolled back, or all of them. When it ends, what it wrote is safe on disk.
   * The work runs again if it meets a conflict with another process.
   * @param isPlatform false if the id is the name of something else that only one process may work on
   * @throws StorageUnavailable if the engine can't do its work, and any error of the work.
   */
  hold<T>(platformId: string, work: (slices: Slices) => Promise<T>, isPlatform?: boolean): Promise<T>;
  /** What this process has done with the store so far. */
  counts(): StoreCounts;
  /** Absent if other processes write to the same data, because this process can't know their changes. */
  readonly changes?: Changes;
  /** The rows that its units know without asking, also between units. Only together with {@link changes}. */
  readonly known?: KnownRows;
  /** Finishes the queued work, then frees file and locks. */
  close(): Promise<void>;
}
