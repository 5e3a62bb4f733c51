import { timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { sha256 } from '../kernel/bytes.ts';
import { Problem } from '../kernel/problem.ts';
import { send } from '../shell/reply.ts';
import { refuseOtherMethods } from '../shell/shell.ts';
import { authenticateToken } from '../steps/authenticate.ts';
import { authorize } from '../steps/authorize.ts';
import { clockRoutes } from './clock.ts';
import { journalRoutes } from './journal.ts';
import { oidcRoutes } from './oidc.ts';
import { platformRoutes } from './platforms.ts';
import type { ControlParts, ControlRoute } from './route.ts';
import { stateRoutes } from './state.ts';

const health: ControlRoute = {
  method: 'GET',
  path: '/health',
  needs: 'operator',
  handle: async () => ({ status: 200, body: { status: 'ready' } }),
};

const routes: readonly ControlRoute[] = [
  health,
  ...clockRoutes,
  ...platformRoutes,
  ...stateRoutes,
  ...journalRoutes,
  ...oidcRoutes,
];

/** Adds `/__sandbox/*`: what a test or a developer steers platforms with, outside the contract (D43). */
export function mountControl(app: Hono, parts: ControlParts): void {
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const address = `/__sandbox${path}`;
    for (const route of ofPath) {
      app.on(route.method, address, async ({ req }) => {
        if (route.needs !== 'manager') {
          if (route.needs === 'operator') requireOperator(req.header('authorization'), parts.controlToken);
          return send(await route.handle({ request: req.raw, path: req.param(), parts }));
        }
        const requester = await authenticateToken(req.raw.headers, parts.store);
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

/** @throws Problem 401 unless the control token is given, where there is one. */
function requireOperator(header: string | undefined, token: string | undefined): void {
  if (token === undefined) return;
  const given = /^bearer +(.+)$/i.exec(header ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(sha256(given), sha256(token))) return;
  throw new Problem('UNAUTHORIZED', 'Send the control token: Authorization: Bearer <token of --control-token>.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="Countersign"' },
  });
}
