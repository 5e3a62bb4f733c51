import { operation } from '../operation.ts';
import { endAgent, mustFindAgent } from './procedures/agents.ts';

/**
 * DELETE /agents/{agentId}: from the next request on, its token is refused. Actions that wait for approval fail (D81).
 */
export const deleteAgent = operation('deleteAgent', {
  async handle({ path }, unit) {
    await endAgent(unit, await mustFindAgent(unit, path.agentId));
    return { status: 204 };
  },
});
