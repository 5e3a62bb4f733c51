import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { type Operation, operations, version } from '../../../generated/operations.ts';
import type { Log } from '../kernel/log.ts';
import { ConnectionDropped, invalid, Problem } from '../kernel/problem.ts';
import type { RequestFacts } from './observe.ts';
import { type AdmitsPage, allowHeadersFor, commonHeaders, exposeHeaders } from './pages.ts';
import { asProblem, send, sendProblem } from './reply.ts';
import { note, type RawRequest, requireAcceptable, type Serve } from './request.ts';
import { basePath, isNoSuchPath } from './route.ts';

/** The app that routes outside the contract are added to. */
export type ShellApp = Hono<{ Bindings: { readonly facts: RequestFacts } }>;

export interface RouterParts {
  readonly serve: Serve;
  readonly log: Log;
  readonly admitsPage: AdmitsPage;
  /** Adds routes outside the contract, before its own 404. */
  readonly mount?: ((app: ShellApp) => Promise<void>) | undefined;
}

/** Everything that no plain address asks for: CORS, HEAD, OPTIONS, 404, 405, escapes in addresses, and what is mounted. */
export async function createRouter({ serve, log, admitsPage, mount }: RouterParts): Promise<ShellApp> {
  const app: ShellApp = new Hono();
  app.use('*', async (context, next) => {
    const isPreflight =
      context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined;
    if (isPreflight) {
      context.res = await answerPreflight(context, admitsPage);
      return;
    }
    // The middleware takes every OPTIONS for a preflight; and it sets headers before there is a reply, which makes the
    // server copy every reply into a stream.
    await next();
    const { headers } = context.res;
    const common = commonHeaders(context.req.raw.headers, context.env.facts, admitsPage);
    for (const [name, value] of Object.entries(common)) headers.append(name, value);
  });
  app.use('*', async (context, next) => {
    requireDecodable(new URL(context.req.url));
    await next();
  });
  await mount?.(app);
  for (const [path, ofPath] of Map.groupBy(operations as readonly Operation[], (operation) => operation.path)) {
    const route = basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.use(route, (context, next) => {
      if (isNoSuchPath(context.req.param())) throw notFound(new URL(context.req.url).pathname);
      return next();
    });
    for (const operation of ofPath) {
      app.on(operation.method, route, async (context) => {
        context.env.facts.operation = operation.id;
        requireAcceptable(context.req.raw);
        return send(note(await serve(rawRequest(operation, context)), context.env.facts));
      });
    }
    refuseOtherMethods(
      app,
      route,
      ofPath.map((operation) => operation.method),
    );
  }
  app.notFound((context) => {
    const problem = notFound(new URL(context.req.url).pathname);
    return send(note(sendProblem(problem), context.env.facts));
  });
  app.onError((error, context) => {
    if (error instanceof ConnectionDropped) throw error;
    return send(note(sendProblem(asProblem(error, log, context.env.facts.id)), context.env.facts));
  });
  return app;
}

/** Tells a browser what a page of this machine, or of an origin that was named, may send; any other page nothing. */
async function answerPreflight(context: Context, admitsPage: AdmitsPage): Promise<Response> {
  const pages = cors({
    origin: (origin) => (admitsPage(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    allowHeaders: allowHeadersFor(context.req.header('access-control-request-headers')),
    exposeHeaders,
    maxAge: 600,
  });
  const response = (await pages(context, async () => {})) as Response;
  // Asked for where a page from the network calls a machine inside it.
  const isPrivate = context.req.header('access-control-request-private-network') === 'true';
  if (isPrivate && response.headers.has('access-control-allow-origin')) {
    response.headers.set('Access-Control-Allow-Private-Network', 'true');
  }
  return response;
}

/** Answers OPTIONS, and any method that the path does not have with 405 and `Allow` (RFC 9110, 15.5.6). */
export function refuseOtherMethods(app: ShellApp, route: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.options(route, () => new Response(null, { status: 204, headers: { Allow: allow } }));
  app.all(route, (context) => {
    const message = `This path has no ${context.req.method}, only ${allow}.`;
    const problem = new Problem('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } });
    return send(note(sendProblem(problem), context.env.facts));
  });
}

/** Path parameters are decoded once, after the path was split: an encoded slash stays inside its segment (RFC 3986, 2.4). */
function rawRequest(
  operation: Operation,
  context: Context<{ Bindings: { readonly facts: RequestFacts } }>,
): RawRequest {
  const url = new URL(context.req.url);
  const given = url.pathname.slice(basePath.length).split('/');
  const path: Record<string, string> = {};
  operation.path.split('/').forEach((segment, index) => {
    if (segment.startsWith('{')) path[segment.slice(1, -1)] = decodeURIComponent(given[index] ?? '');
  });
  return { operation, path, query: url.searchParams, request: context.req.raw, facts: context.env.facts };
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

function notFound(path: string): Problem {
  const [, first = ''] = path.split('/');
  if (first === version)
    return new Problem('NOT_FOUND', `The interface has no path ${path.slice(basePath.length) || '/'}.`);
  const hint = /^\d{4}-\d{2}-\d{2}$/.test(first) ? `Version ${first} is not served` : 'Paths begin with the version';
  return new Problem('NOT_FOUND', `${hint}; the base address ends in ${basePath}.`);
}
