import type { Query, QueryClient } from '@tanstack/react-query';

/** Given to a query that costs the sandbox much: it is read again only if all has changed, or by its button. */
export const costly = { meta: { isCostly: true } } as const;

/** A list of which somebody has read more than this is not read again for a single change. */
const pageLimit = 3;

/** Reads what is shown again. @param isAll whether nothing is as it was, as after a reset. */
export function readAgain(queries: QueryClient, isAll = false): void {
  void queries.invalidateQueries(isAll ? {} : { predicate: (query) => !isCostly(query) });
}

function isCostly({ meta, state }: Query): boolean {
  const { pages } = (state.data ?? {}) as { pages?: unknown };
  return meta?.['isCostly'] === true || (Array.isArray(pages) && pages.length > pageLimit);
}
