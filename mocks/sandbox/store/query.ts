import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Cell, Reader, Result, Row, Schema, Statement } from './store.ts';

/** A placeholder for a parameter while a query is built. Each run replaces it. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Parameters = Readonly<Record<string, Cell>>;

/**
 * A query that is built and compiled once per engine, then run with other parameters each time. Compiling is most of
 * the cost of a small query.
 * @param build makes the query from a builder and named parameters. It runs once and must not use their values.
 */
export function query<P extends Parameters>(
  build: (builder: Kysely<Schema>, parameters: P) => Compilable,
): (reader: Reader, parameters: P) => Promise<Result> {
  const compiled = new WeakMap<object, { sql: string; slots: readonly unknown[] }>();
  const slots = new Proxy({}, { get: (_target, name) => new Slot(String(name)) }) as P;
  return (reader, parameters) => {
    let found = compiled.get(reader.builder);
    if (found === undefined) {
      const { sql, parameters: built } = build(reader.builder, slots).compile();
      found = { sql, slots: built };
      compiled.set(reader.builder, found);
    }
    const statement: Statement = {
      sql: found.sql,
      parameters: found.slots.map((slot) => (slot instanceof Slot ? (parameters[slot.name] ?? null) : (slot as Cell))),
    };
    return reader.execute(statement);
  };
}

/** A number that becomes part of the query's text. */
export function literal(value: number): RawBuilder<number> {
  return sql.lit(value);
}

/**
 * A parameter as the maximum number of rows. SQLite reads the value of a plain parameter when it plans, and so plans
 * again for every run.
 */
export function limitOf(parameter: number): RawBuilder<number> {
  return sql<number>`cast(${parameter} as bigint)`;
}

/** The only row, or undefined. */
export function firstRow(result: Result): Row | undefined {
  return result.rows[0];
}
