import { operation } from '../operation.ts';
import { mustFindAction } from './procedures/outcomes.ts';
import { showAction } from './records.ts';

/** GET /agents/me/actions/{actionId}: returns an action that the agent itself requested (D79). */
export const getAgentAction = operation('getAgentAction', {
  async handle({ path, requester }, unit) {
    const action = await mustFindAction(unit, requester.actorId, path.actionId);
    return { status: 200, body: await showAction(unit, action) };
  },
});
