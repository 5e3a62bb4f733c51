import { operation } from '../operation.ts';
import { viewQuote } from '../quotes/records.ts';
import { mustFindOwnQuote } from './procedures/actions.ts';

/** GET /agents/me/quotes/{quoteId}: returns a quote that the agent itself made (D79). */
export const getAgentQuote = operation('getAgentQuote', {
  async handle({ path, requester }, unit) {
    return { status: 200, body: viewQuote(await mustFindOwnQuote(unit, { id: requester.actorId }, path.quoteId)) };
  },
});
