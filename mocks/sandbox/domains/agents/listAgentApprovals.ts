import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { actions, showAction } from './records.ts';

/** GET /agents/approvals: lists the actions of all agents that now wait for the platform's approval. */
export const listAgentApprovals = operation('listAgentApprovals', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, agentId, customerId, sortOrder: order } = query;
    const filters = { status: 'PENDING_APPROVAL', agent_id: agentId, customer_id: customerId };
    const ranges = { created_at: { from: query.startDate, to: query.endDate } };
    const request = { operation, limit, cursor, filters, ranges, order };
    return { status: 200, body: await listPage(unit, actions, request, (action) => showAction(unit, action)) };
  },
});
