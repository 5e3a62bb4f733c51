import { operation } from '../operation.ts';
import { startAction } from './procedures/actions.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { showAction } from './records.ts';

/** POST /agents/me/transfer-out: creates an action that is carried out at once or waits for approval (D32, D33). */
export const createAgentTransferOut = operation('createAgentTransferOut', {
  async handle({ body, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const action = await startAction(unit, agent, { type: 'TRANSFER_OUT', transfer: body });
    return { status: 201, body: await showAction(unit, action) };
  },
});
