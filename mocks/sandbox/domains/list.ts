import { invalid } from '../kernel/problem.ts';
import type { Stored, Table } from '../store/table.ts';
import type { Unit } from '../store/unit.ts';

/** The list envelope (INTERFACE, List envelope). */
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
  /** By column of the table; an undefined one does not filter. */
  readonly filters: Readonly<Record<C, string | undefined>>;
}

/**
 * One page of a table, newest first, in the envelope (D07).
 * @throws Problem 400 `INVALID_INPUT` for a cursor that is damaged or was made for another list.
 */
export async function listPage<R, C extends string, F extends C, View>(
  unit: Unit,
  table: Table<R, C>,
  request: ListRequest<F>,
  view: (record: Stored<R>) => View,
): Promise<ListReply<View>> {
  const filters: Partial<Record<C, string>> = {};
  for (const [column, value] of Object.entries<string | undefined>(request.filters)) {
    if (value !== undefined) filters[column as C] = value;
  }
  const scope = { platformId: unit.platformId, operationId: request.operation.id, filters };
  const page = await table.page(unit, { limit: request.limit, before: position(unit, scope, request.cursor), filters });
  const last = page.records.at(-1);
  return {
    data: page.records.map(view),
    hasMore: page.hasMore,
    ...(page.hasMore && last !== undefined ? { nextCursor: unit.cursors.write(scope, last.sequence) } : {}),
    totalCount: page.totalCount,
  };
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
