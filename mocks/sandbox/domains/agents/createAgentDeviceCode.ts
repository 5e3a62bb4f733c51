import { operation } from '../operation.ts';
import { issueDeviceCode, mustFindAgent } from './procedures/agents.ts';

/**
 * POST /agents/{agentId}/device-codes: replaces an unredeemed code. The old token works until the new code is redeemed
 * (D34).
 */
export const createAgentDeviceCode = operation('createAgentDeviceCode', {
  async handle({ path }, unit) {
    const agent = await mustFindAgent(unit, path.agentId);
    return { status: 201, body: await issueDeviceCode(unit, agent.id) };
  },
});
