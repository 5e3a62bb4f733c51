import { requestHeaders, responseHeaders } from '../../../generated/operations.ts';
import type { Reply, SentHeaders } from '../../exchange/exchange.ts';
import { correlationHeader, type RequestFacts } from '../telemetry/observe.ts';

// In addition to the contract's headers: those that HTTP itself needs, and those that browser apps already send.
const knownHeaders = [
  ...new Set(['Authorization', 'Content-Type', 'Prefer', 'Idempotency-Key', ...requestHeaders]),
  correlationHeader,
  'traceparent',
];
const exposeHeaders = [
  ...new Set(['Allow', 'Idempotency-Replayed', 'Preference-Applied', 'WWW-Authenticate', ...responseHeaders]),
  correlationHeader,
];

/** Whether pages of an origin may call and read the replies. */
export type AdmitsPage = (origin: string) => boolean;

/**
 * Pages on any port of this machine, with either scheme, as browsers write it: lower case, and nothing after the port.
 */
const localPage = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/;

/**
 * Admits pages of this machine and of the named origins. It never admits `null` or an origin that only looks similar.
 */
export function createAdmitsPage(allowOrigins: readonly string[] = []): AdmitsPage {
  const allowed = new Set(allowOrigins);
  return (origin) => {
    if (allowed.has(origin)) return true;
    const host = localPage.exec(origin)?.[1];
    return host !== undefined && isLoopbackName(host);
  };
}

/** Whether a name from {@link hostnameOf} always means this machine (RFC 6761, 6.3). */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    /^(?:[a-z0-9_-]+\.)+localhost$/.test(name) ||
    /^127(?:\.\d{1,3}){3}$/.test(name) ||
    name === '[::1]'
  );
}

/**
 * The name in a Host header: lower case, without port and final dot, an address in its usual spelling.
 * @returns undefined if it isn't a name.
 */
export function hostnameOf(host: string): string | undefined {
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  return name === '' ? undefined : name;
}

/**
 * The headers that a page may send, for the reply to its preflight: those of the contract, and all others that the page
 * asks for. Tracing and monitoring libraries add their own headers, which mean nothing to us.
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
 * Tells a browser what a page may send, if the page is of this machine or of a named origin. Other pages get nothing.
 * @returns undefined if the OPTIONS request isn't a preflight.
 */
export function answerPreflight(headers: SentHeaders, admitsPage: AdmitsPage): Reply | undefined {
  if (!headers.has('access-control-request-method')) return undefined;
  const origin = headers.get('origin');
  // A browser asks this if a page from the network calls a machine inside it.
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

/** The headers of every reply: its id, and what a browser needs before it lets a page read the reply. */
export function commonHeaders(
  headers: Pick<SentHeaders, 'get'>,
  { id }: RequestFacts,
  admitsPage: AdmitsPage,
): Record<string, string> {
  const origin = headers.get('origin');
  const common = { [correlationHeader]: id, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
  return origin !== null && admitsPage(origin) ? { 'Access-Control-Allow-Origin': origin, ...common } : common;
}
