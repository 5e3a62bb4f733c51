/**
 * What the engine asks of a build of SQLite. `DatabaseSync` of `node:sqlite` is one as it stands; the WebAssembly build is
 * brought to it (browser/wasm.ts).
 */
export interface SqliteDatabase {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  /** Runs statements that take nothing and answer nothing. */
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A statement that is run any number of times. */
export interface SqliteStatement {
  /** Every row. */
  all(...parameters: SqliteValue[]): SqliteRow[];
  /** The rows one by one, as they are taken. */
  iterate(...parameters: SqliteValue[]): IterableIterator<SqliteRow>;
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  /** One entry for each column of an answer; none for a statement that answers no rows. */
  columns(): readonly unknown[];
}

/** Numbers go in as REAL: a whole one is given as a bigint. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export type SqliteRow = Record<string, null | number | bigint | string | Uint8Array>;
