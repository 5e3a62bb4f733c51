/** Compares agents and their actions with the model, and with the limits that no policy may exceed (D32, D33, D78). */
import type { Action } from './facts.ts';
import type { Model } from './model.ts';
import type { World } from './world.ts';

/** Transactions that actions have made or executed, each with the step of its action. */
export type Executed = Map<string, number>;

/** The status of each action before a step. */
export function noteActions(model: Model): ReadonlyMap<Action, string> {
  return new Map([...model.actions.values()].map((action) => [action, model.statusOf(action)]));
}

/** Compares an action in a reply with the model. */
// biome-ignore lint/suspicious/noExplicitAny: a raw reply
export function compareAction(model: Model, action: Action, body: any): string | undefined {
  const found = [body?.status, body?.rejectionReason, body?.transaction?.status, body?.transaction?.failureReason];
  const { transaction } = action;
  const expected = [model.statusOf(action), action.reason, transaction?.status, transaction?.failureReason];
  const failures = model.failuresOf(action).map((fault) => fault.replace(/^\d+ /, ''));
  const failure = [body?.failure?.code, body?.failure?.reason].filter((word) => word !== undefined).join(' ');
  if (!(failures.length === 0 ? failure === '' : failures.includes(failure))) {
    return `the action of step ${action.number} failed by "${failure}", expected one of ${JSON.stringify(failures)}`;
  }
  if (expected.every((one, index) => one === found[index])) return undefined;
  return `the action of step ${action.number} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
}

/**
 * Checks four things: the usage of every agent is the sum of its approved actions; the actions that a step has changed
 * match the model; approved actions fit the limits of that time; nothing is executed twice.
 */
export async function compareAgents(
  world: World,
  model: Model,
  before: ReadonlyMap<Action, string>,
  answered: Action | undefined,
  executed: Executed,
): Promise<string | undefined> {
  const agents = await world.agents();
  for (const [number, { isThere, isPaused }] of model.agents) {
    const found = agents.get(number);
    if ((found !== undefined) !== isThere) return `the agent of step ${number} is ${isThere ? 'not ' : ''}there`;
    if (found === undefined) continue;
    const expected = JSON.stringify([isPaused, model.usageOf(number)]);
    const said = JSON.stringify([found.isPaused, found.usage]);
    if (said !== expected) return `the agent of step ${number} has used ${said}, expected ${expected}`;
  }
  for (const action of model.actions.values()) {
    if (action !== answered && before.get(action) === model.statusOf(action)) continue;
    if (!agents.has(action.agent)) continue;
    const { body } = await world.action(action.agent, action.number);
    const difference = compareAction(model, action, body);
    if (difference !== undefined) return difference;
    if (action !== answered || body.status !== 'APPROVED') continue;
    const other = executed.get(body.transaction.id);
    if (other !== undefined) return `${body.transaction.id} was executed by step ${other} and by step ${action.number}`;
    executed.set(body.transaction.id, action.number);
    const passed = passedLimit(agents.get(action.agent));
    if (passed !== undefined) return `the agent of step ${action.agent} has passed its ${passed}`;
  }
  return undefined;
}

/** Compares the sandbox's reply with itself, without the model. */
// biome-ignore lint/suspicious/noExplicitAny: a raw reply
function passedLimit({ usage, policy: { spendingLimits } }: any): string | undefined {
  const sums = [
    ['dailyLimit', usage.dailySpend],
    ['dailyTransactionLimit', usage.dailyTransactionCount],
    ['monthlyLimit', usage.monthlySpend],
  ] as const;
  return sums.find(([limit, used]) => used > (spendingLimits[limit] ?? Number.POSITIVE_INFINITY))?.[0];
}

/** Compares the platform's list of pending actions with the model. */
export async function compareWaiting(world: World, model: Model): Promise<string | undefined> {
  const { body } = await world.get('/agents/approvals?limit=1');
  const expected = [...model.actions.values()].filter((action) => model.isWaiting(action)).length;
  return body.totalCount === expected ? undefined : `${body.totalCount} actions wait, expected ${expected}`;
}
