import { type Operation, operations, version } from '../../../generated/operations.ts';

/** The path that every operation's own path is appended to (D04). */
export const basePath = `/${version}`;

export interface RouteMatch {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** What stands below one segment of a path: literals before the parameter, as the order of operations has them. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly operations: Map<string, Operation>;
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, operations: new Map() });

// An address that reads as it is meant: nothing to decode, no dots to resolve, no empty segment.
const plain = /^https?:\/\/[a-z0-9.[\]:-]+(\/\d{4}-\d{2}-\d{2})((?:\/[\w:-][\w:.-]*)+)(?:\?([\w:.=&+-]*))?$/;

/** The operation that an address names; undefined when the router has to look. `url` is the whole address. */
export type MatchPlain = (method: string, url: string) => RouteMatch | undefined;

/**
 * Finds the operation that a plain address names, at a fraction of a router's price: most requests are of this kind. Whatever
 * is not plain, or names none, is left to the router, which answers the same.
 */
export function createMatchPlain(): MatchPlain {
  const root = growTree();
  const noQuery = new URLSearchParams();
  return (method, url) => {
    const [, base, path, search] = plain.exec(url) ?? [];
    if (base !== basePath || path === undefined) return undefined;
    const values: string[] = [];
    const node = walk(root, path.slice(1).split('/'), 0, values);
    const operation = node?.operations.get(method);
    if (operation === undefined) return undefined;
    const named = nameValues(operation, values);
    if (isNoSuchPath(named)) return undefined;
    return {
      operation,
      path: named,
      query: search === undefined ? noQuery : new URLSearchParams(search),
    };
  };
}

const pathWords = /^[a-z]+(?:-[a-z]+)+$/;

/**
 * Whether a path parameter for an id holds words with hyphens, such as `kyc-link`: no id looks like that, but segments of
 * paths do (R23), so somebody means a path that is not there (D45).
 */
export function isNoSuchPath(parameters: Readonly<Record<string, string>>): boolean {
  return Object.entries(parameters).some(([name, value]) => /^id$|Id$/.test(name) && pathWords.test(value));
}

function growTree(): Node {
  const root = newNode();
  for (const operation of operations as readonly Operation[]) {
    let node = root;
    for (const segment of operation.path.split('/').slice(1)) {
      if (segment.startsWith('{')) node = node.parameter ??= newNode();
      else node = node.literals.get(segment) ?? addLiteral(node, segment);
    }
    node.operations.set(operation.method, operation);
  }
  return root;
}

function addLiteral(node: Node, segment: string): Node {
  const added = newNode();
  node.literals.set(segment, added);
  return added;
}

function walk(node: Node, segments: readonly string[], index: number, values: string[]): Node | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.operations.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : walk(literal, segments, index + 1, values);
  if (found !== undefined || node.parameter === undefined) return found;
  values.push(segment);
  const below = walk(node.parameter, segments, index + 1, values);
  if (below === undefined) values.pop();
  return below;
}

function nameValues({ path }: Operation, values: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  if (values.length === 0) return named;
  let next = 0;
  for (const segment of path.split('/')) {
    if (segment.startsWith('{')) named[segment.slice(1, -1)] = values[next++] ?? '';
  }
  return named;
}
