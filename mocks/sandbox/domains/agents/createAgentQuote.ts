import { operation } from '../operation.ts';
import { viewQuote } from '../quotes/records.ts';
import { openAgentQuote } from './procedures/actions.ts';
import { mustFindSelf } from './procedures/agents.ts';

/** POST /agents/me/quotes: creates a quote as the platform does, within the agent's customer and policy (D32, D80). */
export const createAgentQuote = operation('createAgentQuote', {
  async handle({ operation, requester, body }, unit) {
    const agent = await mustFindSelf(unit, requester);
    const quote = await openAgentQuote(unit, agent, operation.agentPermission, body);
    return { status: 201, body: viewQuote(quote) };
  },
});
