import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { basePath, findUndecodable, type Match, matchRequest, splitAtVersion } from '../../../contract/match.ts';
import { version } from '../../../generated/operations.ts';
import type { Log } from '../kernel/log.ts';
import { ConnectionDropped, invalid, Problem } from '../kernel/problem.ts';
import type { RequestFacts } from './observe.ts';
import { type AdmitsPage, allowHeadersFor, commonHeaders, exposeHeaders } from './pages.ts';
import { asProblem, send, sendProblem } from './reply.ts';
import { note, requireAcceptable, type Serve } from './request.ts';

/** The app that routes outside the contract are added to. */
export type ShellApp = Hono<ShellEnv>;

type ShellEnv = { Bindings: { readonly facts: RequestFacts } };
type ShellContext = Context<ShellEnv>;

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
    const { pathname, search } = new URL(context.req.url);
    const place = findUndecodable(pathname, search);
    if (place !== undefined) throw undecodable(place);
    await next();
  });
  await mount?.(app);
  app.all('*', (context) => answer(context, serve));
  app.onError((error, context) => {
    if (error instanceof ConnectionDropped) throw error;
    return send(note(sendProblem(asProblem(error, log, context.env.facts.id)), context.env.facts));
  });
  return app;
}

/** Answers a request that is not the control surface's: an operation of the contract, or nothing that is there. */
async function answer({ req, env }: ShellContext, serve: Serve): Promise<Response> {
  const { pathname, search } = new URL(req.url);
  const split = splitAtVersion(pathname);
  const match = split?.before === '' ? matchRequest(req.method, split.path, search) : noPath;
  switch (match.kind) {
    case 'operation':
      env.facts.operation = match.operation.id;
      requireAcceptable(req.raw);
      return send(note(await serve({ ...match, request: req.raw, facts: env.facts }), env.facts));
    case 'unknown-method':
      return refuseMethod(req.method, allowOf(match.methods));
    case 'unknown-path':
      throw notFound(pathname);
    case 'malformed':
      throw undecodable(match.in);
  }
}

const noPath: Match = { kind: 'unknown-path' };

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

/** Refuses the methods that a route outside the contract does not have. */
export function refuseOtherMethods(app: ShellApp, route: string, methods: readonly string[]): void {
  const allow = allowOf(methods);
  app.all(route, ({ req }) => refuseMethod(req.method, allow));
}

function allowOf(methods: readonly string[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/**
 * Answers OPTIONS.
 * @throws Problem 405 with `Allow` for any other method (RFC 9110, 15.5.6).
 */
function refuseMethod(method: string, allow: string): Response {
  const headers = { Allow: allow };
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers });
  throw new Problem('METHOD_NOT_ALLOWED', `This path has no ${method}, only ${allow}.`, { headers });
}

function undecodable(place: 'path' | 'query'): Problem {
  return invalid([{ in: place, pointer: '', message: 'has a percent sign that does not begin an escape of UTF-8' }]);
}

function notFound(path: string): Problem {
  const [, first = ''] = path.split('/');
  if (first === version)
    return new Problem('NOT_FOUND', `The interface has no path ${path.slice(basePath.length) || '/'}.`);
  const hint = /^\d{4}-\d{2}-\d{2}$/.test(first) ? `Version ${first} is not served` : 'Paths begin with the version';
  return new Problem('NOT_FOUND', `${hint}; the base address ends in ${basePath}.`);
}
