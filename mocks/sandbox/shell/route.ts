import { basePath, type Match, matchRequest } from '../../../contract/match.ts';

/** An operation that was found, with what its address says. */
export type RouteMatch = Extract<Match, { kind: 'operation' }>;

// An address that reads as it is meant: nothing to decode, no dots to resolve, no empty segment.
const plain = /^https?:\/\/[a-z0-9.[\]:-]+(\/\d{4}-\d{2}-\d{2})((?:\/[\w:-][\w:.-]*)+)(?:\?([\w:.=&+-]*))?$/;

/**
 * The operation that a plain address names, at a fraction of the price of a `URL`: most requests are of this kind. Whatever is
 * not plain, or names none, is left to the router, which answers the same. `url` is the whole address.
 */
export function matchPlain(method: string, url: string): RouteMatch | undefined {
  const [, base, path, search] = plain.exec(url) ?? [];
  if (base !== basePath || path === undefined) return undefined;
  const match = matchRequest(method, path, search);
  // The router leaves the body of a HEAD away.
  return match.kind === 'operation' && match.operation.method === method ? match : undefined;
}
