import { createPathTree, type FoundRoute, segmentsOf } from '../../../contract/paths.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { RequestFacts } from '../telemetry/observe.ts';

/** A request of a route, before validation. */
export interface RouteCall {
  readonly request: ExchangeRequest;
  readonly facts: RequestFacts;
  /** Path parameters, each decoded once. */
  readonly path: Readonly<Record<string, string>>;
}

/** A route outside the contract. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The whole path of the address. A segment in braces is a parameter. */
  readonly path: string;
  /** @throws Problem a refusal. */
  answer(call: RouteCall): Promise<OutgoingReply>;
}

/** The routes beside the contract's operations. */
export interface RouteTable {
  add(route: Route): void;
  /** @param path as it was sent. */
  find(method: string, path: string): FoundRoute<Route>;
  /** Whether a path is at or below the first segment of a route, so that no app of the interface means it. */
  owns(path: string): boolean;
}

export function createRouteTable(): RouteTable {
  const tree = createPathTree<Route>();
  const owned = new Set<string>();
  return {
    add(route) {
      tree.add(route.method, route.path, route);
      owned.add(firstSegment(route.path));
    },
    find: (method, path) => tree.find(method, segmentsOf(path)),
    // The start page is at / alone: a path that starts with two slashes is a mistake of an app.
    owns: (path) => path === '/' || (!path.startsWith('//') && owned.has(firstSegment(path))),
  };
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
