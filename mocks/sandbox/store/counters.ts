import { sql } from 'kysely';
import { firstRow, query } from './query.ts';
import type { Cell } from './store.ts';
import type { Unit } from './unit.ts';

// What is kept beside the records so that a list need not look at them: how many there are, and which have a label.

const readCount = query<{ platformId: string; name: string }>((db, p) =>
  db.selectFrom('counters').select('count').where('platform_id', '=', p.platformId).where('name', '=', p.name),
);
const addCount = query<{ platformId: string; name: string; change: number }>((db, p) =>
  db
    .insertInto('counters')
    .values({ platform_id: p.platformId, name: p.name, count: p.change })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'name']).doUpdateSet({ count: sql`counters.count + excluded.count` }),
    ),
);

/** What has been counted under a name. */
export async function readCounter(unit: Unit, name: string): Promise<number> {
  return Number(firstRow(await readCount(unit, { platformId: unit.platformId, name }))?.['count'] ?? 0);
}

export async function addToCounter(unit: Unit, name: string, change: 1 | -1): Promise<void> {
  await addCount(unit, { platformId: unit.platformId, name, change });
}

/** The name under which the records of a table with these values are counted. */
export function counterName(table: string, columns: readonly string[], values: Readonly<Record<string, Cell>>): string {
  return [table, ...columns.flatMap((column) => [column, String(values[column])])].join(' ');
}

export const addLabel = query<{ platform_id: string; name: string; label: string; sequence: number }>((db, p) =>
  db.insertInto('labels').values({ platform_id: p.platform_id, name: p.name, label: p.label, sequence: p.sequence }),
);
export const removeLabel = query<{ platform_id: string; name: string; label: string; sequence: number }>((db, p) =>
  db
    .deleteFrom('labels')
    .where('platform_id', '=', p.platform_id)
    .where('name', '=', p.name)
    .where('label', '=', p.label)
    .where('sequence', '=', p.sequence),
);
