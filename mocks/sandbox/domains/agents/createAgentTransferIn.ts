import { operation } from '../operation.ts';
import { startAction } from './procedures/actions.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { showAction } from './records.ts';

/** POST /agents/me/transfer-in: creates an action that is carried out at once or waits for approval (D32, D33). */
export const createAgentTransferIn = operation('createAgentTransferIn', {
  async handle({ body, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const action = await startAction(unit, agent, { type: 'TRANSFER_IN', transfer: body });
    return { status: 201, body: await showAction(unit, action) };
  },
});
