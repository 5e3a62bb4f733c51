import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../kernel/bytes.ts';
import { Problem } from '../kernel/problem.ts';
import { send } from '../shell/reply.ts';
import { refuseOtherMethods, type ShellApp } from '../shell/router.ts';
import { authorize } from '../steps/authorize.ts';
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
export function mountControl(app: ShellApp, parts: ControlParts): void {
  for (const [path, ofPath] of Map.groupBy(controlRoutes, (route) => route.path)) {
    const address = `/__sandbox${path}`;
    for (const route of ofPath) {
      app.on(route.method, address, async ({ req, env: { facts } }) => {
        facts.operation = `${route.method} ${address}`;
        if (route.needs !== 'manager') {
          if (route.needs === 'operator') requireOperator(req.raw, parts.controlToken);
          return send(await route.handle({ request: req.raw, path: req.param(), parts }));
        }
        const requester = await parts.authenticateToken(req.raw.headers);
        facts.platformId = requester.platformId;
        authorize(requester, 'MANAGE');
        return send(await route.handle({ request: req.raw, requester, parts }));
      });
    }
    refuseOtherMethods(
      app,
      address,
      ofPath.map(({ method }) => method),
    );
  }
}

/**
 * On this machine everybody who gets past the port's guard is an operator.
 * @throws Problem 401 unless the control token is given, where there is one.
 */
function requireOperator({ headers }: Request, token: string | undefined): void {
  if (token === undefined) return;
  const given = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(sha256(given), sha256(token))) return;
  throw new Problem('UNAUTHORIZED', 'Send the control token: Authorization: Bearer <token of --control-token>.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="Countersign"' },
  });
}
