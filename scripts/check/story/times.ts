/** The order of events in the story that the examples tell (see ../story.ts). */
import type { ShownState, Thing } from './read.ts';

const minute = 60_000;
/** How long things live, by the decision with that number. */
const lifetimes: Readonly<Record<string, number>> = { Session: 15 * minute, Quote: 5 * minute };

const idIn = /\b(?:[A-Z][a-z]+)+:[0-9a-f-]{36}\b/g;

/**
 * Finds events that happen too early, end at the wrong time, or are counted before they happened. One sentence each.
 */
export function findSenselessTimes(snapshots: readonly ShownState[]): string[] {
  const born = new Map<string, string>();
  for (const { thing } of snapshots) if (thing.createdAt !== undefined) born.set(thing.id, thing.createdAt);
  const actions = approvedActions(snapshots);

  return snapshots.flatMap(({ where, operationId, thing }) => {
    const { id, createdAt, updatedAt = createdAt, settledAt, expiresAt, refund } = thing;
    const faults: string[] = [];
    const inOrder = (what: string, ...times: (string | undefined)[]): void => {
      const given = times.filter((time) => time !== undefined);
      if (given.some((time, index) => index > 0 && time < (given[index - 1] as string))) faults.push(what);
    };
    inOrder('it changed or settled before it was made', createdAt, settledAt, updatedAt);
    inOrder('its refund is out of order', createdAt, refund?.initiatedAt, refund?.settledAt, updatedAt);
    for (const named of JSON.stringify(thing).match(idIn) ?? []) {
      inOrder(`it names ${named}, which was made later`, born.get(named), updatedAt);
    }
    const lifetime = lifetimes[id.slice(0, id.indexOf(':'))];
    if (lifetime !== undefined && Date.parse(expiresAt) - Date.parse(createdAt) !== lifetime) {
      faults.push(`it lives ${(Date.parse(expiresAt) - Date.parse(createdAt)) / minute} minutes`);
    }
    if (thing.isDeleted === true) faults.push(...livesOn(thing, snapshots));
    if (thing.usage !== undefined) faults.push(...miscounts(thing, actions.get(id) ?? [], /^update/.test(operationId)));
    return faults.map((fault) => `${where}: ${id}: ${fault}`);
  });
}

/** A deleted thing does nothing afterwards. */
function livesOn({ id, updatedAt }: Thing, snapshots: readonly ShownState[]): string[] {
  return snapshots
    .filter(({ thing }) => thing.customerId === id && (thing.updatedAt ?? thing.createdAt) > updatedAt)
    .map(({ thing }) => `it was deleted before the last change of ${thing.id}`);
}

interface Approved {
  readonly time: string;
  readonly amount: number;
}

/** What each agent moved, in order: each approved action once. */
function approvedActions(snapshots: readonly ShownState[]): Map<string, Approved[]> {
  const byAgent = new Map<string, Map<string, Approved>>();
  for (const { thing } of snapshots) {
    if (!/^AgentAction:/.test(thing.id) || thing.status !== 'APPROVED') continue;
    const of = byAgent.get(thing.agentId) ?? new Map<string, Approved>();
    byAgent.set(thing.agentId, of);
    const amount = thing.transferDetails?.amount ?? thing.quote.totalSendingAmount;
    of.set(thing.id, { time: thing.updatedAt, amount });
  }
  const inTime = (a: Approved, b: Approved): number => (a.time < b.time ? -1 : 1);
  return new Map([...byAgent].map(([agent, actions]) => [agent, [...actions.values()].sort(inTime)]));
}

/**
 * Checks an agent's usage: it is the sum of the agent's actions up to a time (D78). In the reply to a change, that time
 * is the change; in the reply to a read, it may be any earlier time.
 */
function miscounts({ usage, updatedAt }: Thing, actions: readonly Approved[], isNow: boolean): string[] {
  const { dailyTransactionCount: count, dailySpend: spend, monthlySpend } = usage;
  const due = isNow ? actions.filter(({ time }) => time <= updatedAt).length : count;
  const sum = actions.slice(0, count).reduce((total, { amount }) => total + amount, 0);
  const holds = count === due && count <= actions.length && spend === sum && monthlySpend === sum;
  return holds ? [] : [`its usage says ${count} actions and ${spend}; by the story ${due} and ${sum}`];
}
