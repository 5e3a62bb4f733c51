import { operation } from '../operation.ts';
import { endAgent, mustFindAgent } from './procedures/agents.ts';

/** DELETE /agents/{agentId}: its token is refused from the next request on, and what waits for approval fails (D81). */
export const deleteAgent = operation('deleteAgent', {
  async handle({ path }, unit) {
    await endAgent(unit, await mustFindAgent(unit, path.agentId));
    return { status: 204 };
  },
});
