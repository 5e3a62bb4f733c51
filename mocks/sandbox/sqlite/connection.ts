import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { checkCell } from '../store/handle.ts';
import { tableWritten } from '../store/statements.ts';
import type { Cell, Reader, Result, Row, Schema, Statement } from '../store/store.ts';
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './database.ts';

const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

interface Prepared {
  readonly statement: SqliteStatement;
  readonly reads: boolean;
  readonly writes: string | undefined;
}

/** A connection that prepares each statement once. */
export class Connection implements Reader {
  readonly builder = builder;
  readonly database: SqliteDatabase;
  readonly #noteWrite: (table: string) => void;
  readonly #statements = new Map<string, Prepared>();

  /** @param noteWrite is called for every writing statement, with the table as `tableWritten` names it. */
  constructor(database: SqliteDatabase, noteWrite: (table: string) => void = () => {}) {
    this.database = database;
    this.#noteWrite = noteWrite;
  }

  async execute({ sql, parameters }: Statement): Promise<Result> {
    let cached = this.#statements.get(sql);
    if (cached === undefined) {
      const statement = this.database.prepare(sql);
      cached = { statement, reads: statement.columns().length > 0, writes: tableWritten(sql) };
      this.#statements.set(sql, cached);
    }
    const bound = parameters.map(bind);
    if (cached.reads) return { rows: cached.statement.all(...bound) as unknown as Row[], affected: 0 };
    if (cached.writes !== undefined) this.#noteWrite(cached.writes);
    return { rows: [], affected: Number(cached.statement.run(...bound).changes) };
  }
}

/** Binds whole numbers as integers. A JavaScript number would be bound as REAL. */
function bind(value: Cell): SqliteValue {
  const checked = checkCell(value);
  return typeof checked === 'number' ? BigInt(checked) : checked;
}
