import type { Cell, Row, Statement } from '../../store/store.ts';
import { bind } from './connection.ts';
import type { Shape } from './shapes.ts';

/** A statement that can become part of a larger one, where its parameters have other numbers. */
export interface Write {
  readonly parameters: readonly Cell[];
  /** @param first the number of its first parameter. */
  readonly text: (first: number) => string;
}

type Insertion = Extract<Shape, { does: 'insert' | 'change' }>;

/** Rows of one table with the same columns. */
interface Rows {
  readonly shape: Insertion;
  readonly rows: Row[];
}

/**
 * Writes whose result no unit reads. They are held back, so that the writes of many units go to the server in one
 * statement: the rows of a table together, the sums of counters, and the last number that a platform gave.
 */
export class PendingWrites {
  readonly #rows = new Map<string, Rows>();
  readonly #counters = new Map<string, Record<string, Cell> & { count: number }>();
  /** The last number that each platform gave. */
  readonly numbers = new Map<string, number>();

  /**
   * Adds rows, or changes of counters.
   * @returns their number
   * @throws TypeError for a value that no column can store
   */
  addRows(shape: Insertion, parameters: readonly Cell[]): number {
    const { columns } = shape;
    const rows: Record<string, Cell>[] = [];
    for (let start = 0; start < parameters.length; start += columns.length) {
      const cells = columns.map((column, index) => [column, bindJson(parameters[start + index] as Cell)] as const);
      rows.push(Object.fromEntries(cells));
    }
    if (shape.does === 'change') for (const row of rows) this.#count(row);
    else this.#rowsOf(shape).push(...rows);
    return rows.length;
  }

  /** Returns and removes the writes of these tables, or all. */
  take(tables?: readonly string[]): Write[] {
    const isTaken = (table: string): boolean => tables === undefined || tables.includes(table);
    const taken: Write[] = [];
    for (const [key, { shape, rows }] of this.#rows) {
      if (!isTaken(shape.table)) continue;
      taken.push(insertAll(shape, rows));
      this.#rows.delete(key);
    }
    if (this.#counters.size > 0 && isTaken('counters')) {
      taken.push(insertAll(changes, [...this.#counters.values()]));
      this.#counters.clear();
    }
    if (this.numbers.size > 0 && isTaken('platforms')) {
      const rows = [...this.takeNumbers()].map(([id, sequence]) => ({ id, sequence }));
      taken.push({ parameters: [JSON.stringify(rows)], text: setNumbers });
    }
    return taken;
  }

  /** Returns and removes the last numbers, for a caller that stores them itself. */
  takeNumbers(): ReadonlyMap<string, number> {
    const taken = new Map(this.numbers);
    this.numbers.clear();
    return taken;
  }

  /** Adds the writes of a later unit. */
  absorb(later: PendingWrites): void {
    for (const { shape, rows } of later.#rows.values()) this.#rowsOf(shape).push(...rows);
    for (const row of later.#counters.values()) this.#count(row);
    for (const [platformId, sequence] of later.numbers) this.numbers.set(platformId, sequence);
    later.clear();
  }

  clear(): void {
    this.#rows.clear();
    this.#counters.clear();
    this.numbers.clear();
  }

  #rowsOf(shape: Insertion): Row[] {
    const key = `${shape.table} ${shape.columns.join(' ')}`;
    let found = this.#rows.get(key);
    if (found === undefined) {
      found = { shape, rows: [] };
      this.#rows.set(key, found);
    }
    return found.rows;
  }

  #count(row: Readonly<Record<string, Cell>>): void {
    const key = `${row['platform_id']} ${row['name']}`;
    const before = this.#counters.get(key)?.count ?? 0;
    this.#counters.set(key, { ...row, count: before + Number(row['count']) });
  }
}

const changes = { does: 'change', table: 'counters', columns: ['platform_id', 'name', 'count'] } as const;

/** The rows are one JSON text, so the text of the statement, and the server's work to parse it, doesn't grow with them. */
function insertAll({ does, table, columns }: Insertion, rows: readonly Row[]): Write {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const added =
    does === 'change'
      ? ' on conflict ("platform_id", "name") do update set "count" = counters.count + excluded.count'
      : '';
  return {
    parameters: [JSON.stringify(rows)],
    text: (first) =>
      `insert into "${table}" (${names}) select ${names} from json_populate_recordset(null::"${table}", $${first})${added}`,
  };
}

/**
 * The text that stores last numbers of platforms. Its parameter is a JSON array with `id` and `sequence`, which is null for a
 * platform that gave none.
 * @param first the number of the parameter
 */
export function setNumbers(first: number): string {
  return `update platforms set "sequence" = coalesce(given.sequence, platforms."sequence")
    from json_to_recordset($${first}) as given (id text, sequence bigint) where platforms.id = given.id`;
}

/** Combines writes, each for one table, into one statement. Its result is the result of the last one. */
export function inOne(writes: readonly Write[]): Statement {
  const parameters: Cell[] = [];
  const texts = writes.map(({ parameters: own, text }) => {
    const written = text(parameters.length + 1);
    parameters.push(...own);
    return written;
  });
  const last = texts.pop() as string;
  const before = texts.map((text, index) => `"w${index}" as (${text})`);
  return { sql: before.length === 0 ? last : `with ${before.join(', ')} ${last}`, parameters };
}

/** Converts a value as the driver would. The server's JSON refuses half of a surrogate pair, so it is replaced here. */
function bindJson(value: Cell): Cell {
  const bound = bind(value);
  return typeof bound === 'string' ? bound.toWellFormed() : bound;
}
