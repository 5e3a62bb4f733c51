/** Finds the route for a path, for the contract's operations and for other routes. */

/** The result for a path and a method. */
export type FoundRoute<Route> =
  | {
      readonly kind: 'route';
      readonly route: Route;
      /** The names of the path's parameters in their order. */
      readonly names: readonly string[];
      /** Their values, in the same order. */
      readonly values: readonly string[];
    }
  /** The path exists, but not the method. `route` is any route of the path. */
  | {
      readonly kind: 'unknown-method';
      readonly route: Route;
      readonly methods: readonly string[];
      readonly names: readonly string[];
      readonly values: readonly string[];
    }
  | { readonly kind: 'unknown-path' };

export interface PathTree<Route> {
  /** @param path starts with a slash; a segment in braces is a parameter. */
  add(method: string, path: string, route: Route): void;
  /**
   * Segments are compared exactly: none is resolved, and literal segments come before parameters. HEAD means GET.
   * @param segments each decoded once.
   */
  find(method: string, segments: readonly string[]): FoundRoute<Route>;
}

/** A route, and the names of its path's parameters in their order. */
interface Leaf<Route> {
  readonly route: Route;
  readonly names: readonly string[];
}

/** The tree below one segment of a path. */
interface Node<Route> {
  readonly literals: Map<string, Node<Route>>;
  parameter: Node<Route> | undefined;
  readonly leaves: Map<string, Leaf<Route>>;
}

export function createPathTree<Route>(): PathTree<Route> {
  const root = newNode<Route>();
  return {
    add(method, path, route) {
      const names: string[] = [];
      let node = root;
      for (const segment of path.split('/').slice(1)) {
        if (segment.startsWith('{')) {
          names.push(segment.slice(1, -1));
          node = node.parameter ??= newNode();
        } else {
          const next = node.literals.get(segment) ?? newNode<Route>();
          node.literals.set(segment, next);
          node = next;
        }
      }
      node.leaves.set(method, { route, names });
    },
    find(method, segments) {
      const values: string[] = [];
      const node = walk(root, segments, 0, values);
      if (node === undefined) return { kind: 'unknown-path' };
      const leaf = node.leaves.get(method === 'HEAD' ? 'GET' : method);
      if (leaf !== undefined) return { kind: 'route', route: leaf.route, names: leaf.names, values };
      const [other] = node.leaves.values();
      if (other === undefined) return { kind: 'unknown-path' };
      const methods = [...node.leaves.keys()];
      return { kind: 'unknown-method', route: other.route, methods, names: other.names, values };
    },
  };
}

/**
 * Splits a path into segments. The path is split first, then each segment is decoded once, so an encoded slash stays
 * inside its segment (RFC 3986, 2.4). A segment with invalid escapes stays unchanged.
 * @param path as it was sent.
 */
export function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/');
  return path.includes('%') ? segments.map(decode) : segments;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function newNode<Route>(): Node<Route> {
  return { literals: new Map(), parameter: undefined, leaves: new Map() };
}

function walk<Route>(
  node: Node<Route>,
  segments: readonly string[],
  index: number,
  values: string[],
): Node<Route> | undefined {
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

/** Segments that can't be a parameter: an empty one, and dots, which other programs would resolve (D04). */
function isNoValue(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}
