import { operation } from '../operation.ts';
import { pageOfTransactions } from '../transfers/procedures/transactions.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { checkPermission } from './rules.ts';

/**
 * GET /agents/me/transactions: lists all transactions of the agent's customer, including those that others started
 * (D74, D79).
 */
export const listAgentTransactions = operation('listAgentTransactions', {
  async handle({ operation, query, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    checkPermission(agent.policy, operation.agentPermission);
    const { customerId } = agent;
    return { status: 200, body: await pageOfTransactions(unit, operation, { ...query, customerId }) };
  },
});
