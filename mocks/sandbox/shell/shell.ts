import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import Negotiator from 'negotiator';
import { type Operation, operations, requestHeaders, responseHeaders, version } from '../../../generated/operations.ts';
import type { Log } from '../kernel/log.ts';
import { invalid, Problem } from '../kernel/problem.ts';
import { asProblem, type OutgoingReply, send, sendProblem } from './reply.ts';

/** A request after routing, before anybody looked into it. */
export interface RawRequest {
  readonly operation: Operation;
  /** Path parameters, each decoded once. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly request: Request;
  /** Told the bytes of the body once they were read. */
  readonly noteBody?: (bytes: Uint8Array) => void;
}

/** What answers the operations of the contract: the sandbox's pipeline, or Prism. */
export type Serve = (raw: RawRequest) => Promise<OutgoingReply>;

/** The path that every operation's own path is appended to (D04). */
export const basePath = `/${version}`;

// Beside those of the contract: what HTTP itself needs, and the headers of operations that a browser app already sends.
const allowHeaders = [...new Set(['Authorization', 'Content-Type', 'Prefer', 'Idempotency-Key', ...requestHeaders])];
const exposeHeaders = [
  ...new Set(['Allow', 'Idempotency-Replayed', 'Preference-Applied', 'WWW-Authenticate', ...responseHeaders]),
];

/** Pages of any port on this machine may call us, over either scheme; no other page may read a reply. */
const local = /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The HTTP side that both servers share: routes of the contract, CORS, HEAD, OPTIONS, 404, 405, 406, and the one error
 * shape for all of them.
 * @param mount adds routes outside the contract, before its own 404.
 */
export function createShell(parts: { serve: Serve; log: Log; mount?: (app: Hono) => void }): Hono {
  const { serve, log } = parts;
  const app = new Hono();
  const pages = cors({
    origin: (origin) => (local.test(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    allowHeaders,
    exposeHeaders,
    maxAge: 600,
  });
  app.use('*', async (context, next) => {
    const isPreflight =
      context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined;
    if (isPreflight) return pages(context, next);
    // The middleware takes every OPTIONS for a preflight; and it sets headers before there is a reply, which makes the
    // server copy every reply into a stream.
    await next();
    const origin = context.req.header('origin') ?? '';
    const { headers } = context.res;
    if (local.test(origin)) headers.set('Access-Control-Allow-Origin', origin);
    headers.set('Access-Control-Expose-Headers', exposeHeaders.join(','));
    headers.append('Vary', 'Origin');
  });
  app.use('*', async (context, next) => {
    requireDecodable(new URL(context.req.url));
    await next();
  });
  parts.mount?.(app);
  for (const [path, ofPath] of Map.groupBy(operations as readonly Operation[], (operation) => operation.path)) {
    const route = basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const operation of ofPath) {
      app.on(operation.method, route, async (context) => {
        requireAcceptable(context);
        return send(await serve(rawRequest(operation, context)));
      });
    }
    refuseOtherMethods(
      app,
      route,
      ofPath.map((operation) => operation.method),
    );
  }
  app.notFound((context) => send(sendProblem(notFound(new URL(context.req.url).pathname))));
  app.onError((error) => send(sendProblem(asProblem(error, log))));
  return app;
}

/** Answers OPTIONS, and any method that the path does not have with 405 and `Allow` (RFC 9110, 15.5.6). */
export function refuseOtherMethods(app: Hono, route: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.options(route, () => new Response(null, { status: 204, headers: { Allow: allow } }));
  app.all(route, (context) => {
    const message = `This path has no ${context.req.method}, only ${allow}.`;
    return send(sendProblem(new Problem('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } })));
  });
}

/** Path parameters are decoded once, after the path was split: an encoded slash stays inside its segment (RFC 3986, 2.4). */
function rawRequest(operation: Operation, context: Context): RawRequest {
  const url = new URL(context.req.url);
  const given = url.pathname.slice(basePath.length).split('/');
  const path: Record<string, string> = {};
  operation.path.split('/').forEach((segment, index) => {
    if (segment.startsWith('{')) path[segment.slice(1, -1)] = decodeURIComponent(given[index] ?? '');
  });
  return { operation, path, query: url.searchParams, request: context.req.raw };
}

function requireDecodable({ pathname, search }: URL): void {
  for (const [place, text] of [
    ['path', pathname],
    ['query', search],
  ] as const) {
    try {
      decodeURIComponent(text);
    } catch {
      throw invalid([{ in: place, pointer: '', message: 'has a percent sign that does not begin an escape of UTF-8' }]);
    }
  }
}

function requireAcceptable(context: Context): void {
  // JSON is UTF-8, so a media range that says so asks for nothing else.
  const accept = context.req.header('accept')?.replaceAll(/;\s*charset="?utf-8"?/gi, '');
  if (accept === undefined) return;
  if (new Negotiator({ headers: { accept } }).mediaType(['application/json']) === undefined) {
    throw new Problem('NOT_ACCEPTABLE', 'Every reply is application/json; the Accept header refuses it.');
  }
}

function notFound(path: string): Problem {
  const [, first = ''] = path.split('/');
  if (first === version)
    return new Problem('NOT_FOUND', `The interface has no path ${path.slice(basePath.length) || '/'}.`);
  const hint = /^\d{4}-\d{2}-\d{2}$/.test(first) ? `Version ${first} is not served` : 'Paths begin with the version';
  return new Problem('NOT_FOUND', `${hint}; the base address ends in ${basePath}.`);
}
