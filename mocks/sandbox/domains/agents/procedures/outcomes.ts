import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { Problem } from '../../../tools/problem.ts';
import { quotes } from '../../quotes/records.ts';
import { quoteExpired } from '../../quotes/rules.ts';
import { transactions } from '../../transfers/records.ts';
import { type ActionRecord, actions, agents } from '../records.ts';
import { changeUsage, failed } from '../rules.ts';

/** @throws Problem 404 `ACTION_NOT_FOUND`, also if another agent requested the action (D79) */
export async function mustFindAction(unit: Unit, agentId: string, id: string): Promise<Stored<ActionRecord>> {
  const action = await actions.find(unit, id);
  if (action?.agentId !== agentId) throw new Problem('ACTION_NOT_FOUND', `The agent ${agentId} has no action ${id}.`);
  return action as Stored<ActionRecord>;
}

/** Fails an action that waits for approval, because its quote expired (D33, D85). */
export async function followQuote(unit: Unit, quoteId: string): Promise<void> {
  const quote = await quotes.find(unit, quoteId);
  // Agents only execute quotes that an agent created.
  if (quote?.status !== 'EXPIRED' || quote.agentId === undefined) return;
  for (const action of await actions.where(unit, 'waiting_quote_id', quoteId)) {
    await actions.replace(unit, action, { ...action, ...failed(quoteExpired(quoteId)), updatedAt: unit.now() });
  }
}

/** Fails an action, because its transaction failed later. It no longer counts on the day it was counted (D33, D78). */
export async function followTransaction(unit: Unit, transactionId: string): Promise<void> {
  if ((await transactions.find(unit, transactionId))?.status !== 'FAILED') return;
  for (const action of await actions.where(unit, 'transaction_id', transactionId)) {
    if (action.status !== 'APPROVED') continue;
    const { countedAt, ...rest } = action;
    await actions.replace(unit, action, { ...rest, status: 'FAILED', updatedAt: unit.now() });
    const agent = await agents.find(unit, action.agentId);
    if (agent === undefined || countedAt === undefined) continue;
    const { currency } = agent.policy.spendingLimits;
    await agents.replace(unit, agent, {
      ...agent,
      usage: changeUsage(agent.usage, action.sum, countedAt, currency, -1),
    });
  }
}
