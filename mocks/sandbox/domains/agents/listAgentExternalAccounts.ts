import { externalAccounts, viewExternalAccount } from '../accounts/records.ts';
import { listPage } from '../list.ts';
import { operation } from '../operation.ts';

/** GET /agents/me/external-accounts: lists the external accounts of the agent's customer, by currency (D79). */
export const listAgentExternalAccounts = operation('listAgentExternalAccounts', {
  async handle({ operation, query, requester }, unit) {
    const { limit, cursor, currency } = query;
    const request = { operation, limit, cursor, filters: { currency, customer_id: requester.customerId } };
    return { status: 200, body: await listPage(unit, externalAccounts, request, viewExternalAccount) };
  },
});
