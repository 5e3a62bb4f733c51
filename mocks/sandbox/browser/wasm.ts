import type { PreparedStatement, Sqlite3Static, SqlValue } from '@sqlite.org/sqlite-wasm';
import type { SqliteDatabase, SqliteRow, SqliteStatement, SqliteValue } from '../sqlite/database.ts';

/** The official WebAssembly build of SQLite, as the engine asks for it. Its database is in memory. */
export class WasmDatabase implements SqliteDatabase {
  readonly #sqlite: Sqlite3Static;
  readonly #db: InstanceType<Sqlite3Static['oo1']['DB']>;

  /** @param image a database that {@link image} gave; an empty one when absent. */
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
    // It says how a run ended only once it is reset; an answer that is broken off would hold the transaction open.
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

  /** The whole database as SQLite would write it into a file. */
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
    // SQLite owns the memory from here on, and gives it back itself, also where it refuses the image.
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    this.#db.checkRc(capi.sqlite3_deserialize(this.#pointer, 'main', at, image.length, image.length, flags));
  }
}

const int32 = 2n ** 31n;

/** A bigint of no more than 32 bits goes in as a number, which is a third of the work. */
function bind(statement: PreparedStatement, parameters: readonly SqliteValue[]): void {
  if (parameters.length === 0) return;
  const bound = parameters.map((value) =>
    typeof value === 'bigint' && value < int32 && value >= -int32 ? Number(value) : value,
  );
  statement.bind(bound as SqlValue[]);
}
