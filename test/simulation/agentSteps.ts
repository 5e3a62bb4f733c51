/** The agents' steps in the simulation, and the platform's steps with agents. They are chosen like all steps. */
import type { Random } from '../support/requests/random.ts';
import {
  type Account,
  accounts,
  chooseAmount,
  customers,
  type Destination,
  externals,
  ownReceiver,
  receivers,
  type Source,
} from './cast.ts';

type Mode = 'AUTO' | 'APPROVAL_REQUIRED';

export interface Limits {
  readonly currency: string;
  readonly perTransactionLimit: number;
  readonly dailyLimit?: number | null;
  readonly dailyTransactionLimit?: number | null;
  readonly monthlyLimit?: number | null;
}

export interface Rule {
  readonly account: Account;
  readonly executionMode?: Mode;
  readonly perTransactionLimit?: number;
}

/** A policy, with accounts by their places. Null removes a field. */
export interface PolicyPlan {
  readonly permissions: readonly string[];
  readonly mode: Mode;
  readonly limits: Limits;
  readonly allowed: readonly Account[] | null;
  readonly rules: readonly Rule[];
  readonly threshold: { readonly currency: string; readonly amount: number } | null;
}

export type PolicyChange = Partial<Omit<PolicyPlan, 'limits'>> & { readonly limits?: Partial<Limits> };

/** An agent is identified by the number of the step that made it, and so are quotes and actions. */
export type AgentStep =
  | { readonly kind: 'AGENT_NEW'; readonly customer: number; readonly policy: PolicyPlan }
  | { readonly kind: 'AGENT_PAUSE'; readonly agent: number; readonly isPaused: boolean }
  | { readonly kind: 'AGENT_POLICY'; readonly agent: number; readonly change: PolicyChange }
  | { readonly kind: 'AGENT_END'; readonly agent: number }
  | {
      readonly kind: 'AGENT_QUOTE';
      readonly agent: number;
      readonly source: Source;
      readonly destination: Destination;
      readonly side: 'SENDING' | 'RECEIVING';
      readonly amount: number;
      readonly isToldAll: boolean;
      readonly hasLookup: boolean;
    }
  | {
      readonly kind: 'AGENT_EXECUTE';
      readonly agent: number;
      readonly quote: number;
      readonly signature: 'GOOD' | 'WRONG' | 'NONE';
    }
  | {
      readonly kind: 'AGENT_IN' | 'AGENT_OUT';
      readonly agent: number;
      readonly account: number;
      readonly external: number;
      readonly amount: number;
    }
  | { readonly kind: 'APPROVE'; readonly action: number }
  | { readonly kind: 'REJECT'; readonly action: number; readonly reason: string | null };

/** The earlier steps that influence the choice of an agent's step. */
export interface AgentPast {
  agents: { readonly number: number; readonly customer: number }[];
  ended: { readonly number: number; readonly customer: number }[];
  agentQuotes: { readonly number: number; readonly agent: number }[];
  /** The latest steps that may have made an action. */
  actions: number[];
}

const most = 5;

/** Remembers a step that later steps may refer to. */
export function noteAgentStep(random: Random, past: AgentPast, number: number, step: { readonly kind: string }): void {
  const one = step as AgentStep;
  switch (one.kind) {
    case 'AGENT_NEW':
      past.agents.push({ number, customer: one.customer });
      break;
    case 'AGENT_QUOTE':
      past.agentQuotes = [...past.agentQuotes.slice(-5), { number, agent: one.agent }];
      break;
    case 'AGENT_EXECUTE':
      if (random.chance(0.7)) past.agentQuotes = past.agentQuotes.filter((quote) => quote.number !== one.quote);
      past.actions = [...past.actions.slice(-5), number];
      break;
    case 'AGENT_IN':
    case 'AGENT_OUT':
      past.actions = [...past.actions.slice(-5), number];
      break;
    case 'AGENT_END':
      past.ended = [...past.ended.slice(-3), ...past.agents.filter((agent) => agent.number === one.agent)];
      past.agents = past.agents.filter((agent) => agent.number !== one.agent);
      break;
    case 'APPROVE':
    case 'REJECT':
      if (random.chance(0.7)) past.actions = past.actions.filter((action) => action !== one.action);
      break;
  }
}

export function chooseAgentStep(random: Random, past: AgentPast): AgentStep {
  const kind = random.below(100);
  if (past.agents.length < 2 || (kind < 5 && past.agents.length < most)) {
    const customer = random.below(customers.length);
    return { kind: 'AGENT_NEW', customer, policy: choosePolicy(random, customer) };
  }
  // Sometimes the id and access token of a deleted agent are tried again.
  const { number: agent, customer } = random.pick(
    past.ended.length > 0 && random.chance(0.03) ? past.ended : past.agents,
  );
  if (kind < 6) return { kind: 'AGENT_END', agent };
  if (kind < 10) return { kind: 'AGENT_PAUSE', agent, isPaused: random.chance(0.25) };
  if (kind < 19) return { kind: 'AGENT_POLICY', agent, change: chooseChange(random, customer) };
  if (kind < 38) return chooseQuote(random, agent, customer);
  if (kind < 57 && past.agentQuotes.length > 0) {
    const quote = random.pick(past.agentQuotes.slice(random.chance(0.7) ? -1 : 0));
    const signature = random.pick(['GOOD', 'GOOD', 'GOOD', 'GOOD', 'WRONG', 'NONE'] as const);
    // A quote of another agent doesn't exist for this one.
    return { kind: 'AGENT_EXECUTE', agent: random.chance(0.95) ? quote.agent : agent, quote: quote.number, signature };
  }
  if (kind < 75 && past.actions.length > 0) {
    const action = random.pick(past.actions.slice(random.chance(0.7) ? -2 : 0));
    if (random.chance(0.75)) return { kind: 'APPROVE', action };
    return { kind: 'REJECT', action, reason: random.chance(0.5) ? 'Not today.' : null };
  }
  return chooseTransfer(random, agent, customer);
}

function ownPlaces(list: readonly { readonly owner: number | null }[], customer: number): number[] {
  return list.flatMap(({ owner }, index) => (owner === customer ? [index] : []));
}

function chooseTransfer(random: Random, agent: number, customer: number): AgentStep {
  let [account, external] = [random.below(accounts.length), random.below(externals.length)];
  const own = ownPlaces(externals, customer);
  if (own.length > 0 && random.chance(0.9)) {
    external = random.pick(own);
    const currency = externals[external]?.currency;
    account =
      ownPlaces(accounts, customer).find((index) => accounts[index]?.currency === currency && random.chance(0.95)) ??
      random.pick(ownPlaces(accounts, customer));
  }
  return { kind: random.chance(0.4) ? 'AGENT_IN' : 'AGENT_OUT', agent, account, external, amount: amountOf(random) };
}

function chooseQuote(random: Random, agent: number, customer: number): AgentStep {
  const among = (list: readonly { readonly owner: number | null }[]): number => {
    const own = ownPlaces(list, customer);
    return own.length > 0 && random.chance(0.95) ? random.pick(own) : random.below(list.length);
  };
  const internal = () => ({ at: 'INTERNAL' as const, index: among(accounts) });
  const outside = () => ({ at: 'EXTERNAL' as const, index: among(externals) });
  const from = random.below(10);
  const to = random.below(10);
  const source: Source =
    from < 8
      ? internal()
      : from < 9
        ? outside()
        : {
            at: 'OUTSIDE',
            owner: random.pick([null, null, customer, customer, 0]),
            currency: random.pick(['USD', 'EUR']),
          };
  const receiver = random.chance(0.5) ? random.pick(receivers) : ownReceiver(random, random.below(customers.length));
  return {
    kind: 'AGENT_QUOTE',
    agent,
    source,
    destination: to < 4 ? internal() : to < 8 ? outside() : { at: 'UMA', ...receiver },
    side: random.chance(0.5) ? 'SENDING' : 'RECEIVING',
    amount: amountOf(random),
    isToldAll: random.chance(0.95),
    hasLookup: random.chance(0.95),
  };
}

/** Often one of few amounts, so that sums reach a limit exactly. */
function amountOf(random: Random): number {
  return random.chance(0.5) ? random.pick([1, 1000, 2500, 5000, 10_000]) : chooseAmount(random);
}

function limitOf(random: Random): number {
  if (random.chance(0.3)) return random.pick([0, 5000, 10_000, 20_000, 50_000]);
  return Math.min(9_000_000_000_000_000, 1000 * random.amount(9_000_000_000_000));
}

function currencyOf(random: Random): string {
  return random.chance(0.5) ? 'USD' : random.pick(['EUR', 'USDB', 'JPY', 'BTC', 'INR', 'KWD', 'VND']);
}

function accountOf(random: Random, customer: number): Account {
  // An account that was never opened has no id. In a currency that the customer doesn't have, it never was.
  const inside = ownPlaces(accounts, customer).filter((index) =>
    customers[customer]?.currencies.includes(accounts[index]?.currency ?? ''),
  );
  const outside = ownPlaces(externals, customer);
  if (random.chance(0.02)) return { at: 'EXTERNAL', index: random.below(externals.length) };
  if (outside.length === 0 || random.chance(0.4)) return { at: 'INTERNAL', index: random.pick(inside) };
  return { at: 'EXTERNAL', index: random.pick(outside) };
}

/** Different accounts, because a list may name each once. */
function accountsOf(random: Random, customer: number, count: number): Account[] {
  const chosen = Array.from({ length: count }, () => accountOf(random, customer));
  return chosen.filter(
    (one, place) => chosen.findIndex((other) => other.at === one.at && other.index === one.index) === place,
  );
}

const permissions = ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'];

function choosePermissions(random: Random): string[] {
  return permissions.filter(() => random.chance(0.95));
}

function chooseRules(random: Random, customer: number): Rule[] {
  return accountsOf(random, customer, random.below(4)).map((account): Rule => {
    const kind = random.below(3);
    const executionMode = random.chance(0.5) ? 'AUTO' : 'APPROVAL_REQUIRED';
    return {
      account,
      ...(kind === 0 ? {} : { executionMode }),
      ...(kind === 1 ? {} : { perTransactionLimit: limitOf(random) }),
    };
  });
}

function chooseAllowed(random: Random, customer: number): Account[] | null {
  if (random.chance(0.85)) return null;
  return accountsOf(random, customer, random.below(14)).filter(({ at }) => at === 'INTERNAL');
}

function chooseThreshold(random: Random): PolicyPlan['threshold'] {
  return random.chance(0.5) ? null : { currency: currencyOf(random), amount: limitOf(random) };
}

function chooseMode(random: Random): Mode {
  return random.chance(0.7) ? 'AUTO' : 'APPROVAL_REQUIRED';
}

function chooseCount(random: Random): number {
  return random.below(6);
}

function choosePolicy(random: Random, customer: number): PolicyPlan {
  return {
    permissions: choosePermissions(random),
    mode: chooseMode(random),
    limits: {
      currency: currencyOf(random),
      perTransactionLimit: random.chance(0.3) ? limitOf(random) : 9_000_000_000_000_000,
      ...(random.chance(0.3) ? { dailyLimit: limitOf(random) } : {}),
      ...(random.chance(0.3) ? { dailyTransactionLimit: chooseCount(random) } : {}),
      ...(random.chance(0.3) ? { monthlyLimit: limitOf(random) } : {}),
    },
    allowed: chooseAllowed(random, customer),
    rules: random.chance(0.5) ? [] : chooseRules(random, customer),
    threshold: chooseThreshold(random),
  };
}

/** One field or another, sometimes several. */
function chooseChange(random: Random, customer: number): PolicyChange {
  const first = random.below(6);
  const has = (field: number): boolean => field === first || random.chance(0.1);
  return {
    ...(has(0) ? { permissions: choosePermissions(random) } : {}),
    ...(has(1) ? { mode: chooseMode(random) } : {}),
    ...(has(2) ? { limits: chooseLimitChange(random) } : {}),
    ...(has(3) ? { allowed: chooseAllowed(random, customer) } : {}),
    ...(has(4) ? { rules: chooseRules(random, customer) } : {}),
    ...(has(5) ? { threshold: chooseThreshold(random) } : {}),
  };
}

function chooseLimitChange(random: Random): Partial<Limits> {
  const limit = () => (random.chance(0.3) ? null : limitOf(random));
  switch (random.below(5)) {
    case 0:
      return { currency: currencyOf(random) };
    case 1:
      return { perTransactionLimit: limitOf(random) };
    case 2:
      return { dailyLimit: limit() };
    case 3:
      return { dailyTransactionLimit: random.chance(0.3) ? null : chooseCount(random) };
    default:
      return { monthlyLimit: limit() };
  }
}
