import { operation } from '../operation.ts';
import { pageOfTransactions } from '../transfers/procedures/transactions.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { checkPermission } from './rules.ts';

/** GET /agents/me/transactions: all of the agent's customer, no matter who started them (D74, D79). */
export const listAgentTransactions = operation('listAgentTransactions', {
  async handle({ operation, query, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    checkPermission(agent.policy, operation.agentPermission);
    const { customerId } = agent;
    return { status: 200, body: await pageOfTransactions(unit, operation, { ...query, customerId }) };
  },
});
