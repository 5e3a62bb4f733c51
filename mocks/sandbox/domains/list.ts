import { parseTimestamp } from '../../../contract/timestamps.ts';
import type { Range } from '../store/records/conditions.ts';
import type { Stored, Table } from '../store/records/table.ts';
import type { Unit } from '../store/units/unit.ts';
import { invalid } from '../tools/problem.ts';

/** The list envelope (D07). */
export interface ListReply<View> {
  data: View[];
  hasMore: boolean;
  nextCursor?: string;
  totalCount: number;
}

export interface ListRequest<C extends string> {
  readonly operation: { readonly id: string };
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Values by column of the table. An undefined value doesn't filter. */
  readonly filters: Readonly<Partial<Record<C, string | undefined>>>;
  /** By column: two timestamps as they were sent, both included. */
  readonly ranges?: Readonly<Partial<Record<C, TimeRange>>>;
  readonly label?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}

export interface TimeRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * One page of a table, newest first, in the envelope (D07).
 * @throws Problem 400 `INVALID_INPUT` for a cursor that is damaged or was made for another list.
 */
export async function listPage<R, C extends string, F extends C, View>(
  unit: Unit,
  table: Table<R, C>,
  request: ListRequest<F>,
  view: (record: Stored<R>) => View | Promise<View>,
): Promise<ListReply<View>> {
  const { limit, cursor, filters, ranges, label, order } = request;
  const shape = { filters, ranges, label, order };
  const scope = { platformId: unit.platformId, operationId: request.operation.id, filters: shape };
  const page = await table.page(unit, {
    limit,
    before: position(unit, scope, cursor),
    filters: filters as Partial<Record<C, string>>,
    ranges: readRanges(ranges) as Partial<Record<C, Range>>,
    label,
    order,
  });
  const data: View[] = [];
  for (const record of page.records) data.push(await view(record));
  const last = page.records.at(-1);
  return {
    data,
    hasMore: page.hasMore,
    ...(page.hasMore && last !== undefined ? { nextCursor: unit.cursors.write(scope, last.sequence) } : {}),
    totalCount: page.totalCount,
  };
}

/**
 * One page of items that have no table, in the given order, in the same envelope.
 * @throws Problem 400 `INVALID_INPUT` as {@link listPage} does.
 */
export function listItems<Item, View>(
  unit: Unit,
  items: readonly Item[],
  request: Pick<ListRequest<never>, 'operation' | 'limit' | 'cursor'> & {
    readonly filters: Readonly<Record<string, unknown>>;
  },
  view: (item: Item) => View,
): ListReply<View> {
  const { limit, cursor, filters } = request;
  const scope = { platformId: unit.platformId, operationId: request.operation.id, filters };
  const from = position(unit, scope, cursor) ?? 0;
  const hasMore = items.length > from + limit;
  return {
    data: items.slice(from, from + limit).map(view),
    hasMore,
    ...(hasMore ? { nextCursor: unit.cursors.write(scope, from + limit) } : {}),
    totalCount: items.length,
  };
}

/** Reads the timestamps, which are already validated. If a start has a fraction of a millisecond, it is rounded up. */
function readRanges(ranges: Readonly<Partial<Record<string, TimeRange>>> = {}): Record<string, Range> {
  const instant = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : (parseTimestamp(text) ?? undefined);
  const start = (text: string | undefined): number | undefined => {
    const from = instant(text);
    return from === undefined || !/\.\d{3}0*[1-9]/.test(text ?? '') ? from : from + 1;
  };
  return Object.fromEntries(
    Object.entries(ranges).map(([column, range]) => [column, { from: start(range?.from), to: instant(range?.to) }]),
  );
}

function position(
  unit: Unit,
  scope: Parameters<Unit['cursors']['read']>[0],
  cursor: string | undefined,
): number | null {
  if (cursor === undefined) return null;
  const sequence = unit.cursors.read(scope, cursor);
  if (sequence === null) {
    const message = 'is not a cursor of this list with these filters; start again without a cursor';
    throw invalid([{ in: 'query', pointer: '/cursor', message }]);
  }
  return sequence;
}
