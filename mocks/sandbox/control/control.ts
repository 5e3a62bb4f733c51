import { type ControlOperationFacts, controlOperations } from '../../../generated/controlOperations.ts';
import type { SentHeaders } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { TokenRequester } from '../domains/operation.ts';
import { equalInConstantTime, sha256 } from '../node/machine/crypto.ts';
import { authorize } from '../steps/authorize.ts';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from '../transport/routes.ts';
import { clockHandlers } from './clock.ts';
import { eventHandlers } from './events.ts';
import { faultHandlers } from './faults.ts';
import { journalHandlers } from './journal.ts';
import { metricsHandlers } from './metrics.ts';
import { oidcHandlers } from './oidc.ts';
import { platformHandlers } from './platforms.ts';
import { readControlRequest } from './readRequest.ts';
import type { ControlHandler, ControlHandlers, ControlParts } from './route.ts';
import { snapshotHandlers } from './snapshot.ts';
import { stateHandlers } from './state.ts';

/** The handlers of all operations below `/__sandbox`. */
const handlers: ControlHandlers = {
  getHealth: { handle: async () => ({ status: 200, body: { status: 'ready' } }) },
  getRefusedCredentials: { handle: async ({ parts }) => ({ status: 200, body: parts.refusals.read() }) },
  ...clockHandlers,
  ...platformHandlers,
  ...stateHandlers,
  ...faultHandlers,
  ...snapshotHandlers,
  ...journalHandlers,
  ...eventHandlers,
  ...metricsHandlers,
  ...oidcHandlers,
};

type AnyHandler = Pick<ControlHandler<'getHealth'>, 'bounds' | 'examines' | 'readsBody'> & {
  readonly handle: (call: object) => Promise<OutgoingReply>;
};

/** Adds `/__sandbox/*`. A test or a developer steers platforms with it, outside the contract of the interface (D43). */
export function mountControl(table: RouteTable, parts: ControlParts): void {
  for (const operation of controlOperations) {
    const path = `/__sandbox${operation.path}`;
    // The types of each operation are checked where its handler is written.
    const { bounds, examines, readsBody, handle } = handlers[operation.id] as unknown as AnyHandler;
    const { method } = operation;
    table.add({
      method,
      path,
      async answer({ request, facts, path: values }) {
        facts.operation = `${method} ${path}`;
        const requester = await admit(operation, request.headers, parts);
        if (requester !== undefined) facts.platformId = requester.platformId;
        const read = await readControlRequest(parts.controlContract, {
          operation,
          request,
          path: values,
          bounds,
          examines,
          readsBody,
        });
        const reply = await handle({ ...read, request, requester, parts });
        if (requester !== undefined && method !== 'GET') {
          parts.events.tell(requester.platformId, { type: 'CONTROL', operationId: operation.id });
          if (operation.id === 'deletePlatform') parts.events.endPlatform(requester.platformId);
        }
        return reply;
      },
    });
  }
}

/** @returns whose platform is steered @throws Problem 401, 403 */
async function admit(
  { caller }: ControlOperationFacts,
  headers: SentHeaders,
  parts: ControlParts,
): Promise<TokenRequester | undefined> {
  if (caller === 'operator') requireOperator(headers, parts.controlToken);
  if (caller !== 'manager') return undefined;
  const requester = await parts.authenticateToken(headers);
  authorize(requester, 'MANAGE');
  return requester;
}

/**
 * Checks the control token. Without one, every caller from this machine that passes the port's guard is an operator.
 * @throws Problem 401 if there is a control token and the request doesn't send it.
 */
function requireOperator(headers: SentHeaders, token: string | undefined): void {
  if (token === undefined) return;
  const given = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (given !== undefined && equalInConstantTime(sha256(given), sha256(token))) return;
  throw new Problem('UNAUTHORIZED', 'Send the control token: Authorization: Bearer <token of --control-token>.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="Countersign"' },
  });
}
