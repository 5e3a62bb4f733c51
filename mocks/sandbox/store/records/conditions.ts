import type { SelectQueryBuilder } from 'kysely';
import type { Cell, RecordTable, Schema } from '../store.ts';

/** Whole numbers, both limits included. A missing limit is open. */
export interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The filters of a list: names that distinguish compiled queries, and the values. */
export interface Conditions {
  readonly names: readonly string[];
  readonly parameters: Readonly<Record<string, Cell>>;
}

// Columns never contain this character, so the name can't be a column.
export const byLabel = '#label';
const lower = '>=';
const upper = '<=';

/** The conditions of a page request, or of a part of one. */
export function conditionsOf({
  filters,
  ranges = {},
  label,
}: {
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly ranges?: Readonly<Record<string, Range | undefined>>;
  readonly label?: string | undefined;
}): Conditions {
  const parameters: Record<string, Cell> = {};
  for (const [column, value] of Object.entries(filters)) if (value !== undefined) parameters[column] = value;
  for (const [column, range] of Object.entries(ranges)) {
    if (range?.from !== undefined) parameters[column + lower] = range.from;
    if (range?.to !== undefined) parameters[column + upper] = range.to;
  }
  if (label !== undefined) parameters[byLabel] = label;
  return { names: Object.keys(parameters).sort(), parameters };
}

/** Adds the conditions to a query. `p` replaces the values while the query is built. */
export function restrict<T extends SelectQueryBuilder<Schema, string, unknown>>(
  select: T,
  name: RecordTable,
  conditions: readonly string[],
  p: Readonly<Record<string, Cell>>,
): T {
  let built = select as SelectQueryBuilder<Schema, string, unknown>;
  for (const condition of conditions) {
    const value = p[condition] as string;
    if (condition === byLabel) {
      built = built
        .innerJoin('labels', (join) =>
          join
            .onRef('labels.platform_id', '=', `${name}.platform_id`)
            .onRef('labels.sequence', '=', `${name}.sequence`),
        )
        .where('labels.name', '=', name)
        .where('labels.label', '=', value);
    } else if (condition.endsWith(lower)) {
      built = built.where(`${name}.${condition.slice(0, -lower.length)}`, '>=', value);
    } else if (condition.endsWith(upper)) {
      built = built.where(`${name}.${condition.slice(0, -upper.length)}`, '<=', value);
    } else {
      built = built.where(`${name}.${condition}`, '=', value);
    }
  }
  return built.where(`${name}.platform_id`, '=', p['platform_id'] as string) as T;
}
