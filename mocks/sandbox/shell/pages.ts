import { requestHeaders, responseHeaders } from '../../../generated/operations.ts';
import { correlationHeader, type RequestFacts } from './observe.ts';

// Beside those of the contract: what HTTP itself needs, and the headers of operations that a browser app already sends.
export const allowHeaders = [
  ...new Set(['Authorization', 'Content-Type', 'Prefer', 'Idempotency-Key', ...requestHeaders]),
  correlationHeader,
  'traceparent',
];
export const exposeHeaders = [
  ...new Set(['Allow', 'Idempotency-Replayed', 'Preference-Applied', 'WWW-Authenticate', ...responseHeaders]),
  correlationHeader,
];

/** Pages of any port on this machine may call us, over either scheme; no other page may read a reply. */
const local = /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

const exposed = exposeHeaders.join(',');

/** On every reply: its id, and what a browser wants to see before it lets a page read it. */
export function commonHeaders(request: Request, { id }: RequestFacts): Record<string, string> {
  const origin = request.headers.get('origin');
  const common = { [correlationHeader]: id, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
  return origin !== null && local.test(origin) ? { 'Access-Control-Allow-Origin': origin, ...common } : common;
}

/** Whether an origin is of this machine. */
export function isLocal(origin: string): boolean {
  return local.test(origin);
}
