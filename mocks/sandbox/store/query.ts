import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Cell, Reader, Result, Row, Schema, Statement } from './store.ts';

/** Stands for a parameter while a query is built, and is replaced at every run. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Parameters = Readonly<Record<string, Cell>>;

/**
 * A query built and compiled once per engine, then run with other parameters each time: compiling is most of what a
 * small query costs.
 * @param build makes the query from a builder and named parameters; it runs once and must not look at their values.
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

/** A number that stands in the query itself. */
export function literal(value: number): RawBuilder<number> {
  return sql.lit(value);
}

/**
 * A parameter as the number of rows at most. SQLite looks through a bare one at its value when it plans, and so plans
 * again for every run.
 */
export function limitOf(parameter: number): RawBuilder<number> {
  return sql<number>`cast(${parameter} as bigint)`;
}

/** The only row, or undefined. */
export function firstRow(result: Result): Row | undefined {
  return result.rows[0];
}
