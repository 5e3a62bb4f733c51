import { externalAccounts, mustFindOwnExternalAccount } from '../accounts/records.ts';
import { mustFindLiveCustomer } from '../customers/records.ts';
import { operation } from '../operation.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { checkPermission } from './rules.ts';

/**
 * DELETE /agents/me/external-accounts/{externalAccountId}: removes the account for good. It may be added again (D39,
 * D40, D79).
 */
export const deleteAgentExternalAccount = operation('deleteAgentExternalAccount', {
  async handle({ operation, path, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const account = await mustFindOwnExternalAccount(unit, path.externalAccountId, agent.customerId);
    checkPermission(agent.policy, operation.agentPermission);
    await mustFindLiveCustomer(unit, agent.customerId);
    await externalAccounts.remove(unit, account);
    return { status: 204 };
  },
});
