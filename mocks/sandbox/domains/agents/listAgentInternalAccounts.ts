import { internalAccounts, viewInternalAccount } from '../accounts/records.ts';
import { listPage } from '../list.ts';
import { operation } from '../operation.ts';

/**
 * GET /agents/me/internal-accounts: lists the internal accounts of the agent's customer, by currency and type (D79).
 */
export const listAgentInternalAccounts = operation('listAgentInternalAccounts', {
  async handle({ operation, query, requester }, unit) {
    const { limit, cursor, currency, type } = query;
    const filters = { customer_id: requester.customerId, currency, type };
    const body = await listPage(unit, internalAccounts, { operation, limit, cursor, filters }, viewInternalAccount);
    return { status: 200, body };
  },
});
