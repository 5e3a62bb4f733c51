import type { Cell, Row, Statement } from '../../store/store.ts';
import { bind } from './connection.ts';
import type { Shape } from './shapes.ts';

/** A statement whose text depends on where its parameters stand among others. */
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
 * Writes whose outcome nobody looks at, kept back so that those of many units go to the server in one statement: rows of a
 * table together, counters added up, and of the numbers that a platform gives the last.
 */
export class PendingWrites {
  readonly #rows = new Map<string, Rows>();
  readonly #counters = new Map<string, Record<string, Cell> & { count: number }>();
  /** The last number that the platform has given. */
  number: { readonly platformId: string; readonly sequence: number } | undefined;

  /**
   * Takes rows, or changes of counters.
   * @returns how many.
   * @throws TypeError for a value that no column holds.
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

  /** Gives away what it holds of these tables, or everything. */
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
    if (this.number !== undefined && isTaken('platforms')) {
      taken.push(setNumber(this.number));
      this.number = undefined;
    }
    return taken;
  }

  /** Adds what a later unit has left. */
  absorb(later: PendingWrites): void {
    for (const { shape, rows } of later.#rows.values()) this.#rowsOf(shape).push(...rows);
    for (const row of later.#counters.values()) this.#count(row);
    this.number = later.number ?? this.number;
    later.clear();
  }

  clear(): void {
    this.#rows.clear();
    this.#counters.clear();
    this.number = undefined;
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

/** The rows go as one JSON text, so the statement's own text, and with it the server's work, doesn't grow with them. */
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

function setNumber({ platformId, sequence }: NonNullable<PendingWrites['number']>): Write {
  return {
    parameters: [sequence, platformId],
    text: (first) => `update "platforms" set "sequence" = $${first} where "id" = $${first + 1}`,
  };
}

/** Several writes, of a table each, as one statement. Its result is that of the last. */
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

/** As the driver would send it. The server's JSON refuses half of a surrogate pair, which the driver replaces. */
function bindJson(value: Cell): Cell {
  const bound = bind(value);
  return typeof bound === 'string' ? bound.toWellFormed() : bound;
}
