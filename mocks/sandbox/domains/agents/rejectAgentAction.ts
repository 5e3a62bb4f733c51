import { given } from '../../tools/given.ts';
import { operation } from '../operation.ts';
import { mustFindAgent } from './procedures/agents.ts';
import { mustFindAction } from './procedures/outcomes.ts';
import { actions, showAction } from './records.ts';
import { checkIsWaiting } from './rules.ts';

/** POST /agents/{agentId}/actions/{actionId}/reject: the action isn't carried out, and the reason is stored. */
export const rejectAgentAction = operation('rejectAgentAction', {
  async handle({ path, body }, unit) {
    const agent = await mustFindAgent(unit, path.agentId);
    const action = await mustFindAction(unit, agent.id, path.actionId);
    checkIsWaiting(action);
    const rejectionReason = body?.reason;
    const rejected = await actions.replace(unit, action, {
      ...action,
      status: 'REJECTED',
      ...given({ rejectionReason }),
      updatedAt: unit.now(),
    });
    return { status: 200, body: await showAction(unit, rejected) };
  },
});
