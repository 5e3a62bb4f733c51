import { operation } from '../operation.ts';
import { redeemDeviceCode } from './procedures/agents.ts';
import { viewPolicy } from './records.ts';

/** POST /agents/device-codes/{code}/redeem: once, by whoever has the code; the access token is shown this once (D34). */
export const redeemAgentDeviceCode = operation('redeemAgentDeviceCode', {
  async handle({ path }, unit) {
    const { agent, accessToken } = await redeemDeviceCode(unit, path.code);
    const body = { agentId: agent.id, agentName: agent.name, accessToken, policy: viewPolicy(agent.policy) };
    return { status: 200, body };
  },
});
