import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { agents, viewAgent } from './records.ts';
import { usageAt } from './rules.ts';

/** GET /agents: lists agents by customer, pause, connection, and time of creation or change (both limits included). */
export const listAgents = operation('listAgents', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, customerId, isPaused, isConnected } = query;
    const filters = {
      customer_id: customerId,
      is_paused: isPaused === undefined ? undefined : String(isPaused),
      is_connected: isConnected === undefined ? undefined : String(isConnected),
    };
    const ranges = {
      created_at: { from: query.createdAfter, to: query.createdBefore },
      updated_at: { from: query.updatedAfter, to: query.updatedBefore },
    };
    const request = { operation, limit, cursor, filters, ranges };
    const view = (agent: Parameters<typeof viewAgent>[0]) => viewAgent(agent, usageAt(agent.usage, unit.now()));
    return { status: 200, body: await listPage(unit, agents, request, view) };
  },
});
