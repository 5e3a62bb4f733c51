import { operation } from '../operation.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { viewAgent } from './records.ts';
import { usageAt } from './rules.ts';

/** GET /agents/me: returns the calling agent, with its policy and its usage. */
export const getCurrentAgent = operation('getCurrentAgent', {
  async handle({ requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    return { status: 200, body: viewAgent(agent, usageAt(agent.usage, unit.now())) };
  },
});
