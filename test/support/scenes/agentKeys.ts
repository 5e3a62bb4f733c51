/** Requests with an Idempotency-Key that make an agent's action, by operation. */

import { key } from '../requests/idempotency.ts';
import { type Answer, openSandbox, type SendOptions } from '../sandbox/harness.ts';
import { executeAs, mustQuoteAs, transferBody, transferInAs } from './agentOperations.ts';
import { type AgentStage, openAgentStage } from './agents.ts';

/** For each operation that makes actions: a prepared request, and how its success changes the balance. */
export const kinds = {
  createAgentTransferOut: {
    change: -2500,
    prepare: async ({ agent, accountId, bankId }: AgentStage) => {
      const body = transferBody(accountId, bankId);
      return (options: SendOptions) => agent.send('POST', '/transfer-out', { body, ...options });
    },
  },
  createAgentTransferIn: {
    change: 2500,
    prepare: async (stage: AgentStage) => (options: SendOptions) => transferInAs(stage, 2500, options),
  },
  executeAgentQuote: {
    change: -2500,
    prepare: async (stage: AgentStage) => {
      const quote = await mustQuoteAs(stage);
      return (options: SendOptions) => executeAs(stage.agent, quote, options);
    },
  },
} as const;
export const names = Object.keys(kinds) as (keyof typeof kinds)[];
export const withKey = (value = key) => ({ headers: { 'Idempotency-Key': value } });

/** A sandbox with an agent, and a prepared request of the agent, to be sent with a key. */
export async function openKeyed(name: keyof typeof kinds, policy: object = {}, suffix?: string) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy, suffix);
  const request = await kinds[name].prepare(stage);
  const send = (more: SendOptions = {}): Promise<Answer> => request({ ...withKey(), ...more });
  const paid = 100_000 + kinds[name].change;
  return { sandbox, stage, agent: stage.agent, send, paid };
}
