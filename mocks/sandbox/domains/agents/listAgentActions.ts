import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { actions, showAction } from './records.ts';

/** GET /agents/me/actions: lists the agent's own actions, by status (D79). */
export const listAgentActions = operation('listAgentActions', {
  async handle({ operation, query, requester }, unit) {
    const { limit, cursor, status } = query;
    const request = { operation, limit, cursor, filters: { agent_id: requester.actorId, status } };
    return { status: 200, body: await listPage(unit, actions, request, (action) => showAction(unit, action)) };
  },
});
