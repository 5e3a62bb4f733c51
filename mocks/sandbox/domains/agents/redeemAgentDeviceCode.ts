import { operation } from '../operation.ts';
import { redeemDeviceCode } from './procedures/agents.ts';
import { viewPolicy } from './records.ts';

/**
 * POST /agents/device-codes/{code}/redeem: works once, for anyone with the code. Only this reply shows the access token
 * (D34).
 */
export const redeemAgentDeviceCode = operation('redeemAgentDeviceCode', {
  async handle({ path }, unit) {
    const { agent, accessToken } = await redeemDeviceCode(unit, path.code);
    const body = { agentId: agent.id, agentName: agent.name, accessToken, policy: viewPolicy(agent.policy) };
    return { status: 200, body };
  },
});
