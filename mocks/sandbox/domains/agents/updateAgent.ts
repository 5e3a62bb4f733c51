import { operation } from '../operation.ts';
import { mustFindAgent } from './procedures/agents.ts';
import { agents, viewAgent } from './records.ts';
import { usageAt } from './rules.ts';

/** PATCH /agents/{agentId}: changes its name, and whether it is paused, from the next request on. */
export const updateAgent = operation('updateAgent', {
  async handle({ path, body }, unit) {
    const agent = await mustFindAgent(unit, path.agentId);
    const changed = await agents.replace(unit, agent, { ...agent, ...body, updatedAt: unit.now() });
    return { status: 200, body: viewAgent(changed, usageAt(changed.usage, unit.now())) };
  },
});
