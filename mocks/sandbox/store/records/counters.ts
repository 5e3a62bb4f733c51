import { sql } from 'kysely';
import { memoize } from '../../../../contract/memoize.ts';
import { firstRow, query } from '../query.ts';
import type { Cell, Reader } from '../store.ts';
import type { Unit } from '../units/unit.ts';

// Counts and labels beside the records, so that a list needn't read the records to count them or to find a label.

const readCount = query<{ platformId: string; name: string }>((db, p) =>
  db.selectFrom('counters').select('count').where('platform_id', '=', p.platformId).where('name', '=', p.name),
);
const addCounts = severalRows((rows) =>
  query<Record<string, Cell>>((db, p) =>
    db
      .insertInto('counters')
      .values(
        rows.map(
          (row) =>
            ({ platform_id: p['platformId'], name: p[`name${row}`], count: p['change'] }) as Record<string, Cell>,
        ),
      )
      .onConflict((conflict) =>
        conflict.columns(['platform_id', 'name']).doUpdateSet({ count: sql`counters.count + excluded.count` }),
      ),
  ),
);

/** One compiled query per number of rows. */
function severalRows<Query>(make: (rows: readonly number[]) => Query): (count: number) => Query {
  return memoize((count) => make(Array.from({ length: count }, (_, row) => row)));
}

/** The count under a name. */
export async function readCounter(unit: Unit, name: string): Promise<number> {
  return Number(firstRow(await readCount(unit, { platformId: unit.rowsId, name }))?.['count'] ?? 0);
}

const addToOne = query<{ platformId: string; name: string; change: number }>((db, p) =>
  db
    .insertInto('counters')
    .values({ platform_id: p.platformId, name: p.name, count: p.change })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'name']).doUpdateSet({ count: sql`counters.count + excluded.count` }),
    ),
);

/** Changes the count under a name by any number. */
export async function addToCounter(reader: Reader, platformId: string, name: string, change: number): Promise<void> {
  await addToOne(reader, { platformId, name, change });
}

/** Changes the counts under several names. Each name is given once. */
export async function addToCounters(unit: Unit, names: readonly string[], change: 1 | -1): Promise<void> {
  if (names.length === 0) return;
  const named = Object.fromEntries(names.map((name, row) => [`name${row}`, name]));
  await addCounts(names.length)(unit.rows, { platformId: unit.rowsId, change, ...named });
}

/** The name of the count of a table's records with these values. */
export function counterName(table: string, columns: readonly string[], values: Readonly<Record<string, Cell>>): string {
  return [table, ...columns.flatMap((column) => [column, String(values[column])])].join(' ');
}

const insertLabels = severalRows((rows) =>
  query<Record<string, Cell>>((db, p) =>
    db.insertInto('labels').values(
      rows.map(
        (row) =>
          ({
            platform_id: p['platform_id'],
            name: p['name'],
            label: p[`label${row}`],
            sequence: p['sequence'],
          }) as Record<string, Cell>,
      ),
    ),
  ),
);

interface LabelRow {
  readonly platform_id: string;
  readonly name: string;
  readonly label: string;
  readonly sequence: number;
}

/** Gives a record labels that it doesn't have yet. */
export async function addLabels(unit: Unit, row: Omit<LabelRow, 'label'>, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  const named = Object.fromEntries(labels.map((label, index) => [`label${index}`, label]));
  await insertLabels(labels.length)(unit.rows, { ...row, ...named });
}

export const removeLabel = query<{ platform_id: string; name: string; label: string; sequence: number }>((db, p) =>
  db
    .deleteFrom('labels')
    .where('platform_id', '=', p.platform_id)
    .where('name', '=', p.name)
    .where('label', '=', p.label)
    .where('sequence', '=', p.sequence),
);
