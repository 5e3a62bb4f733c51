import type { Query, QueryClient } from '@tanstack/react-query';

/** For a query that costs the sandbox much. It is read again only after a full change, or by its button. */
export const costly = { meta: { isCostly: true } } as const;

/** If a user has read more pages of a list than this, a single change doesn't reload the list. */
const pageLimit = 3;

/** Reads what is shown again. @param isAll whether everything may have changed, for example after a reset. */
export function readAgain(queries: QueryClient, isAll = false): void {
  void queries.invalidateQueries(isAll ? {} : { predicate: (query) => !isCostly(query) });
}

function isCostly({ meta, state }: Query): boolean {
  const { pages } = (state.data ?? {}) as { pages?: unknown };
  return meta?.['isCostly'] === true || (Array.isArray(pages) && pages.length > pageLimit);
}
