import { operation } from '../operation.ts';
import { mustFindAgent } from './procedures/agents.ts';
import { viewAgent } from './records.ts';
import { usageAt } from './rules.ts';

/** GET /agents/{agentId}. */
export const getAgent = operation('getAgent', {
  async handle({ path }, unit) {
    const agent = await mustFindAgent(unit, path.agentId);
    return { status: 200, body: viewAgent(agent, usageAt(agent.usage, unit.now())) };
  },
});
