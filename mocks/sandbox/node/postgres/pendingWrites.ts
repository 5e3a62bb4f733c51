import type { Cell, Row, Statement } from '../../store/store.ts';
import { bind } from './connection.ts';
import { type Shape, uniqueColumns } from './shapes.ts';

/** A statement that can become part of a larger one, where its parameters have other numbers. */
export interface Write {
  readonly parameters: readonly Cell[];
  /** @param first the number of its first parameter. */
  readonly text: (first: number) => string;
  /** The number of records that it must change. */
  readonly expected?: number;
}

type Insertion = Extract<Shape, { does: 'insert' | 'change' }>;
type ReplacementShape = Extract<Shape, { does: 'replace' }>;

/** What a platform's row has besides its body. */
export interface PlatformNumbers {
  /** The last number that the platform gave. */
  readonly sequence: number;
  /** The instant of its latest write. */
  readonly latest: number;
}

type NewRow = Record<string, Cell>;

/** Rows of one table with the same columns. */
interface Rows {
  readonly shape: Insertion;
  readonly rows: Set<Row>;
}

/** A record that is inserted, replaced or removed. */
export interface Place {
  readonly table: string;
  readonly platformId: string;
  readonly id: string;
}

/** The new values of a record. */
interface Replacement extends Place {
  readonly values: NewRow;
  /** The version that the record had before. */
  readonly read: Cell;
}

/**
 * Writes whose result no unit reads. They are held back, so that the writes of many units go to the server in one
 * statement: the rows of a table together, the sums of counters, and the last number that a platform gave. A record is written once,
 * with its last values.
 */
export class PendingWrites {
  readonly #rows = new Map<string, Rows>();
  /** The records among the rows, by place. */
  readonly #inserted = new Map<string, { readonly rows: Rows; readonly row: NewRow }>();
  readonly #replacements = new Map<string, Replacement>();
  /** By table, because every insert asks whether its table has some. */
  readonly #removals = new Map<string, Map<string, Place>>();
  readonly #counters = new Map<string, Record<string, Cell> & { count: number }>();
  /** The numbers of each platform that has new ones. */
  readonly numbers = new Map<string, PlatformNumbers>();

  /**
   * Adds rows, or changes of counters. Call it only while no row {@link collides}.
   * @returns their number
   * @throws TypeError for a value that no column can store
   */
  addRows(shape: Insertion, parameters: readonly Cell[]): number {
    const { columns } = shape;
    const rows: NewRow[] = [];
    for (let start = 0; start < parameters.length; start += columns.length) {
      rows.push(rowOf(columns, parameters.slice(start, start + columns.length)));
    }
    if (shape.does === 'change') for (const row of rows) this.#count(row);
    else for (const row of rows) this.#insert(shape, row);
    return rows.length;
  }

  /**
   * Replaces a record that is in the store, or among these writes with the version that was read.
   * @throws TypeError for a value that no column can store
   */
  replace(place: Place, read: Cell, { columns }: ReplacementShape, parameters: readonly Cell[]): void {
    this.#replace({ ...place, read, values: rowOf(columns, parameters) });
  }

  /** Removes a record that is in the store, or among these writes. */
  remove({ table }: { readonly table: string }, parameters: readonly Cell[]): void {
    const [platformId, id] = parameters as [string, string];
    this.#remove({ table, platformId, id });
  }

  /** The version that a record has after these writes; null if they remove it, undefined if they don't concern it. */
  versionOf(place: Place): Cell | undefined {
    const key = keyOf(place);
    if (this.#removals.get(place.table)?.has(key)) return null;
    return this.#valuesOf(key)?.['version'];
  }

  /** Whether one of these rows may have an id, or another unique value, of a record that is removed here. */
  collides({ table, columns }: Insertion, parameters: readonly Cell[]): boolean {
    const removed = this.#removals.get(table);
    if (removed === undefined) return false;
    if (hasUniqueColumn(columns)) return true;
    const [platformId, id] = [columns.indexOf('platform_id'), columns.indexOf('id')];
    for (let start = 0; start < parameters.length; start += columns.length) {
      const [platform_id, own] = [parameters[start + platformId] as Cell, parameters[start + id] as Cell];
      if (removed.has(keyOfRow(table, { platform_id, id: own }))) return true;
    }
    return false;
  }

  /** The tables in which one of these new rows collides with a record that the writes before it remove. */
  collisionsWith(before: PendingWrites): readonly string[] {
    return [...this.#rows.values()].flatMap(({ shape: { table, columns }, rows }) => {
      const removed = before.#removals.get(table);
      if (removed === undefined) return [];
      const isOneTaken = hasUniqueColumn(columns) || [...rows].some((row) => removed.has(keyOfRow(table, row)));
      return isOneTaken ? [table] : [];
    });
  }

  /** Returns and removes the writes of these tables, or all. */
  take(tables?: readonly string[]): Write[] {
    const isTaken = (table: string): boolean => tables === undefined || tables.includes(table);
    const taken: Write[] = [];
    for (const [key, { shape, rows }] of this.#rows) {
      if (!isTaken(shape.table)) continue;
      if (rows.size > 0) taken.push(insertAll(shape, [...rows]));
      this.#rows.delete(key);
      for (const row of rows) this.#inserted.delete(keyOfRow(shape.table, row));
    }
    const replaced = [...this.#replacements].filter(([, { table }]) => isTaken(table));
    for (const [key] of replaced) this.#replacements.delete(key);
    taken.push(...replaceAll(replaced.map(([, replacement]) => replacement)));
    for (const [table, removed] of this.#removals) {
      if (!isTaken(table)) continue;
      taken.push(removeAll(table, [...removed.values()]));
      this.#removals.delete(table);
    }
    if (this.#counters.size > 0 && isTaken('counters')) {
      taken.push(insertAll(changes, [...this.#counters.values()]));
      this.#counters.clear();
    }
    if (this.numbers.size > 0 && isTaken('platforms')) {
      const rows = [...this.takeNumbers()].map(([id, numbers]) => ({ id, ...numbers }));
      taken.push({ parameters: [JSON.stringify(rows)], text: setNumbers });
    }
    return taken;
  }

  /** Returns and removes the last numbers, for a caller that stores them itself. */
  takeNumbers(): ReadonlyMap<string, PlatformNumbers> {
    const taken = new Map(this.numbers);
    this.numbers.clear();
    return taken;
  }

  /** Adds the writes of a later unit. */
  absorb(later: PendingWrites): void {
    for (const { shape, rows } of later.#rows.values()) for (const row of rows) this.#insert(shape, row as NewRow);
    for (const replacement of later.#replacements.values()) this.#replace(replacement);
    for (const removed of later.#removals.values()) for (const place of removed.values()) this.#remove(place);
    for (const row of later.#counters.values()) this.#count(row);
    for (const [platformId, numbers] of later.numbers) this.numbers.set(platformId, numbers);
    later.clear();
  }

  clear(): void {
    this.#rows.clear();
    this.#inserted.clear();
    this.#replacements.clear();
    this.#removals.clear();
    this.#counters.clear();
    this.numbers.clear();
  }

  #insert(shape: Insertion, row: NewRow): void {
    const key = `${shape.table} ${shape.columns.join(' ')}`;
    let found = this.#rows.get(key);
    if (found === undefined) {
      found = { shape, rows: new Set() };
      this.#rows.set(key, found);
    }
    found.rows.add(row);
    this.#inserted.set(keyOfRow(shape.table, row), { rows: found, row });
  }

  #valuesOf(key: string): NewRow | undefined {
    return this.#inserted.get(key)?.row ?? this.#replacements.get(key)?.values;
  }

  #replace(replacement: Replacement): void {
    const key = keyOf(replacement);
    const before = this.#valuesOf(key);
    if (before === undefined) this.#replacements.set(key, replacement);
    else Object.assign(before, replacement.values);
  }

  #remove(removal: Place): void {
    const key = keyOf(removal);
    const inserted = this.#inserted.get(key);
    this.#replacements.delete(key);
    if (inserted === undefined) {
      const removed = this.#removals.get(removal.table) ?? new Map<string, Place>();
      this.#removals.set(removal.table, removed.set(key, removal));
      return;
    }
    inserted.rows.rows.delete(inserted.row);
    this.#inserted.delete(key);
  }

  #count(row: Readonly<Record<string, Cell>>): void {
    const key = `${row['platform_id']} ${row['name']}`;
    const before = this.#counters.get(key)?.count ?? 0;
    this.#counters.set(key, { ...row, count: before + Number(row['count']) });
  }
}

function hasUniqueColumn(columns: readonly string[]): boolean {
  return columns.some((column) => uniqueColumns.has(column));
}

const changes = { does: 'change', table: 'counters', columns: ['platform_id', 'name', 'count'] } as const;

function rowOf(columns: readonly string[], values: readonly Cell[]): NewRow {
  return Object.fromEntries(columns.map((column, index) => [column, bindJson(values[index] as Cell)]));
}

function keyOf({ table, platformId, id }: Place): string {
  return `${table} ${platformId} ${id}`;
}

/** Rows that aren't records have no id. They share a key that no record has. */
function keyOfRow(table: string, { platform_id: platformId, id }: Row): string {
  return keyOf({ table, platformId: String(platformId), id: String(id) });
}

/** One write for all replacements of the same columns. It doesn't change a record that has another version than the one read. */
function replaceAll(replacements: readonly Replacement[]): Write[] {
  const alike = Map.groupBy(replacements, ({ table, values }) =>
    JSON.stringify([table, ...Object.keys(values).sort()]),
  );
  return [...alike.values()].map((some) => {
    const [{ table, values }] = some as [Replacement];
    const settings = Object.keys(values).map((column) => `"${column}" = given."${column}"`);
    const items = some.map(({ platformId, id, values: own, read }) => ({
      row: { ...own, platform_id: platformId, id },
      read,
    }));
    return {
      parameters: [JSON.stringify(items)],
      text: (first) => `update "${table}" set ${settings.join(', ')}
        from json_array_elements($${first}) as item, json_populate_record(null::"${table}", item->'row') as given
        where "${table}"."platform_id" = given."platform_id" and "${table}"."id" = given."id"
          and "${table}"."version" = (item->>'read')::bigint
        returning 1`,
      expected: some.length,
    };
  });
}

function removeAll(table: string, places: readonly Place[]): Write {
  return {
    parameters: [JSON.stringify(places.map(({ platformId, id }) => ({ platformId, id })))],
    text: (first) => `delete from "${table}" using json_to_recordset($${first}) as given ("platformId" text, id text)
      where "${table}"."platform_id" = given."platformId" and "${table}"."id" = given.id`,
  };
}

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
 * The text that stores the numbers of platforms. Its parameter is a JSON array with `id` and {@link PlatformNumbers}, which a platform
 * without new ones lacks.
 * @param first the number of the parameter
 */
export function setNumbers(first: number): string {
  return `update platforms set "sequence" = coalesce(given.sequence, platforms."sequence"),
      "latest" = coalesce(given.latest, platforms."latest")
    from json_to_recordset($${first}) as given (id text, sequence bigint, latest bigint) where platforms.id = given.id`;
}

/**
 * Combines writes into one statement. They see the store as it was before, so none may depend on another. The result is the
 * result of the last one. If one has an expected number, the statement fails unless it changes that number of records.
 */
export function inOne(writes: readonly Write[]): Statement {
  const parameters: Cell[] = [];
  const texts = writes.map(({ parameters: own, text }) => {
    const written = text(parameters.length + 1);
    parameters.push(...own);
    return written;
  });
  const checks = writes.flatMap(({ expected }, index) =>
    expected === undefined ? [] : check(`"w${index}"`, expected),
  );
  const last = checks.length > 0 ? `select ${checks.join(', ')}` : (texts.pop() as string);
  const before = texts.map((text, index) => `"w${index}" as (${text})`);
  return { sql: before.length === 0 ? last : `with ${before.join(', ')} ${last}`, parameters };
}

/** A server can't throw in an expression, but it refuses to read a text as a number, and shows the text. */
function check(write: string, expected: number): string {
  const count = `(select count(*) from ${write})`;
  const failure = `${count} || ' of ${expected} records had the version that was read'`;
  return `case when ${count} = ${expected} then 0 else cast(${failure} as integer) end`;
}

/** Converts a value as the driver would. The server's JSON refuses half of a surrogate pair, so it is replaced here. */
function bindJson(value: Cell): Cell {
  const bound = bind(value);
  return typeof bound === 'string' ? bound.toWellFormed() : bound;
}
