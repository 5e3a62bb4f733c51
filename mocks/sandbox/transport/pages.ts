import { requestHeaders, responseHeaders } from '../../../generated/operations.ts';
import type { Reply, SentHeaders } from '../../exchange/exchange.ts';
import { correlationHeader, type RequestFacts } from '../telemetry/observe.ts';

// Beside those of the contract: what HTTP itself needs, and the headers of operations that a browser app already sends.
const knownHeaders = [
  ...new Set(['Authorization', 'Content-Type', 'Prefer', 'Idempotency-Key', ...requestHeaders]),
  correlationHeader,
  'traceparent',
];
const exposeHeaders = [
  ...new Set(['Allow', 'Idempotency-Replayed', 'Preference-Applied', 'WWW-Authenticate', ...responseHeaders]),
  correlationHeader,
];

/** Whether pages of an origin may call, and read the replies. */
export type AdmitsPage = (origin: string) => boolean;

/** Pages of any port on this machine, over either scheme. As browsers write it: lower case, and nothing behind the port. */
const localPage = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/;

/** Admits pages of this machine and of the origins that are named; `null` and what only looks like one of them never. */
export function createAdmitsPage(allowOrigins: readonly string[] = []): AdmitsPage {
  const allowed = new Set(allowOrigins);
  return (origin) => {
    if (allowed.has(origin)) return true;
    const host = localPage.exec(origin)?.[1];
    return host !== undefined && isLoopbackName(host);
  };
}

/** Whether a name, as {@link hostnameOf} gives it, leads to this machine by definition (RFC 6761, 6.3). */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    /^(?:[a-z0-9_-]+\.)+localhost$/.test(name) ||
    /^127(?:\.\d{1,3}){3}$/.test(name) ||
    name === '[::1]'
  );
}

/**
 * The name in a Host header: lower case, without port and the dot at the end, an address in its usual spelling.
 * @returns undefined when it is none.
 */
export function hostnameOf(host: string): string | undefined {
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  return name === '' ? undefined : name;
}

/**
 * What a page may send, as the answer to its preflight has it: what the contract knows, and every other header that the
 * page asks for. A tracing or monitoring library adds its own, and none of them means anything to us.
 * @param asked `Access-Control-Request-Headers`.
 */
function allowHeadersFor(asked: string | null): string[] {
  const known = new Set(knownHeaders.map((name) => name.toLowerCase()));
  const more = (asked ?? '').slice(0, 8192).split(',');
  const names = more.map((name) => name.trim()).filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && name !== '*');
  return [...knownHeaders, ...names.filter((name) => !known.has(name.toLowerCase()))];
}

const exposed = exposeHeaders.join(',');
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].join(',');

/**
 * Tells a browser what a page of this machine, or of an origin that was named, may send; any other page nothing.
 * @returns undefined for an OPTIONS that isn't a preflight.
 */
export function answerPreflight(headers: SentHeaders, admitsPage: AdmitsPage): Reply | undefined {
  if (!headers.has('access-control-request-method')) return undefined;
  const origin = headers.get('origin');
  // Asked for where a page from the network calls a machine inside it.
  const isPrivate = headers.get('access-control-request-private-network') === 'true';
  const admitted = {
    'Access-Control-Allow-Origin': origin ?? '',
    ...(isPrivate ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
  };
  return {
    status: 204,
    headers: {
      ...(origin !== null && admitsPage(origin) ? admitted : {}),
      'Access-Control-Expose-Headers': exposed,
      'Access-Control-Max-Age': '600',
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': allowHeadersFor(headers.get('access-control-request-headers')).join(','),
      Vary: 'Origin, Access-Control-Request-Headers',
    },
  };
}

/** On every reply: its id, and what a browser wants to see before it lets a page read it. */
export function commonHeaders(
  headers: Pick<SentHeaders, 'get'>,
  { id }: RequestFacts,
  admitsPage: AdmitsPage,
): Record<string, string> {
  const origin = headers.get('origin');
  const common = { [correlationHeader]: id, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
  return origin !== null && admitsPage(origin) ? { 'Access-Control-Allow-Origin': origin, ...common } : common;
}
