/** Which operation of the contract an address means, wherever the service stands. */
import { type Operation, operations, version } from '../generated/operations.ts';

/** What an exchange is about. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: Operation;
      /** Path parameters, each decoded once. */
      readonly path: Readonly<Record<string, string>>;
      readonly query: URLSearchParams;
    }
  /** The path is of the contract, the method is not. */
  | { readonly kind: 'unknown-method'; readonly path: string; readonly methods: readonly string[] }
  /** An address of the service with a path that no operation has. */
  | { readonly kind: 'unknown-path'; readonly path: string }
  | { readonly kind: 'skipped'; readonly reason: SkipReason };

/** Why an exchange is none of the contract's: another service's, the sandbox's control surface, a browser's question. */
export type SkipReason = 'elsewhere' | 'control' | 'preflight';

export type Matcher = (method: string, url: string) => Match;

/**
 * Makes a matcher. Without `bases`, whatever has the version as a segment of its path belongs to the service, and the
 * operation's path begins after it. With them, whatever is on their hosts does, and nothing else.
 * @param bases base addresses, with or without a slash at the end.
 * @throws TypeError for one that is no address.
 */
export function createMatcher(bases: readonly string[] = []): Matcher {
  const known = bases.map((base) => new URL(base));
  return (method, text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return { kind: 'skipped', reason: 'elsewhere' };
    const path = known.length === 0 ? afterVersion(url) : afterBase(url, known);
    if (url.pathname.startsWith('/__sandbox/')) return { kind: 'skipped', reason: 'control' };
    if (path === undefined) return { kind: 'skipped', reason: 'elsewhere' };
    if (method === 'OPTIONS') return { kind: 'skipped', reason: 'preflight' };
    return matchPath(method, path, url.searchParams);
  };
}

function afterVersion({ pathname }: URL): string | undefined {
  const at = `${pathname}/`.indexOf(`/${version}/`);
  return at < 0 ? undefined : pathname.slice(at + version.length + 1);
}

/** The path below the longest base; of a path below none the whole, which no operation has; undefined on another host. */
function afterBase(url: URL, bases: readonly URL[]): string | undefined {
  const onHost = bases.filter(({ origin }) => origin === url.origin);
  if (onHost.length === 0) return undefined;
  const prefixes = onHost.map(({ pathname }) => pathname.replace(/\/$/, ''));
  const below = prefixes.filter((prefix) => `${url.pathname}/`.startsWith(`${prefix}/`));
  const longest = below.reduce((a, b) => (b.length > a.length ? b : a), '');
  return below.length === 0 ? url.pathname : url.pathname.slice(longest.length);
}

const routes = operations.map((operation) => ({ operation, segments: operation.path.split('/') }));
const routesByLength = Map.groupBy(routes, ({ segments }) => segments.length);

function matchPath(method: string, path: string, query: URLSearchParams): Match {
  const given = path.split('/');
  const ofPath = (routesByLength.get(given.length) ?? []).filter(({ segments }) =>
    segments.every((segment, at) => (segment.startsWith('{') ? given[at] !== '' : segment === given[at])),
  );
  const [first] = ofPath;
  if (first === undefined) return { kind: 'unknown-path', path };
  // A HEAD is a GET whose body stays away.
  const wanted = method === 'HEAD' ? 'GET' : method;
  // The first path that fits is the right one: `/agents/me` is no agent whose id is "me".
  const ofFirst = ofPath.filter(({ operation }) => operation.path === first.operation.path);
  const found = ofFirst.find(({ operation }) => operation.method === wanted);
  if (found === undefined) {
    const methods = ofFirst.map(({ operation }) => operation.method);
    return { kind: 'unknown-method', path: first.operation.path, methods };
  }
  const values: Record<string, string> = {};
  found.segments.forEach((segment, at) => {
    if (segment.startsWith('{')) values[segment.slice(1, -1)] = decode(given[at] ?? '');
  });
  return { kind: 'operation', operation: found.operation, path: values, query };
}

/** A segment whose escapes are none stays as it is: its schema refuses it. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
