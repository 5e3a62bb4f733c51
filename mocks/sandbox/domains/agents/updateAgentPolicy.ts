import { operation } from '../operation.ts';
import { changePolicy, mustFindAgent } from './procedures/agents.ts';
import { viewAgent } from './records.ts';
import { usageAt } from './rules.ts';

/** PATCH /agents/{agentId}/policy: changes single fields of the policy, from the next request on (D32, D78). */
export const updateAgentPolicy = operation('updateAgentPolicy', {
  async handle({ path, body }, unit) {
    const agent = await changePolicy(unit, await mustFindAgent(unit, path.agentId), body);
    return { status: 200, body: viewAgent(agent, usageAt(agent.usage, unit.now())) };
  },
});
