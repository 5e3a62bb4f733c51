import {
  basePath,
  findUndecodable,
  type Match,
  matchRequest,
  splitAtVersion,
  watchPath,
} from '../../../contract/match.ts';
import { version } from '../../../generated/operations.ts';
import { type ExchangeRequest, splitAddress } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { RequestFacts } from '../telemetry/observe.ts';
import { invalid, Problem } from '../tools/problem.ts';
import { requireAcceptable, type Serve } from './request.ts';
import type { RouteTable } from './routes.ts';

export interface RouterParts {
  readonly serve: Serve;
  /** Answers the same reads for watchers, below {@link watchPath}. If absent, that path doesn't exist. */
  readonly watch?: Serve | undefined;
  /** The routes outside the contract. Called if the contract doesn't have an address. */
  readonly outside: () => Promise<RouteTable>;
}

/** @throws Problem a refusal, such as 404, 405 or 406 */
export type Router = (request: ExchangeRequest, facts: RequestFacts) => Promise<OutgoingReply>;

/** Routes a request to the operation or the route of its address. */
export function createRouter({ serve, watch, outside }: RouterParts): Router {
  return async (request, facts) => {
    const { method } = request;
    const { path, search } = splitAddress(request.address);
    const below = pathBelow(path);
    if (below === undefined) {
      const read = readAtDoor(request);
      if (read !== undefined && watch !== undefined) return answerWatcher(read, facts, watch);
      return answerOutside(request, facts, await outside());
    }
    facts.isStray = true;
    const match = matchRequest(method, below, search);
    if (match.kind !== 'operation') return refuse(match, method, path);
    facts.operation = match.operation.id;
    requireAcceptable(request.headers);
    facts.isStray = false;
    return serve({ ...match, request, facts });
  };
}

/** @throws Problem 404, 400, and 405 unless the method is OPTIONS. */
function refuse(match: Exclude<Match, { kind: 'operation' }>, method: string, path: string): OutgoingReply {
  switch (match.kind) {
    case 'unknown-method':
      return refuseMethod(method, match.methods);
    case 'unknown-path':
      throw notFound(path);
    case 'malformed':
      throw undecodable(match.in);
  }
}

/** The request of the interface that a watcher makes, at the interface's own address. Undefined for any other request. */
function readAtDoor(request: ExchangeRequest): ExchangeRequest | undefined {
  const { path, search } = splitAddress(request.address);
  const split = splitAtVersion(path);
  return split?.before === watchPath ? { ...request, address: basePath + split.path + search } : undefined;
}

/** Answers a read as the interface does. It isn't traffic of an app, so it doesn't count as the operation. */
async function answerWatcher(request: ExchangeRequest, facts: RequestFacts, watch: Serve): Promise<OutgoingReply> {
  facts.operation = `GET ${watchPath}`;
  const { method } = request;
  const { path, search } = splitAddress(request.address);
  const match = matchRequest('GET', path.slice(basePath.length), search);
  // A path that only other methods have can't be read here, whatever the method.
  if (match.kind === 'unknown-method') return refuseMethod(method, []);
  if (match.kind !== 'operation') return refuse(match, method, path);
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(method, ['GET']);
  requireAcceptable(request.headers);
  return watch({ ...match, request, facts });
}

/** The path after the base path, however that is escaped; undefined for a path outside the contract. */
function pathBelow(path: string): string | undefined {
  if (path.startsWith(`${basePath}/`)) return path.slice(basePath.length);
  const split = splitAtVersion(path);
  return split?.before === '' ? split.path : undefined;
}

async function answerOutside(request: ExchangeRequest, facts: RequestFacts, table: RouteTable): Promise<OutgoingReply> {
  const { path, search } = splitAddress(request.address);
  facts.isStray = !table.owns(path);
  const place = findUndecodable(path, search);
  if (place !== undefined) throw undecodable(place);
  const found = table.find(request.method, path);
  if (found.kind === 'unknown-path') throw notFound(path);
  if (found.kind === 'unknown-method') return refuseMethod(request.method, found.methods);
  const named = found.names.map((name, index) => [name, found.values[index] ?? ''] as const);
  return found.route.answer({ request, facts, path: Object.fromEntries(named) });
}

/**
 * Answers OPTIONS.
 * @throws Problem 405 with `Allow` for any other method (RFC 9110, 15.5.6).
 */
function refuseMethod(method: string, methods: readonly string[]): OutgoingReply {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  const headers = { Allow: allow };
  if (method === 'OPTIONS') return { status: 204, headers };
  throw new Problem('METHOD_NOT_ALLOWED', `This path has no ${method}, only ${allow}.`, { headers });
}

function undecodable(place: 'path' | 'query'): Problem {
  return invalid([{ in: place, pointer: '', message: "has a percent sign that doesn't start a UTF-8 escape" }]);
}

function notFound(path: string): Problem {
  const [, first = ''] = path.split('/');
  if (first === version)
    return new Problem('NOT_FOUND', `The interface has no path ${path.slice(basePath.length) || '/'}.`);
  const hint = /^\d{4}-\d{2}-\d{2}$/.test(first) ? `Version ${first} is not served` : 'Paths begin with the version';
  return new Problem('NOT_FOUND', `${hint}; the base address ends in ${basePath}.`);
}
