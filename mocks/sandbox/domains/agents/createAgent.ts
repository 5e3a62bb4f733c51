import { operation } from '../operation.ts';
import { issueDeviceCode, openAgent } from './procedures/agents.ts';
import { viewAgent } from './records.ts';

/**
 * POST /agents: creates an agent of one customer, with the device code that connects a program to it (D32, D34, D81).
 */
export const createAgent = operation('createAgent', {
  async handle({ body }, unit) {
    const agent = await openAgent(unit, body);
    const deviceCode = await issueDeviceCode(unit, agent.id);
    return { status: 201, body: { agent: viewAgent(agent, agent.usage), deviceCode } };
  },
});
