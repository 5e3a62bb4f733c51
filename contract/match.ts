/** Which operation of the contract a request means. */
import { type Operation, operations, version } from '../generated/operations.ts';
import { createPathTree, segmentsOf } from './paths.ts';

/** The path that every operation's own path is appended to (D04). */
export const basePath = `/${version}`;

/** What a request below the base address is about. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: Operation;
      /** Path parameters, each decoded once. */
      readonly path: Readonly<Record<string, string>>;
      readonly query: URLSearchParams;
    }
  /** The path is of the contract, the method is not. `path` has the names of its parameters. */
  | { readonly kind: 'unknown-method'; readonly path: string; readonly methods: readonly string[] }
  /** No operation has the path. */
  | { readonly kind: 'unknown-path' }
  /** Path or query has a percent sign that does not begin an escape of UTF-8. */
  | { readonly kind: 'malformed'; readonly in: 'path' | 'query' };

const tree = createPathTree<Operation>();
for (const operation of operations) tree.add(operation.method, operation.path, operation);
const noQuery = new URLSearchParams();
const noPath = { kind: 'unknown-path' } as const;

/**
 * Finds what a request means. Segments are compared exactly (D04): nothing is resolved, none is empty. Each is decoded once,
 * after the path was split, so an encoded slash stays inside its segment (RFC 3986, 2.4). `/agents/me` is not the agent
 * with the id "me": literal segments come before parameters. HEAD means GET.
 * @param path what follows the base address, as it was sent.
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

/** Which of the two has a percent sign that does not begin an escape of UTF-8. */
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
 * What follows the first segment that is the version, and what is before it. Undefined where none is.
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
 * The values by the names of their parameters. Undefined where an id is words with hyphens, such as `kyc-link`: no
 * id looks like that, but segments of paths do (R23), so somebody means a path that is not there (D45).
 */
function nameValues(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? '';
    if (idName.test(name) && words.test(value)) return undefined;
    named[name] = value;
  }
  return named;
}
