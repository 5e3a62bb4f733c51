import { sql } from 'kysely';
import { firstRow, query } from './query.ts';
import type { Cell, Reader, RecordTable, Row } from './store.ts';
import type { Unit } from './unit.ts';

/** A record as it is kept: the domain's own fields and the place in its list. */
export type Stored<R> = R & { readonly sequence: number; readonly version: number };

export interface Page<R> {
  readonly records: readonly Stored<R>[];
  readonly totalCount: number;
  readonly hasMore: boolean;
}

export interface PageRequest<C extends string> {
  readonly limit: number;
  /** Only records older than this sequence; null for the newest. */
  readonly before: number | null;
  readonly filters: Readonly<Partial<Record<C, string>>>;
}

export interface Table<R, C extends string> {
  insert(unit: Unit, record: R): Promise<Stored<R>>;
  find(unit: Unit, id: string): Promise<Stored<R> | undefined>;
  /** The same outside a unit, for a `prepare`. */
  peek(reader: Reader, platformId: string, id: string): Promise<Stored<R> | undefined>;
  /** Every record with that value in a filter column, oldest first. */
  where(unit: Unit, column: C, value: string): Promise<Stored<R>[]>;
  /** Replaces a record that was read in this unit; throws when somebody else replaced it meanwhile. */
  replace(unit: Unit, before: Stored<R>, after: R): Promise<Stored<R>>;
  remove(unit: Unit, record: Stored<R>): Promise<void>;
  /** A page, newest first; stable while records come and go, for it goes by sequence (D07). */
  page(unit: Unit, request: PageRequest<C>): Promise<Page<R>>;
}

interface TableFacts<R, C extends string> {
  readonly name: RecordTable;
  /** The columns that lists filter by or that must be unique, read off the record. */
  readonly columns: (record: R) => Readonly<Record<C, Cell> & Record<string, Cell>>;
  /**
   * What is counted beside the list in the same transaction, so that `totalCount` costs the same at a million records:
   * `*` for the list as a whole, and filter columns. Other combinations are counted when asked (D07).
   */
  readonly counted?: readonly (C | '*')[];
}

/**
 * One table per kind of record: what lists filter by is a column with an index, the rest is one JSON text. Every
 * statement is compiled once, and every one names the platform, so nothing crosses from one to another.
 */
export function recordTable<R extends { readonly id: string }, C extends string>(facts: TableFacts<R, C>): Table<R, C> {
  const { name } = facts;
  const counted = facts.counted ?? [];
  const find = query<{ platformId: string; id: string }>((db, p) =>
    db
      .selectFrom(name)
      .select(['sequence', 'version', 'body'])
      .where('platform_id', '=', p.platformId)
      .where('id', '=', p.id),
  );
  const remove = query<{ platformId: string; id: string }>((db, p) =>
    db.deleteFrom(name).where('platform_id', '=', p.platformId).where('id', '=', p.id),
  );
  const insert = memo((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) => db.insertInto(name).values(pick(p, columns))),
  );
  const replace = memo((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) =>
      db
        .updateTable(name)
        .set(pick(p, columns))
        .where('platform_id', '=', p['platform_id'] as string)
        .where('id', '=', p['id'] as string)
        .where('version', '=', p['read_version'] as number),
    ),
  );
  const select = memo((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) => {
      let built = db
        .selectFrom(name)
        .select(['sequence', 'version', 'body'])
        .where('platform_id', '=', p['platform_id'] as string);
      for (const column of columns) built = built.where(column, '=', p[column] as string);
      return built
        .where('sequence', '<', p['before'] as number)
        .orderBy('sequence', 'desc')
        .limit(p['limit'] as number);
    }),
  );
  const count = memo((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) => {
      let built = db.selectFrom(name).select(sql<number>`count(*)`.as('count'));
      built = built.where('platform_id', '=', p['platform_id'] as string);
      for (const column of columns) built = built.where(column, '=', p[column] as string);
      return built;
    }),
  );

  const toRow = (unit: Unit, record: R, sequence: number, version: number): Record<string, Cell> => {
    const { sequence: _sequence, version: _version, ...body } = record as Stored<R>;
    return {
      ...facts.columns(record),
      platform_id: unit.platformId,
      id: record.id,
      sequence,
      version,
      body: JSON.stringify(body),
    };
  };
  const counters = (record: R): string[] => {
    const columns = facts.columns(record);
    return counted.map((column) => (column === '*' ? name : counterName(name, column, String(columns[column]))));
  };

  const listed = async (unit: Unit, filters: Record<string, string>, before: number | null, limit: number) => {
    const columns = Object.keys(filters).sort();
    const parameters = { ...filters, platform_id: unit.platformId, before: before ?? Number.MAX_SAFE_INTEGER, limit };
    return (await select(columns)(unit, parameters)).rows.map(fromRow<R>);
  };

  const peek = async (reader: Reader, platformId: string, id: string): Promise<Stored<R> | undefined> => {
    const row = firstRow(await find(reader, { platformId, id }));
    return row === undefined ? undefined : fromRow<R>(row);
  };
  const counting = async (unit: Unit, filters: Record<string, string>): Promise<number> => {
    const columns = Object.keys(filters).sort();
    const result = await count(columns)(unit, { ...filters, platform_id: unit.platformId });
    return Number(firstRow(result)?.['count']);
  };

  return {
    async insert(unit, record) {
      const row = toRow(unit, record, unit.nextSequence(), 1);
      await insert(Object.keys(row))(unit, row);
      for (const counter of counters(record)) await addToCounter(unit, counter, 1);
      return { ...record, sequence: Number(row['sequence']), version: 1 };
    },
    find: (unit, id) => peek(unit, unit.platformId, id),
    peek,
    async where(unit, column, value) {
      return (await listed(unit, { [column]: value }, null, Number.MAX_SAFE_INTEGER)).reverse();
    },
    async replace(unit, before, after) {
      const row = toRow(unit, after, before.sequence, before.version + 1);
      const { affected } = await replace(Object.keys(row))(unit, { ...row, read_version: before.version });
      if (affected !== 1) throw new Error(`${before.id} was replaced by somebody else in the same unit`);
      const [was, is] = [counters(before), counters(after)];
      for (const counter of was) if (!is.includes(counter)) await addToCounter(unit, counter, -1);
      for (const counter of is) if (!was.includes(counter)) await addToCounter(unit, counter, 1);
      return { ...after, sequence: before.sequence, version: before.version + 1 };
    },
    async remove(unit, record) {
      await remove(unit, { platformId: unit.platformId, id: record.id });
      for (const counter of counters(record)) await addToCounter(unit, counter, -1);
    },
    async page(unit, { filters, before, limit }) {
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >;
      const found = await listed(unit, given, before, limit + 1);
      const [only, ...others] = Object.keys(given);
      const isCounted = others.length === 0 && counted.includes((only ?? '*') as C | '*');
      const totalCount = isCounted
        ? await readCounter(unit, only === undefined ? name : counterName(name, only, given[only] as string))
        : await counting(unit, given);
      return { records: found.slice(0, limit), hasMore: found.length > limit, totalCount };
    },
  };
}

const read = query<{ platformId: string; name: string }>((db, p) =>
  db.selectFrom('counters').select('count').where('platform_id', '=', p.platformId).where('name', '=', p.name),
);
const add = query<{ platformId: string; name: string; change: number }>((db, p) =>
  db
    .insertInto('counters')
    .values({ platform_id: p.platformId, name: p.name, count: p.change })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'name']).doUpdateSet({ count: sql`counters.count + excluded.count` }),
    ),
);

async function readCounter(unit: Unit, name: string): Promise<number> {
  return Number(firstRow(await read(unit, { platformId: unit.platformId, name }))?.['count'] ?? 0);
}

async function addToCounter(unit: Unit, name: string, change: 1 | -1): Promise<void> {
  await add(unit, { platformId: unit.platformId, name, change });
}

function counterName(table: string, column: string, value: string): string {
  return `${table} ${column} ${value}`;
}

function fromRow<R>(row: Row): Stored<R> {
  const body = JSON.parse(String(row['body'])) as R;
  return { ...body, sequence: Number(row['sequence']), version: Number(row['version']) };
}

function pick(parameters: Readonly<Record<string, Cell>>, columns: readonly string[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column) => [column, parameters[column] as Cell]));
}

/** One compiled query per set of columns. */
function memo(
  make: (
    columns: readonly string[],
  ) => (reader: Reader, parameters: Record<string, Cell>) => ReturnType<Reader['execute']>,
): typeof make {
  const made = new Map<string, ReturnType<typeof make>>();
  return (columns) => {
    const key = columns.join(' ');
    let found = made.get(key);
    if (found === undefined) {
      found = make(columns);
      made.set(key, found);
    }
    return found;
  };
}
