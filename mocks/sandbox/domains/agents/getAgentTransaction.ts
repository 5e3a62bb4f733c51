import { operation } from '../operation.ts';
import { mustFindTransaction, transactionNotFound, viewTransaction } from '../transfers/records.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { checkPermission } from './rules.ts';

/**
 * GET /agents/me/transactions/{transactionId}: returns a transaction of the agent's customer, even if the platform
 * started it (D79).
 */
export const getAgentTransaction = operation('getAgentTransaction', {
  async handle({ operation, path, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const transaction = await mustFindTransaction(unit, path.transactionId);
    if (transaction.customerId !== agent.customerId) throw transactionNotFound(path.transactionId);
    checkPermission(agent.policy, operation.agentPermission);
    return { status: 200, body: viewTransaction(transaction) };
  },
});
