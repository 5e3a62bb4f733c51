/** Which operation of the contract a request means. */
import { type Operation, operations, version } from '../generated/operations.ts';

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

/** An operation, and the names of its path's parameters in their order. */
interface Leaf {
  readonly operation: Operation;
  readonly names: readonly string[];
}

/** What is below one segment of a path. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly leaves: Map<string, Leaf>;
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, leaves: new Map() });
const root = growTree();
const noQuery = new URLSearchParams();

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
  const values: string[] = [];
  const node = path.startsWith('/') ? walk(root, segmentsOf(path), 0, values) : undefined;
  const leaf = node?.leaves.get(method === 'HEAD' ? 'GET' : method);
  if (leaf !== undefined) {
    const named = nameValues(leaf, values);
    if (named === undefined) return { kind: 'unknown-path' };
    return {
      kind: 'operation',
      operation: leaf.operation,
      path: named,
      query: search === '' ? noQuery : new URLSearchParams(search),
    };
  }
  const [other] = node?.leaves.values() ?? [];
  if (node === undefined || other === undefined || nameValues(other, values) === undefined) {
    return { kind: 'unknown-path' };
  }
  return { kind: 'unknown-method', path: other.operation.path, methods: [...node.leaves.keys()] };
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

function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/');
  return path.includes('%') ? segments.map(decode) : segments;
}

/** A segment whose escapes are none stays as it is. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function growTree(): Node {
  const grown = newNode();
  for (const operation of operations as readonly Operation[]) {
    const names: string[] = [];
    let node = grown;
    for (const segment of operation.path.split('/').slice(1)) {
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1));
        node = node.parameter ??= newNode();
      } else {
        const next: Node = node.literals.get(segment) ?? newNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    node.leaves.set(operation.method, { operation, names });
  }
  return grown;
}

function walk(node: Node, segments: readonly string[], index: number, values: string[]): Node | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.leaves.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : walk(literal, segments, index + 1, values);
  if (found !== undefined || node.parameter === undefined || isNoValue(segment)) return found;
  values.push(segment);
  const below = walk(node.parameter, segments, index + 1, values);
  if (below === undefined) values.pop();
  return below;
}

/** Segments that no parameter takes: an empty one, and dots, which other readers would resolve (D04). */
function isNoValue(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

const idName = /^id$|Id$/;
const words = /^[a-z]+(?:-[a-z]+)+$/;

/**
 * The values by the names of their parameters. Undefined where an id is words with hyphens, such as `kyc-link`: no
 * id looks like that, but segments of paths do (R23), so somebody means a path that is not there (D45).
 */
function nameValues({ names }: Leaf, values: readonly string[]): Record<string, string> | undefined {
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? '';
    if (idName.test(name) && words.test(value)) return undefined;
    named[name] = value;
  }
  return named;
}
