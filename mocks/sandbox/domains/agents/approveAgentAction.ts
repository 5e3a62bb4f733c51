import { operation } from '../operation.ts';
import { approveAction } from './procedures/actions.ts';
import { mustFindAgent } from './procedures/agents.ts';
import { mustFindAction } from './procedures/outcomes.ts';
import { showAction } from './records.ts';

/**
 * POST /agents/{agentId}/actions/{actionId}/approve: carries the action out now, if it is still permitted (D32, D33).
 */
export const approveAgentAction = operation('approveAgentAction', {
  async handle({ path }, unit) {
    const agent = await mustFindAgent(unit, path.agentId);
    const action = await mustFindAction(unit, agent.id, path.actionId);
    return { status: 200, body: await showAction(unit, await approveAction(unit, agent, action)) };
  },
});
