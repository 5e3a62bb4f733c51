import type { PreparedStatement, Sqlite3Static, SqlValue } from '@sqlite.org/sqlite-wasm';
import type { SqliteDatabase, SqliteRow, SqliteStatement, SqliteValue } from '../sqlite/database.ts';

/** The official WebAssembly build of SQLite, in the form that the engine needs. Its database is in memory. */
export class WasmDatabase implements SqliteDatabase {
  readonly #sqlite: Sqlite3Static;
  readonly #db: InstanceType<Sqlite3Static['oo1']['DB']>;

  /** @param image from {@link image}; an empty database if absent. */
  constructor(sqlite: Sqlite3Static, image?: Uint8Array) {
    this.#sqlite = sqlite;
    this.#db = new sqlite.oo1.DB(':memory:', 'c');
    if (image !== undefined) this.#load(image);
  }

  get isOpen(): boolean {
    return this.#db.isOpen();
  }

  get isTransaction(): boolean {
    return this.#sqlite.capi.sqlite3_get_autocommit(this.#pointer) === 0;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#db.prepare(sql);
    // A statement reports how a run ended only after a reset. Without it, a reader that stops early would keep the
    // transaction open.
    const rows = function* (parameters: readonly SqliteValue[]): IterableIterator<SqliteRow> {
      bind(statement, parameters);
      try {
        while (statement.step()) yield statement.get({}) as SqliteRow;
      } finally {
        statement.reset();
      }
    };
    const all = (...parameters: SqliteValue[]): SqliteRow[] => [...rows(parameters)];
    return {
      all,
      iterate: (...parameters) => rows(parameters),
      run: (...parameters) => {
        all(...parameters);
        const lastInsertRowid = this.#sqlite.capi.sqlite3_last_insert_rowid(this.#pointer);
        return { changes: this.#db.changes(), lastInsertRowid };
      },
      columns: () => (statement.columnCount === 0 ? [] : statement.getColumnNames()),
    };
  }

  /** The whole database, as SQLite would write it to a file. */
  image(): Uint8Array {
    return this.#sqlite.capi.sqlite3_js_db_export(this.#pointer);
  }

  close(): void {
    this.#db.close();
  }

  get #pointer(): number {
    const { pointer } = this.#db;
    if (pointer === undefined) throw new Error('The database is closed.');
    return pointer;
  }

  #load(image: Uint8Array): void {
    const { capi, wasm } = this.#sqlite;
    const at = wasm.allocFromTypedArray(image);
    // From here on SQLite owns the memory. It frees it itself, also if it refuses the image.
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    this.#db.checkRc(capi.sqlite3_deserialize(this.#pointer, 'main', at, image.length, image.length, flags));
  }
}

const int32 = 2n ** 31n;

/** A bigint of at most 32 bits is passed as a number, which takes a third of the time. */
function bind(statement: PreparedStatement, parameters: readonly SqliteValue[]): void {
  if (parameters.length === 0) return;
  const bound = parameters.map((value) =>
    typeof value === 'bigint' && value < int32 && value >= -int32 ? Number(value) : value,
  );
  statement.bind(bound as SqlValue[]);
}
