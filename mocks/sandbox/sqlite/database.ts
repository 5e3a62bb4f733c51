/**
 * What the engine needs from a build of SQLite. `DatabaseSync` of `node:sqlite` fits as it is. browser/wasm.ts adapts
 * the WebAssembly build.
 */
export interface SqliteDatabase {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  /** Runs statements without parameters and results. */
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A prepared statement that can run any number of times. */
export interface SqliteStatement {
  /** All rows. */
  all(...parameters: SqliteValue[]): SqliteRow[];
  /** The rows one by one, on demand. */
  iterate(...parameters: SqliteValue[]): IterableIterator<SqliteRow>;
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  /** One entry for each column of the result; empty if the statement returns no rows. */
  columns(): readonly unknown[];
}

/** Numbers are bound as REAL, so pass a whole number as a bigint. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export type SqliteRow = Record<string, null | number | bigint | string | Uint8Array>;
