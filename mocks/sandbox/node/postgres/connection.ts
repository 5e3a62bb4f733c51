import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { checkCell } from '../../store/handle.ts';
import type { Cell, Result, Row, Schema, Statement } from '../../store/store.ts';
import { StorageUnavailable } from '../../tools/problem.ts';

/** A connection, or a pool of them. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Writes SQL for PostgreSQL and runs none. */
export const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Runs a statement, without a name: a named one belongs to one connection, which a pooler gives to others.
 * @throws what {@link ask} throws, TypeError for a parameter that no column holds.
 */
export async function send(queryable: Queryable, { sql, parameters }: Statement): Promise<Result> {
  const values = parameters.map(bind);
  const result = await ask(queryable, values.length === 0 ? { text: sql } : { text: sql, values });
  return { rows: result.rows, affected: result.rowCount ?? 0 };
}

/** @throws pg.DatabaseError of the server's own, StorageUnavailable when it could not be asked. */
export async function ask(queryable: Queryable, config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  try {
    return await queryable.query<Row>(config);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? error : new StorageUnavailable(error);
  }
}

// PostgreSQL has no NUL in text. None is stored (D51), so what is looked for by one is not there: nor by this in its place.
const inPlaceOfNul = '\uFFFE';

/**
 * A value as the driver takes it.
 * @throws TypeError for what no column holds.
 */
export function bind(value: Cell): Cell {
  const checked = checkCell(value);
  return typeof checked === 'string' ? checked.replaceAll('\u0000', inPlaceOfNul) : checked;
}

const int8 = pg.types.builtins.INT8;
const numeric = pg.types.builtins.NUMERIC;

/** Whole numbers as numbers: ours are all safe, and the driver's own way, for every pool of the program, is text. */
export const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (id, format) =>
  id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format as 'text');
