/** Agents in the model: what their policies permit, what happens to their actions, and their usage (D32, D33, D78). */
import { worthIn } from '../support/expect/exactMoney.ts';
import type { AgentStep, PolicyChange, PolicyPlan } from './agentSteps.ts';
import { type Account, accounts, type Destination, externals, type Source } from './cast.ts';
import {
  type Action,
  type Expected,
  greatest,
  isAmount,
  type Level,
  money,
  notPending,
  Refused,
  type Request,
  refuseFirst,
} from './facts.ts';
import { Quotes } from './quotes.ts';
import type { Step } from './steps.ts';

/** An account for a policy; undefined if it isn't an account. */
type Key = string | undefined;

interface Agent {
  readonly customer: number;
  isThere: boolean;
  isPaused: boolean;
  permissions: readonly string[];
  mode: PolicyPlan['mode'];
  limits: PolicyPlan['limits'];
  allowed: readonly Key[] | null;
  rules: readonly (PolicyPlan['rules'][number] & { readonly key: Key })[];
  threshold: PolicyPlan['threshold'];
}

interface Sum {
  readonly currency: string;
  readonly amount: number;
}

type Of<Kind extends AgentStep['kind']> = Extract<AgentStep, { kind: Kind }> & { readonly number: number };

export class Agents extends Quotes {
  readonly agents = new Map<number, Agent>();
  readonly actions = new Map<number, Action>();
  /** Which agent made a quote, both by the numbers of their steps. */
  private readonly makers = new Map<number, number>();

  protected takeOfAgent(step: Extract<Step, AgentStep>): Expected {
    switch (step.kind) {
      case 'AGENT_NEW':
        return this.newAgent(step);
      case 'AGENT_PAUSE':
        this.known(step.agent).isPaused = step.isPaused;
        return { status: 200 };
      case 'AGENT_POLICY':
        return this.changePolicy(step);
      case 'AGENT_END':
        this.known(step.agent).isThere = false;
        return { status: 204 };
      case 'AGENT_QUOTE':
        return this.agentQuote(step);
      case 'AGENT_EXECUTE':
        return this.agentExecute(step);
      case 'AGENT_IN':
      case 'AGENT_OUT':
        return this.agentTransfer(step);
      case 'APPROVE':
        return this.approve(step.action);
      case 'REJECT':
        return this.reject(step);
    }
  }

  /** The current status of an action. */
  statusOf({ decided, request, transaction }: Action): Action['decided'] {
    if (decided === 'APPROVED' && transaction?.status === 'FAILED') return 'FAILED';
    const isLate = request.kind === 'AGENT_EXECUTE' && this.quoteOf(request.quote).status === 'EXPIRED';
    return decided === 'PENDING_APPROVAL' && isLate ? 'FAILED' : decided;
  }

  /** The possible reasons of an action's failure; empty unless it FAILED before anything started (D85). */
  failuresOf(action: Action): readonly string[] {
    const { decided, failures, request, transaction } = action;
    if (this.statusOf(action) !== 'FAILED' || transaction !== undefined) return [];
    if (failures !== undefined) return failures;
    if (decided === 'PENDING_APPROVAL') return ['409 QUOTE_EXPIRED'];
    return [request.kind === 'AGENT_EXECUTE' ? '400 INSUFFICIENT_FUNDS' : '400 AMOUNT_OUT_OF_RANGE'];
  }

  /** An agent's usage: the sum of its approved actions of this day and this month. */
  usageOf(number: number) {
    const now = new Date(this.now).toISOString();
    const at = new Date(this.now);
    const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
    const { currency } = this.agent(number).limits;
    const counted = [...this.actions.values()].filter(
      (action) => action.agent === number && this.statusOf(action) === 'APPROVED',
    );
    const within = (period: string): Action[] =>
      counted.filter(({ approvedAt = 0 }) => new Date(approvedAt).toISOString().startsWith(period));
    const sum = (some: readonly Action[]): bigint =>
      some.reduce((total, action) => total + this.worth(action.sum, currency), 0n);
    const today = within(now.slice(0, 10));
    return {
      dailyTransactionCount: today.length,
      dailySpend: Number(sum(today)),
      dailyResetDate: new Date(Date.UTC(year, month, date + 1)).toISOString().slice(0, 10),
      monthlySpend: Number(sum(within(now.slice(0, 7)))),
      monthlyResetMonth: new Date(Date.UTC(year, month + 1, 1)).toISOString().slice(0, 7),
    };
  }

  private newAgent({ number, customer, policy }: Of<'AGENT_NEW'>): Expected {
    refuseFirst([this.isDeleted(customer) && '410 CUSTOMER_DELETED'], this.missingOf(customer, policy));
    const { allowed, rules, ...rest } = policy;
    const agent = { ...rest, customer, isThere: true, isPaused: false, allowed: null, rules: [] };
    this.agents.set(number, agent);
    this.restrict(agent, policy);
    return { status: 201 };
  }

  private changePolicy({ agent: number, change }: Of<'AGENT_POLICY'>): Expected {
    const agent = this.known(number);
    refuseFirst(this.missingOf(agent.customer, change));
    const { limits: before } = agent;
    agent.limits = { ...before, ...change.limits };
    if (before.currency !== agent.limits.currency && this.usageOf(number).monthlySpend > greatest) {
      agent.limits = before;
      throw new Refused(['400 AMOUNT_OUT_OF_RANGE']);
    }
    const { allowed, rules, limits, ...rest } = change;
    Object.assign(agent, rest);
    this.restrict(agent, change);
    return { status: 200 };
  }

  private restrict(agent: Agent, { allowed, rules }: PolicyChange): void {
    if (allowed !== undefined) agent.allowed = allowed?.map((one) => this.keyOf(one)) ?? null;
    if (rules !== undefined) agent.rules = rules.map((rule) => ({ ...rule, key: this.keyOf(rule.account) }));
  }

  /** The accounts in a policy must exist and belong to the customer. */
  private missingOf(customer: number, { allowed, rules = [] }: PolicyChange): Level {
    const named = [...(allowed ?? []), ...rules.map(({ account }) => account)];
    return named.map((one) => !this.isOwn(customer, one) && '404 ACCOUNT_NOT_FOUND');
  }

  private isOwn(customer: number, side: Account): boolean {
    return this.ownerOf(side) === customer && this.isThere(side);
  }

  private keyOf(side: Source | Destination, version?: number): Key {
    if (side.at === 'INTERNAL') return `inside ${side.index}`;
    return side.at === 'EXTERNAL' ? `outside ${side.index} ${version ?? this.versionOf(side.index)}` : undefined;
  }

  private agentQuote(step: Of<'AGENT_QUOTE'>): Expected {
    const agent = this.asking(step.agent);
    const { source, destination } = step;
    const isStrange = [source, destination].some(
      (side) => (side.at === 'INTERNAL' || side.at === 'EXTERNAL') && !this.isOwn(agent.customer, side),
    );
    const isAnother = source.at === 'OUTSIDE' && source.owner !== null && source.owner !== agent.customer;
    const missing = [isStrange && '404 ACCOUNT_NOT_FOUND', isAnother && '404 USER_NOT_FOUND'];
    const quote = this.plan(step, agent.customer, { missing, next: this.mayNot(agent, 'CREATE_QUOTES') });
    refuseFirst(this.notAllowed(agent, this.keysOf(quote)));
    this.open(step.number, quote);
    this.makers.set(step.number, step.agent);
    return { status: 201, quote: step.number };
  }

  private keysOf({
    source,
    destination,
    versions,
  }: {
    source: Source;
    destination: Destination;
    versions: readonly (number | undefined)[];
  }): Key[] {
    return [
      ...(source.at === 'OUTSIDE' ? [] : [this.keyOf(source, versions[0])]),
      this.keyOf(destination, versions[1]),
    ];
  }

  private agentExecute(step: Of<'AGENT_EXECUTE'>): Expected {
    const agent = this.asking(step.agent);
    const request = { kind: step.kind, quote: step.quote };
    const quote = this.quoteOf(step.quote);
    refuseFirst(
      [this.makers.get(step.quote) !== step.agent && '404 QUOTE_NOT_FOUND'],
      ...this.mayNot(agent, 'EXECUTE_QUOTES'),
      [
        [...this.actions.values()].some(
          (other) => 'quote' in other.request && other.request.quote === step.quote && this.isWaiting(other),
        ) &&
          quote.status === 'PENDING' &&
          '409 CONFLICT',
      ],
      ...this.quoteFaults(agent, step.agent, request),
      this.unsigned(quote, step.signature),
    );
    const sum = { currency: quote.currencies[0], amount: quote.sending };
    return { status: 200, action: this.begin(step, agent, request, sum, this.keysOf(quote)) };
  }

  /** Whether an action waits and can still be answered. */
  isWaiting(action: Action): boolean {
    return this.agent(action.agent).isThere && this.statusOf(action) === 'PENDING_APPROVAL';
  }

  private quoteFaults(agent: Agent, number: number, request: Extract<Request, { kind: 'AGENT_EXECUTE' }>): Level[] {
    const quote = this.quoteOf(request.quote);
    const sum = { currency: quote.currencies[0], amount: quote.sending };
    return [
      [quote.source.at === 'OUTSIDE' && '400 INVALID_INPUT'],
      [notPending(quote)],
      [this.isDeleted(agent.customer) && '410 CUSTOMER_DELETED'],
      this.notAllowed(agent, this.keysOf(quote)),
      this.beyondLimits(agent, number, this.keysOf(quote), sum),
    ];
  }

  private agentTransfer(step: Of<'AGENT_IN' | 'AGENT_OUT'>): Expected {
    const agent = this.asking(step.agent);
    const { kind, account, external, amount } = step;
    const request = { kind, account, external, version: this.versionOf(external), amount };
    refuseFirst([!isAmount(amount, greatest) && '400 INVALID_INPUT']);
    refuseFirst(...this.transferFaults(agent, step.agent, request));
    const sum = { currency: accounts[account]?.currency ?? '', amount };
    return { status: 201, action: this.begin(step, agent, request, sum, this.endsOf(request)) };
  }

  private endsOf({ account, external, version }: Extract<Request, { version: number }>): Key[] {
    return [this.keyOf({ at: 'INTERNAL', index: account }), this.keyOf({ at: 'EXTERNAL', index: external }, version)];
  }

  private transferFaults(agent: Agent, number: number, request: Extract<Request, { version: number }>): Level[] {
    const { kind, account, external, version, amount } = request;
    const currency = accounts[account]?.currency ?? '';
    const keys = this.endsOf(request);
    const isThere =
      this.isOwn(agent.customer, { at: 'INTERNAL', index: account }) &&
      this.isOwn(agent.customer, { at: 'EXTERNAL', index: external }) &&
      this.versionOf(external) === version;
    const fits = currency === externals[external]?.currency;
    return [
      [!isThere && '404 ACCOUNT_NOT_FOUND'],
      ...this.mayNot(agent, 'CREATE_TRANSFERS'),
      [this.isDeleted(agent.customer) && '410 CUSTOMER_DELETED'],
      [
        kind === 'AGENT_OUT' && currency === 'USDB' && '400 INVALID_INPUT',
        !this.account(account).isOpen && '400 INVALID_INPUT',
        !fits && '400 INVALID_CURRENCY',
      ],
      this.notAllowed(agent, keys),
      fits ? this.beyondLimits(agent, number, keys, { currency, amount }) : [],
    ];
  }

  private mayNot(agent: Agent, permission: string): Level[] {
    return [[agent.isPaused && '403 AGENT_PAUSED'], [!agent.permissions.includes(permission) && '403 FORBIDDEN']];
  }

  private notAllowed({ allowed }: Agent, keys: readonly Key[]): Level {
    const isOwn = (key: Key): boolean => key?.startsWith('inside') === true;
    const isStrange = allowed !== null && keys.some((key) => isOwn(key) && !allowed.includes(key));
    return [isStrange && '403 POLICY_VIOLATION allowedAccountIds'];
  }

  /** The first limit that would be exceeded. A missing limit is the largest possible amount (D08, D78). */
  private beyondLimits(agent: Agent, number: number, keys: readonly Key[], sum: Sum): Level {
    const { currency, perTransactionLimit, dailyTransactionLimit } = agent.limits;
    const worth = this.worth(sum, currency);
    const used = this.usageOf(number);
    const own = this.rulesOf(agent, keys).flatMap((rule) => rule.perTransactionLimit ?? []);
    const single = own.length === 0 ? perTransactionLimit : Math.min(...own);
    const passes = (spend: number, limit: number | null | undefined): boolean =>
      BigInt(spend) + worth > BigInt(limit ?? greatest);
    const violated = [
      passes(0, single) && (own.length === 0 ? 'perTransactionLimit' : 'accountRules.perTransactionLimit'),
      passes(used.dailySpend, agent.limits.dailyLimit) && 'dailyLimit',
      used.dailyTransactionCount + 1 > (dailyTransactionLimit ?? Number.POSITIVE_INFINITY) && 'dailyTransactionLimit',
      passes(used.monthlySpend, agent.limits.monthlyLimit) && 'monthlyLimit',
    ].find((one) => one !== false);
    return [violated !== undefined && `403 POLICY_VIOLATION ${violated}`];
  }

  private rulesOf({ rules }: Agent, keys: readonly Key[]) {
    return rules.filter(({ key }) => keys.includes(key));
  }

  private needsApproval(agent: Agent, keys: readonly Key[], sum: Sum): boolean {
    const modes = this.rulesOf(agent, keys).flatMap(({ executionMode }) => executionMode ?? []);
    if ((modes.length === 0 ? [agent.mode] : modes).includes('APPROVAL_REQUIRED')) return true;
    return agent.threshold !== null && this.worth(sum, agent.threshold.currency) > BigInt(agent.threshold.amount);
  }

  private begin(
    { number, agent: agentNumber }: { readonly number: number; readonly agent: number },
    agent: Agent,
    request: Request,
    sum: Sum,
    keys: readonly Key[],
  ): Action {
    const action: Action = { agent: agentNumber, number, request, sum, decided: 'PENDING_APPROVAL' };
    if (!this.needsApproval(agent, keys, sum)) this.perform(action);
    this.actions.set(number, action);
    return action;
  }

  private perform(action: Action): void {
    const transaction = this.move(action.request);
    action.decided = transaction === undefined || transaction.status === 'FAILED' ? 'FAILED' : 'APPROVED';
    if (transaction !== undefined) action.transaction = transaction;
    if (action.decided === 'APPROVED') action.approvedAt = this.now;
  }

  /** The transaction of a carried-out request; none if nothing could be started. */
  private move(request: Request): Action['transaction'] {
    if (request.kind === 'AGENT_EXECUTE') {
      const quote = this.quoteOf(request.quote);
      if (this.isPossible(quote) && this.lacksMoney(quote)) return undefined;
      this.carryOut(quote);
      return quote.transaction;
    }
    try {
      return request.kind === 'AGENT_IN' ? this.collect(request) : this.payOut(request);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (request.kind === 'AGENT_IN') return undefined;
      const { amount } = request;
      const failureReason = 'INSUFFICIENT_FUNDS';
      return this.record({ type: 'OUTGOING', status: 'FAILED', failureReason, sent: amount, received: amount });
    }
  }

  private approve(number: number): Expected {
    const action = this.answered(number);
    const { request } = action;
    const agent = this.agent(action.agent);
    refuseFirst([agent.isPaused && '409 CONFLICT agentPaused']);
    const faults =
      request.kind === 'AGENT_EXECUTE'
        ? [...this.mayNot(agent, 'EXECUTE_QUOTES'), ...this.quoteFaults(agent, action.agent, request)]
        : this.transferFaults(agent, action.agent, request);
    const failures = faults
      .map((level) => level.filter((fault) => typeof fault === 'string'))
      .find(({ length }) => length);
    if (failures === undefined) this.perform(action);
    else Object.assign(action, { decided: 'FAILED', failures });
    return { status: 200, action };
  }

  private reject({ action: number, reason }: Of<'REJECT'>): Expected {
    const action = this.answered(number);
    action.decided = 'REJECTED';
    if (reason !== null) action.reason = reason;
    return { status: 200, action };
  }

  private answered(number: number): Action {
    const action = this.actions.get(number);
    if (action === undefined) throw new Error('No such action');
    this.known(action.agent);
    refuseFirst([this.statusOf(action) !== 'PENDING_APPROVAL' && '409 ACTION_NOT_PENDING']);
    return action;
  }

  /** The agent that asks. A deleted agent's access token is invalid. */
  private asking(number: number): Agent {
    const agent = this.agent(number);
    refuseFirst([!agent.isThere && '401 UNAUTHORIZED']);
    return agent;
  }

  private known(number: number): Agent {
    const agent = this.agent(number);
    refuseFirst([!agent.isThere && '404 AGENT_NOT_FOUND']);
    return agent;
  }

  private agent(number: number): Agent {
    const agent = this.agents.get(number);
    if (agent === undefined) throw new Error('No such agent');
    return agent;
  }

  private worth({ currency: from, amount }: Sum, to: string): bigint {
    return worthIn(BigInt(amount), money(from), money(to), this.rates.get(`${from} ${to}`) ?? '');
  }
}
