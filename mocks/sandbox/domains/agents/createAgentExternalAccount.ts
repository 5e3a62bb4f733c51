import { Problem } from '../../tools/problem.ts';
import { addExternalAccount } from '../accounts/procedures/externalAccounts.ts';
import { viewExternalAccount } from '../accounts/records.ts';
import { operation } from '../operation.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { checkPermission } from './rules.ts';

/**
 * POST /agents/me/external-accounts: adds an account as the platform does, always for the agent's customer (D40, D79).
 */
export const createAgentExternalAccount = operation('createAgentExternalAccount', {
  async handle({ operation, requester, body }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const { customerId = agent.customerId } = body;
    if (customerId !== agent.customerId) {
      throw new Problem('USER_NOT_FOUND', `The agent has no customer ${customerId}.`);
    }
    checkPermission(agent.policy, operation.agentPermission);
    return { status: 201, body: viewExternalAccount(await addExternalAccount(unit, { ...body, customerId })) };
  },
});
