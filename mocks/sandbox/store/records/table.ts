import { sql } from 'kysely';
import { memoize } from '../../../../contract/memoize.ts';
import { firstRow, limitOf, literal, query } from '../query.ts';
import type { Cell, Reader, RecordTable, Row } from '../store.ts';
import { readStored } from '../storedJson.ts';
import { nameOfExpiry, nameOfList, nameOfRecord } from '../units/memory.ts';
import { hide, isOpener } from '../units/rows.ts';
import type { Unit } from '../units/unit.ts';
import { byLabel, type Conditions, conditionsOf, type Range, restrict } from './conditions.ts';
import { addLabels, addToCounters, counterName, readCounter, removeLabel } from './counters.ts';
import { forgetPages, rememberPage } from './pages.ts';
import { bytesBesideBody, differenceOf, weightOfRow } from './weight.ts';

/** A stored record: the domain's own fields, and its place in the list. */
export type Stored<R> = R & { readonly sequence: number; readonly version: number };

export interface Page<R> {
  readonly records: readonly Stored<R>[];
  readonly totalCount: number;
  readonly hasMore: boolean;
}

export interface PageRequest<C extends string> {
  readonly limit: number;
  /** Only records after this sequence in the list's order; null to start at the beginning. */
  readonly before: number | null;
  /** Newest first if absent. */
  readonly order?: 'asc' | 'desc' | undefined;
  readonly filters: Readonly<Partial<Record<C, string>>>;
  /** Columns between two whole numbers, both included. A missing limit is open. */
  readonly ranges?: Readonly<Partial<Record<C, Range>>>;
  /** Only records with this label. */
  readonly label?: string | undefined;
}

export interface Table<R, C extends string> {
  insert(unit: Unit, record: R): Promise<Stored<R>>;
  find(unit: Unit, id: string): Promise<Stored<R> | undefined>;
  /** The records with these ids, in their order. Those that aren't known yet are read together. */
  findAll(unit: Unit, ids: readonly string[]): Promise<readonly Stored<R>[]>;
  /** As {@link Table.find}, but outside a unit, for a `prepare`. */
  peek(reader: Reader, rowsId: string, id: string): Promise<Stored<R> | undefined>;
  /** All records with that value in a filter column, oldest first. */
  where(unit: Unit, column: C, value: string): Promise<readonly Stored<R>[]>;
  /** Replaces a record that was read in this unit. Throws if it was replaced in the meantime. */
  replace(unit: Unit, before: Stored<R>, after: R): Promise<Stored<R>>;
  remove(unit: Unit, record: Stored<R>): Promise<void>;
  /**
   * Removes the records that expire up to `last`, in milliseconds. If there are none, it usually knows that without asking the
   * engine. Only for a table with an expiry, and without counts and labels.
   */
  removeExpired(unit: Unit, last: number): Promise<void>;
  /** Inserts a record with its old sequence, for a snapshot. */
  restore(unit: Unit, record: Stored<R>): Promise<void>;
  /** Up to `limit` records after a place in the sequence, oldest first; from the start if it is null. */
  after(unit: Unit, sequence: number | null, limit: number): Promise<readonly Stored<R>[]>;
  /** All matching records, newest first, read page by page, for an operation that needs all of them. */
  all(unit: Unit, request: Pick<PageRequest<C>, 'filters' | 'ranges'>): Promise<Stored<R>[]>;
  /** A page, newest first. It is stable while records are added and removed, because it follows the sequence (D07). */
  page(unit: Unit, request: PageRequest<C>): Promise<Page<R>>;
}

/** As a limit. */
const everything = Number.MAX_SAFE_INTEGER;
/** The number of records per read when all are read. */
const pageSize = 1000;
/** The parameters of a read of several records. There is one text for any number of them. */
const severalIds = Array.from({ length: 100 }, (_, index) => `id${index}`);

interface TableFacts<R, C extends string> {
  readonly name: RecordTable;
  /** The columns that lists filter by or that must be unique, computed from the record. */
  readonly columns: (record: R) => Readonly<Record<C, Cell> & Record<string, Cell>>;
  /**
   * What is counted in the same transaction, so that `totalCount` is as fast with a million records. `*` is the whole
   * list; others are filter columns, alone or together, with ids and codes. Other combinations are counted when a list
   * is read (D07).
   */
  readonly counted?: readonly (C | '*' | readonly C[])[];
  /** The filter columns whose {@link Table.where} stays known, also to later units, until one of its records changes. */
  readonly remembered?: readonly C[];
  /** The filter column with the instant at which a record expires, in milliseconds. */
  readonly expiry?: C;
  /** Runs after a record was replaced, or removed: `after` is then undefined. */
  readonly follow?: (unit: Unit, before: R, after: R | undefined) => Promise<void>;
  /** Words of a record that a list filters by. A record can have several. They have a separate index. */
  readonly labels?: (record: R) => readonly string[];
}

/**
 * One table per kind of record. The fields that lists filter by are columns with an index; all the rest is one JSON
 * text. Every statement is compiled once, and every statement names the platform, so platforms stay separate.
 */
export function recordTable<R extends { readonly id: string }, C extends string>(facts: TableFacts<R, C>): Table<R, C> {
  const { name } = facts;
  const counted = new Map(
    (facts.counted ?? []).map((entry) => {
      const columns: readonly string[] = entry === '*' ? [] : [entry].flat();
      return [columns.toSorted().join(' '), columns];
    }),
  );
  const find = query<{ platformId: string; id: string }>((db, p) =>
    db
      .selectFrom(name)
      .select(['sequence', 'version', 'body'])
      .where('platform_id', '=', p.platformId)
      .where('id', '=', p.id),
  );
  const findSeveral = query<Record<string, Cell>>((db, p) =>
    db
      .selectFrom(name)
      .select(['sequence', 'version', 'body'])
      .where('platform_id', '=', p['platformId'] as string)
      .where(
        'id',
        'in',
        severalIds.map((id) => p[id] as string),
      ),
  );
  const remove = query<{ platformId: string; id: string }>((db, p) =>
    db.deleteFrom(name).where('platform_id', '=', p.platformId).where('id', '=', p.id),
  );
  const insert = perColumns((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) => db.insertInto(name).values(pick(p, columns))),
  );
  const replace = perColumns((columns: readonly string[]) =>
    query<Record<string, Cell>>((db, p) =>
      db
        .updateTable(name)
        // Unchanged columns aren't set, because an engine updates the index of every column that is, changed or not.
        .set(pick(p, columns))
        .where('platform_id', '=', p['platform_id'] as string)
        .where('id', '=', p['id'] as string)
        .where('version', '=', p['read_version'] as number),
    ),
  );
  const { expiry, remembered = [] } = facts;
  const removeUpTo = query<{ platformId: string; last: number }>((db, p) =>
    db
      .deleteFrom(name)
      .where('platform_id', '=', p.platformId)
      .where(expiry as string, '<=', p.last),
  );
  // Without the bodies, which can be many.
  const expired = query<{ platformId: string; last: number }>((db, p) =>
    db
      .selectFrom(name)
      .select(['id', ...remembered])
      .select(sql<number>`octet_length(body)`.as('bytes'))
      .where('platform_id', '=', p.platformId)
      .where(expiry as string, '<=', p.last),
  );
  const soonest = query<{ platformId: string }>((db, p) =>
    db
      .selectFrom(name)
      .select(sql.ref<number>(expiry as string).as('expiry'))
      .where('platform_id', '=', p.platformId)
      .orderBy(expiry as string)
      .limit(literal(1)),
  );
  const selectIn = (order: 'asc' | 'desc') =>
    perColumns((conditions: readonly string[]) =>
      query<Record<string, Cell>>((db, p) =>
        restrict(db.selectFrom(name).select(recordColumns(name)), name, conditions, p)
          .where(`${name}.sequence`, order === 'desc' ? '<' : '>', p['beyond'] as number)
          .orderBy(conditions.includes(byLabel) ? 'labels.sequence' : `${name}.sequence`, order)
          .limit(limitOf(p['limit'] as number)),
      ),
    );
  const select = { asc: selectIn('asc'), desc: selectIn('desc') };
  const count = perColumns((conditions: readonly string[]) =>
    query<Record<string, Cell>>((db, p) =>
      restrict(db.selectFrom(name).select(sql<number>`count(*)`.as('count')), name, conditions, p),
    ),
  );

  const toRow = (unit: Unit, record: R, sequence: number, version: number): Record<string, Cell> => {
    const { sequence: _sequence, version: _version, ...body } = record as Stored<R>;
    const columns: Record<string, Cell> = { ...facts.columns(record) };
    if (unit.isHidden) hideOpener(columns, unit.rowsId);
    return {
      ...columns,
      platform_id: unit.rowsId,
      id: record.id,
      sequence,
      version,
      body: JSON.stringify(body),
    };
  };
  /** Nobody may find a platform by a record that isn't the platform's yet. */
  const hideOpener = (columns: Record<string, Cell>, rowsId: string): void => {
    for (const column in columns) {
      const value = columns[column];
      if (isOpener(name, column) && typeof value === 'string') columns[column] = hide(rowsId, value);
    }
  };
  const counters = (record: R): string[] => {
    const columns = facts.columns(record);
    return [...counted.values()].map((some) => counterName(name, some, columns));
  };

  const listed = async (
    unit: Unit,
    conditions: Conditions,
    { beyond, limit, order = 'desc' }: { beyond: number | null; limit: number; order?: 'asc' | 'desc' | undefined },
  ) => {
    const start = order === 'desc' ? Number.MAX_SAFE_INTEGER : -1;
    const parameters = { ...conditions.parameters, platform_id: unit.rowsId, beyond: beyond ?? start, limit };
    return (await select[order](conditions.names)(unit, parameters)).rows.map((row) => fromRow<R>(name, row));
  };
  const relabel = async (
    unit: Unit,
    sequence: number,
    was: readonly string[],
    is: readonly string[],
  ): Promise<void> => {
    const row = { platform_id: unit.rowsId, name, sequence };
    for (const label of without(was, is)) await removeLabel(unit.rows, { ...row, label });
    await addLabels(unit, row, without(is, was));
  };
  const labels = facts.labels ?? (() => []);

  const peek = async (reader: Reader, platformId: string, id: string): Promise<Stored<R> | undefined> => {
    const row = firstRow(await find(reader, { platformId, id }));
    return row === undefined ? undefined : fromRow<R>(name, row);
  };
  const know = (unit: Unit, record: Stored<R>): Stored<R> => {
    unit.memory.set(nameOfRecord(name, record.id), record);
    return record;
  };
  const forgetListsOf = (unit: Unit, columns: Row): void => {
    for (const column of remembered) unit.memory.set(nameOfList(name, column, String(columns[column])), undefined);
  };
  /** Call this for a new, changed or removed record. */
  const forgetLists = (unit: Unit, record: R): void => {
    forgetPages(unit, name);
    if (remembered.length > 0) forgetListsOf(unit, facts.columns(record));
  };
  /** The soonest expiry stays known. It may be that of a record which was removed meanwhile. */
  const noteExpiry = (unit: Unit, record: R): void => {
    if (expiry === undefined) return;
    const known = unit.memory.get(nameOfExpiry(name)) as number | undefined;
    const own = Number(facts.columns(record)[expiry]);
    if (known !== undefined && own < known) unit.memory.set(nameOfExpiry(name), own);
  };
  const place = async (unit: Unit, record: R, sequence: number, version: number): Promise<void> => {
    const row = toRow(unit, record, sequence, version);
    await insert(Object.keys(row))(unit.rows, row);
    unit.weigh(weightOfRow(row));
    forgetLists(unit, record);
    noteExpiry(unit, record);
    await addToCounters(unit, counters(record), 1);
    await relabel(unit, sequence, [], labels(record));
  };
  const counting = async (unit: Unit, { names, parameters }: Conditions): Promise<number> => {
    const result = await count(names)(unit, { ...parameters, platform_id: unit.rowsId });
    return Number(firstRow(result)?.['count']);
  };

  /** How many records match. Other combinations than the counted ones cost a read of the index, until a record changes. */
  const totalOf = async (unit: Unit, conditions: Conditions): Promise<number> => {
    const columns = counted.get(conditions.names.join(' '));
    if (columns !== undefined) return readCounter(unit, counterName(name, columns, conditions.parameters));
    const find = async () => ({ records: [], count: await counting(unit, conditions) });
    return (await rememberPage(unit, name, [conditions.parameters], find)).count;
  };

  return {
    async insert(unit, record) {
      const sequence = unit.nextSequence();
      await place(unit, record, sequence, 1);
      return know(unit, { ...record, sequence, version: 1 });
    },
    async restore(unit, record) {
      await place(unit, record, record.sequence, record.version);
      unit.memory.set(nameOfRecord(name, record.id), undefined);
    },
    async find(unit, id) {
      unit.looked.add(name);
      const known = unit.memory.get(nameOfRecord(name, id));
      if (known !== undefined) return known as Stored<R>;
      const found = await peek(unit, unit.rowsId, id);
      if (found !== undefined) know(unit, found);
      return found;
    },
    async findAll(unit, ids) {
      unit.looked.add(name);
      const knownOf = (id: string) => unit.memory.get(nameOfRecord(name, id)) as Stored<R> | undefined;
      const unknown = ids.filter((id) => knownOf(id) === undefined);
      for (let start = 0; start < unknown.length; start += severalIds.length) {
        // The last id fills the places that are left.
        const asked = severalIds.map((place, index) => [place, unknown[start + index] ?? (unknown.at(-1) as string)]);
        const { rows } = await findSeveral(unit, { ...Object.fromEntries(asked), platformId: unit.rowsId });
        for (const row of rows) know(unit, fromRow<R>(name, row));
      }
      return ids.map(knownOf).filter((found) => found !== undefined);
    },
    peek,
    async where(unit, column, value) {
      const isRemembered = remembered.includes(column);
      const list = nameOfList(name, column, value);
      unit.looked.add(name);
      const known = isRemembered ? (unit.memory.get(list) as readonly Stored<R>[] | undefined) : undefined;
      if (known !== undefined) return known;
      const filters = { [column]: unit.isHidden && isOpener(name, column) ? hide(unit.rowsId, value) : value };
      const found = await listed(unit, conditionsOf({ filters }), {
        beyond: null,
        limit: everything,
        order: 'asc',
      });
      if (isRemembered) unit.memory.set(list, found);
      return found;
    },
    async replace(unit, before, after) {
      const row = toRow(unit, after, before.sequence, before.version + 1);
      const columns: Readonly<Record<string, Cell>> = facts.columns(before);
      const changed = Object.keys(columns).filter((column) => columns[column] !== row[column]);
      const update = replace([...changed, 'version', 'body']);
      const { affected } = await update(unit.rows, { ...row, read_version: before.version });
      if (affected !== 1) throw new Error(`${before.id} was replaced by somebody else in the same unit`);
      unit.weigh(differenceOf(before, after));
      if (changed.length > 0) {
        const [was, is] = [counters(before), counters(after)];
        await addToCounters(unit, without(was, is), -1);
        await addToCounters(unit, without(is, was), 1);
      }
      await relabel(unit, before.sequence, labels(before), labels(after));
      forgetLists(unit, before);
      if (changed.length > 0) {
        forgetLists(unit, after);
        noteExpiry(unit, after);
      }
      const known = know(unit, { ...after, sequence: before.sequence, version: before.version + 1 });
      await facts.follow?.(unit, before, known);
      return known;
    },
    async remove(unit, record) {
      await remove(unit.rows, { platformId: unit.rowsId, id: record.id });
      unit.weigh(-weightOfRow(toRow(unit, record, record.sequence, record.version)));
      unit.memory.set(nameOfRecord(name, record.id), undefined);
      forgetLists(unit, record);
      await addToCounters(unit, counters(record), -1);
      await relabel(unit, record.sequence, labels(record), []);
      await facts.follow?.(unit, record, undefined);
    },
    async removeExpired(unit, last) {
      const known = unit.memory.get(nameOfExpiry(name)) as number | undefined;
      if (known !== undefined && known > last) return;
      const platformId = unit.rowsId;
      const { rows } = await expired(unit, { platformId, last });
      if (rows.length > 0) {
        await removeUpTo(unit.rows, { platformId, last });
        forgetPages(unit, name);
      }
      for (const row of rows) {
        unit.weigh(-(Number(row['bytes']) + bytesBesideBody));
        unit.memory.set(nameOfRecord(name, String(row['id'])), undefined);
        forgetListsOf(unit, row);
      }
      const next = firstRow(await soonest(unit, { platformId }));
      unit.memory.set(nameOfExpiry(name), Number(next?.['expiry'] ?? Number.POSITIVE_INFINITY));
    },
    after: (unit, beyond, limit) => listed(unit, conditionsOf({ filters: {} }), { beyond, limit, order: 'asc' }),
    async all(unit, request) {
      const conditions = conditionsOf(request);
      const found: Stored<R>[] = [];
      for (;;) {
        const page = await listed(unit, conditions, { beyond: found.at(-1)?.sequence ?? null, limit: pageSize });
        found.push(...page);
        if (page.length < pageSize) return found;
      }
    },
    async page(unit, request) {
      unit.looked.add(name);
      const conditions = conditionsOf(request);
      const { before: beyond, limit, order } = request;
      return rememberPage(unit, name, [conditions.parameters, beyond, limit, order], async () => {
        // Both statements at once, because on PostgreSQL each waits for the other machine.
        const [found, totalCount] = await Promise.all([
          listed(unit, conditions, { beyond, limit: limit + 1, order }),
          totalOf(unit, conditions),
        ]);
        return { records: found.slice(0, limit), hasMore: found.length > limit, totalCount };
      });
    },
  };
}

/** A table of any kind of record. */
export type AnyTable = Table<{ readonly id: string }, never>;

/** The columns that a record is read from. The filter columns only repeat its body. */
function recordColumns(name: RecordTable): `${RecordTable}.${'sequence' | 'version' | 'body'}`[] {
  return [`${name}.sequence`, `${name}.version`, `${name}.body`];
}

function fromRow<R>(name: RecordTable, row: Row): Stored<R> {
  const body = readStored<R>(row, 'body', `The record ${row['sequence']} of ${name}`);
  return { ...body, sequence: Number(row['sequence']), version: Number(row['version']) };
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  return others.length === 0 ? some : some.filter((one) => !others.includes(one));
}

function pick(parameters: Readonly<Record<string, Cell>>, columns: readonly string[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column) => [column, parameters[column] as Cell]));
}

/** One compiled query per set of columns. */
function perColumns<Query>(make: (columns: readonly string[]) => Query): (columns: readonly string[]) => Query {
  return memoize(make, (columns) => columns.join(' '));
}
