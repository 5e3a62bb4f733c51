import { mustFindOwnExternalAccount, viewExternalAccount } from '../accounts/records.ts';
import { operation } from '../operation.ts';

/** GET /agents/me/external-accounts/{externalAccountId}: returns an account of the agent's customer (D79). */
export const getAgentExternalAccount = operation('getAgentExternalAccount', {
  async handle({ path, requester }, unit) {
    const account = await mustFindOwnExternalAccount(unit, path.externalAccountId, requester.customerId);
    return { status: 200, body: viewExternalAccount(account) };
  },
});
