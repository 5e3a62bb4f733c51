import type { SentHeaders } from '../../exchange/exchange.ts';
import { equalInConstantTime, sha256 } from '../node/machine/crypto.ts';
import { authorize } from '../steps/authorize.ts';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from '../transport/routes.ts';
import { clockRoutes } from './clock.ts';
import { faultRoutes } from './faults.ts';
import { journalRoutes } from './journal.ts';
import { metricsRoutes } from './metrics.ts';
import { oidcRoutes } from './oidc.ts';
import { platformRoutes } from './platforms.ts';
import type { ControlParts, ControlRoute } from './route.ts';
import { snapshotRoutes } from './snapshot.ts';
import { stateRoutes } from './state.ts';

const health: ControlRoute = {
  method: 'GET',
  path: '/health',
  needs: 'operator',
  handle: async () => ({ status: 200, body: { status: 'ready' } }),
};

/** Every route below `/__sandbox`. */
export const controlRoutes: readonly ControlRoute[] = [
  health,
  ...clockRoutes,
  ...platformRoutes,
  ...stateRoutes,
  ...faultRoutes,
  ...snapshotRoutes,
  ...journalRoutes,
  ...metricsRoutes,
  ...oidcRoutes,
];

/** Adds `/__sandbox/*`: what a test or a developer steers platforms with, outside the contract (D43). */
export function mountControl(table: RouteTable, parts: ControlParts): void {
  for (const route of controlRoutes) {
    const path = `/__sandbox${route.path}`;
    table.add({
      method: route.method,
      path,
      async answer({ request, facts, path: values }) {
        facts.operation = `${route.method} ${path}`;
        if (route.needs !== 'manager') {
          if (route.needs === 'operator') requireOperator(request.headers, parts.controlToken);
          return route.handle({ request, path: values, parts });
        }
        const requester = await parts.authenticateToken(request.headers);
        facts.platformId = requester.platformId;
        authorize(requester, 'MANAGE');
        return route.handle({ request, requester, parts });
      },
    });
  }
}

/**
 * On this machine everybody who gets past the port's guard is an operator.
 * @throws Problem 401 unless the control token is given, where there is one.
 */
function requireOperator(headers: SentHeaders, token: string | undefined): void {
  if (token === undefined) return;
  const given = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (given !== undefined && equalInConstantTime(sha256(given), sha256(token))) return;
  throw new Problem('UNAUTHORIZED', 'Send the control token: Authorization: Bearer <token of --control-token>.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="Countersign"' },
  });
}
