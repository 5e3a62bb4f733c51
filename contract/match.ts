/** Finds the operation that a request means. */
import { type Operation, operations, version } from '../generated/operations.ts';
import { createPathTree, segmentsOf } from './paths.ts';

/** The base path of every operation (D04). */
export const basePath = `/${version}`;

/** Below this path, a sandbox answers the reads of the interface once more, for watchers (D43). */
export const watchPath = '/__sandbox/watch';

/** The meaning of a request below the base address. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: Operation;
      /** Path parameters, each decoded once. */
      readonly path: Readonly<Record<string, string>>;
      readonly query: URLSearchParams;
    }
  /** The contract has the path but not the method. `path` has the names of its parameters. */
  | { readonly kind: 'unknown-method'; readonly path: string; readonly methods: readonly string[] }
  /** No operation has the path. */
  | { readonly kind: 'unknown-path' }
  /** Path or query has a percent sign that doesn't start a UTF-8 escape. */
  | { readonly kind: 'malformed'; readonly in: 'path' | 'query' };

const tree = createPathTree<Operation>();
for (const operation of operations) tree.add(operation.method, operation.path, operation);
const noQuery = new URLSearchParams();
const noPath = { kind: 'unknown-path' } as const;

/**
 * Finds the operation of a request. Segments are compared exactly (D04): none is resolved, and none is empty. The path
 * is split first, then each segment is decoded once, so an encoded slash stays inside its segment (RFC 3986, 2.4).
 * `/agents/me` isn't the agent with the id "me", because literal segments come before parameters. HEAD means GET.
 * @param path the part after the base address, as it was sent.
 * @param search the query with or without its question mark, as it was sent.
 */
export function matchRequest(method: string, path: string, search = ''): Match {
  const undecodable = findUndecodable(path, search);
  if (undecodable !== undefined) return { kind: 'malformed', in: undecodable };
  const found = path.startsWith('/') ? tree.find(method, segmentsOf(path)) : noPath;
  if (found.kind === 'unknown-path') return found;
  const { route: operation, names, values } = found;
  const named = nameValues(names, values);
  if (named === undefined) return noPath;
  if (found.kind === 'unknown-method') return { kind: found.kind, path: operation.path, methods: found.methods };
  return { kind: 'operation', operation, path: named, query: search === '' ? noQuery : new URLSearchParams(search) };
}

/** Whether path or query has a percent sign that doesn't start an escape of UTF-8. */
export function findUndecodable(path: string, search: string): 'path' | 'query' | undefined {
  if (!isDecodable(path)) return 'path';
  return isDecodable(search) ? undefined : 'query';
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Splits a path at the first segment that is the version. Undefined if it has none.
 * @param path of a whole address, as it was sent.
 */
export function splitAtVersion(path: string): { readonly before: string; readonly path: string } | undefined {
  const at = segmentsOf(path).indexOf(version);
  if (at < 0) return undefined;
  const segments = path.split('/');
  const after = segments.slice(at + 2).map((segment) => `/${segment}`);
  return { before: segments.slice(0, at + 1).join('/'), path: after.join('') };
}

const idName = /^id$|Id$/;
const words = /^[a-z]+(?:-[a-z]+)+$/;

/**
 * The values by the names of their parameters. Undefined if an id is words with hyphens, such as `kyc-link`. No id
 * looks like that, but segments of paths do (R23), so the request means a path that doesn't exist (D45).
 * @param values one for each name.
 */
function nameValues(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] as string;
    if (idName.test(name) && words.test(value)) return undefined;
    named[name] = value;
  }
  return named;
}
