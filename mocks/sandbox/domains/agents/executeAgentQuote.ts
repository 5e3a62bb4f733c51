import { operation } from '../operation.ts';
import { startAction } from './procedures/actions.ts';
import { mustFindSelf } from './procedures/agents.ts';
import { showAction } from './records.ts';

/**
 * POST /agents/me/quotes/{quoteId}/execute: creates an action that is carried out at once or waits for approval. If the
 * source is a wallet, its owner signs as usual (D32, D33).
 */
export const executeAgentQuote = operation('executeAgentQuote', {
  async handle({ path: { quoteId }, headers, requester }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const wanted = { type: 'EXECUTE_QUOTE', quoteId } as const;
    const action = await startAction(unit, agent, wanted, headers['Service-Wallet-Signature']);
    return { status: 200, body: await showAction(unit, action) };
  },
});
