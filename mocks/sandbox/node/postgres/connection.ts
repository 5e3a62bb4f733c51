import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { checkCell } from '../../store/handle.ts';
import type { Cell, Result, Row, Schema, Statement } from '../../store/store.ts';
import { StorageUnavailable } from '../../tools/problem.ts';

/** A connection, or a pool of them. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Builds SQL for PostgreSQL, and never runs it. */
export const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Runs a statement without a name, because a named statement belongs to one connection, and a pooler shares connections.
 * @throws the errors of {@link ask}, and TypeError for a parameter that no column can store
 */
export async function send(queryable: Queryable, { sql, parameters }: Statement): Promise<Result> {
  const values = parameters.map(bind);
  const result = await ask(queryable, values.length === 0 ? { text: sql } : { text: sql, values });
  return { rows: result.rows, affected: result.rowCount ?? 0 };
}

/** @throws pg.DatabaseError from the server, StorageUnavailable if it couldn't be asked */
export async function ask(queryable: Queryable, config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  try {
    return await queryable.query<Row>(config);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? error : new StorageUnavailable(error);
  }
}

// PostgreSQL's text can't contain NUL. No stored text has one (D51), so a search for NUL must find nothing. It finds
// nothing with this character either.
const inPlaceOfNul = '\uFFFE';

/**
 * Converts a value for the driver.
 * @throws TypeError for a value that no column can store
 */
export function bind(value: Cell): Cell {
  const checked = checkCell(value);
  return typeof checked === 'string' ? checked.replaceAll('\u0000', inPlaceOfNul) : checked;
}

const int8 = pg.types.builtins.INT8;
const numeric = pg.types.builtins.NUMERIC;

/**
 * Reads whole numbers as numbers. Ours are all safe integers. The driver's default, which applies to all pools of a
 * program, is text.
 */
export const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (id, format) =>
  id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format as 'text');
