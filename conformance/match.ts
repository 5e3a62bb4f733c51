/** Finds the operation that an address means, on any host. */
import { type Match as Below, matchRequest, splitAtVersion } from '../contract/match.ts';

/** The operation of an exchange. If there is none: the reason, and the path as it was sent. */
export type Match =
  | Extract<Below, { kind: 'operation' | 'unknown-method' }>
  | (Extract<Below, { kind: 'unknown-path' | 'malformed' }> & { readonly path: string })
  | { readonly kind: 'skipped'; readonly reason: SkipReason };

/**
 * Why an exchange isn't part of the contract: another service, the sandbox's control surface, a browser's preflight.
 */
export type SkipReason = 'elsewhere' | 'control' | 'preflight';

export type Matcher = (method: string, url: string) => Match;

/**
 * Makes a matcher. Without `bases`, every address with the version as a segment of its path belongs to the service, and
 * the operation's path starts after the version. With `bases`, every address on their hosts belongs to the service, and
 * no other.
 * @param bases base addresses, with or without a slash at the end.
 * @throws TypeError if one isn't an address.
 */
export function createMatcher(bases: readonly string[] = []): Matcher {
  const known = bases.map((base) => new URL(base));
  return (method, text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return { kind: 'skipped', reason: 'elsewhere' };
    const { path: sent, search } = takeApart(text);
    const path = known.length === 0 ? splitAtVersion(sent)?.path : afterBase(url.origin, sent, known);
    if (sent.startsWith('/__sandbox/')) return { kind: 'skipped', reason: 'control' };
    if (path === undefined) return { kind: 'skipped', reason: 'elsewhere' };
    if (method === 'OPTIONS') return { kind: 'skipped', reason: 'preflight' };
    const match = matchRequest(method, path, search);
    return match.kind === 'operation' || match.kind === 'unknown-method' ? match : { ...match, path };
  };
}

/**
 * Path and query as they were sent. A `URL` would resolve segments of dots, which are segments like any other (D04).
 */
function takeApart(address: string): { readonly path: string; readonly search: string } {
  const [, path = '', search = ''] = /^[a-z]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/i.exec(address.trim()) ?? [];
  return { path: path === '' ? '/' : path, search };
}

/**
 * The path below the longest base. If it is below none, the whole path, which no operation has. Undefined on another
 * host.
 */
function afterBase(origin: string, path: string, bases: readonly URL[]): string | undefined {
  const onHost = bases.filter((base) => base.origin === origin);
  if (onHost.length === 0) return undefined;
  const prefixes = onHost.map(({ pathname }) => pathname.replace(/\/$/, ''));
  const below = prefixes.filter((prefix) => `${path}/`.startsWith(`${prefix}/`));
  const longest = below.reduce((a, b) => (b.length > a.length ? b : a), '');
  return below.length === 0 ? path : path.slice(longest.length);
}
