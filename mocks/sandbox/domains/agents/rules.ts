import type { Fault } from '../../../../contract/faults.ts';
import type {
  AgentAction,
  AgentActionFailure,
  AgentPermission,
  AgentPolicyInput,
  AgentPolicyUpdateRequest,
} from '../../../../generated/types.ts';
import { findCurrency, maxAmount, sayAmount } from '../../payments/currencies.ts';
import { type Money, worthOf } from '../../payments/money.ts';
import { isInternalAccount } from '../../payments/places.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import type { Received } from '../../tools/received.ts';
import type { Policy, Usage } from './records.ts';

/** How long a device code can be redeemed, in milliseconds (D13). */
export const deviceCodeLifetimeMs = 24 * 60 * 60_000;

/** What an agent wants to start, and all facts that decide about it. Each fault is the result of a separate check. */
export interface Attempt {
  /** Something in the request doesn't exist or doesn't belong to its customer: 404. */
  readonly missing?: Problem | undefined;
  readonly isPaused: boolean;
  readonly permission: AgentPermission | null;
  /** The payment breaks one of its own rules (D72): 400, 403, 409, 410. */
  readonly unfit?: Problem | undefined;
  /** The accounts among source and destination, both internal and external. */
  readonly accountIds: readonly string[];
  /** The debit of the source. Absent if a quote is only created: limits don't apply then (D80). */
  readonly sum?: Money | undefined;
  readonly policy: Policy;
  /** The usage of the current day and month. */
  readonly usage: Usage;
  /** The owner of a wallet hasn't signed: 401. */
  readonly unsigned?: Problem | undefined;
  /** Whether the platform has just approved it, so that it needs no further approval. */
  readonly isApproved: boolean;
}

/** The result of an attempt: the first fault, or whether it is carried out or waits for the platform. */
export type Examination = Problem | 'CARRY_OUT' | 'WAIT';

/**
 * Checks what an agent wants to start, in the order of D32: what is missing, pause, permission, the payment's own
 * rules, accounts, limits, signature, approval. The result is the first fault, even if there are several.
 */
export function examine(attempt: Attempt): Examination {
  const { missing, unfit, unsigned, policy, sum } = attempt;
  return (
    missing ??
    pauseFault(attempt.isPaused) ??
    permissionFault(policy, attempt.permission) ??
    unfit ??
    accountFault(policy, attempt.accountIds) ??
    (sum === undefined ? undefined : limitFault(attempt, sum)) ??
    unsigned ??
    (!attempt.isApproved && sum !== undefined && needsApproval(policy, attempt.accountIds, sum) ? 'WAIT' : 'CARRY_OUT')
  );
}

function pauseFault(isPaused: boolean): Problem | undefined {
  return isPaused
    ? new Problem('AGENT_PAUSED', "The agent is paused, so it can't start anything until the platform resumes it.")
    : undefined;
}

function permissionFault(
  { permissions }: Pick<Policy, 'permissions'>,
  permission: AgentPermission | null,
): Problem | undefined {
  if (permission === null || permissions.includes(permission)) return undefined;
  return new Problem('FORBIDDEN', `The agent's policy lacks the permission ${permission}, which this operation needs.`);
}

/** @throws Problem 403 `FORBIDDEN` for what an agent reads or stores. {@link examine} checks what it starts. */
export function checkPermission(policy: Pick<Policy, 'permissions'>, permission: AgentPermission | null): void {
  const fault = permissionFault(policy, permission);
  if (fault !== undefined) throw fault;
}

/**
 * The list restricts the accounts that the agent debits or credits, not who is paid. External accounts aren't in it
 * (D78).
 */
function accountFault({ allowedAccountIds }: Policy, accountIds: Attempt['accountIds']): Problem | undefined {
  if (allowedAccountIds === undefined) return undefined;
  const own = accountIds.filter((id) => isInternalAccount(id));
  const accountId = own.find((id) => !allowedAccountIds.includes(id));
  if (accountId === undefined) return undefined;
  return new Problem('POLICY_VIOLATION', `The policy does not allow the account ${accountId}.`, {
    reason: 'allowedAccountIds',
    details: { accountId },
  });
}

/** Checks the limits in the order of D78. A missing limit counts as the largest possible amount (D08). */
function limitFault({ policy, usage, accountIds }: Attempt, sum: Money): Problem | undefined {
  const { currency, dailyTransactionLimit } = policy.spendingLimits;
  const { dailyLimit = maxAmount, monthlyLimit = maxAmount } = policy.spendingLimits;
  const worth = worthOf(sum, currency);
  const single = perTransactionLimit(policy, accountIds);
  const passes = (used: number, limit: number): boolean => BigInt(used) + worth > BigInt(limit);
  const fault = (reason: string, message: string, limit: number, used: number): Problem =>
    new Problem('POLICY_VIOLATION', message, {
      reason,
      // An amount above the largest possible one is left out, so that it isn't rounded (D08).
      details: { limit, used, ...(worth <= BigInt(maxAmount) ? { amount: Number(worth) } : {}), currency },
    });
  const wanted = `this payment is ${sayAmount(worth, currency)}`;
  const overPeriod = (period: string, limit: number, used: number): string =>
    `The limit is ${sayAmount(limit, currency)} a ${period}. ${sayAmount(used, currency)} was spent, and ${wanted}.`;
  if (passes(0, single.limit)) {
    return fault(
      single.reason,
      `The limit is ${sayAmount(single.limit, currency)} for one payment, and ${wanted}.`,
      single.limit,
      0,
    );
  }
  if (passes(usage.dailySpend, dailyLimit)) {
    const message = overPeriod('day', dailyLimit, usage.dailySpend);
    return fault('dailyLimit', message, dailyLimit, usage.dailySpend);
  }
  if (dailyTransactionLimit !== undefined && usage.dailyCount >= dailyTransactionLimit) {
    const message = `The limit is ${dailyTransactionLimit} actions a day, and the agent has used all of them.`;
    const details = { limit: dailyTransactionLimit, used: usage.dailyCount };
    return new Problem('POLICY_VIOLATION', message, { reason: 'dailyTransactionLimit', details });
  }
  if (passes(usage.monthlySpend, monthlyLimit)) {
    const message = overPeriod('month', monthlyLimit, usage.monthlySpend);
    return fault('monthlyLimit', message, monthlyLimit, usage.monthlySpend);
  }
  return undefined;
}

/** The limit of the accounts' rules, the lowest if there are several. If there is none, the policy's limit. */
function perTransactionLimit(policy: Policy, accountIds: Attempt['accountIds']): { limit: number; reason: string } {
  const own = policy.accountRules
    .filter(({ accountId }) => accountIds.includes(accountId))
    .flatMap(({ perTransactionLimit: limit }) => (limit === undefined ? [] : [limit]));
  if (own.length > 0) return { limit: Math.min(...own), reason: 'accountRules.perTransactionLimit' };
  return { limit: policy.spendingLimits.perTransactionLimit, reason: 'perTransactionLimit' };
}

function needsApproval(policy: Policy, accountIds: Attempt['accountIds'], sum: Money): boolean {
  const { approvalThresholds, defaultExecutionMode } = policy;
  const modes = policy.accountRules
    .filter(({ accountId }) => accountIds.includes(accountId))
    .flatMap(({ executionMode }) => (executionMode === undefined ? [] : [executionMode]));
  if ((modes.length > 0 ? modes : [defaultExecutionMode]).includes('APPROVAL_REQUIRED')) return true;
  if (approvalThresholds === undefined) return false;
  return worthOf(sum, approvalThresholds.currency) > BigInt(approvalThresholds.amount);
}

/** @throws Problem 409 `ACTION_NOT_PENDING`. */
export function checkIsWaiting({ id, status }: { readonly id: string; readonly status: AgentAction['status'] }): void {
  if (status === 'PENDING_APPROVAL') return;
  const message = `The action ${id} is ${status}; only a PENDING_APPROVAL action can be approved or rejected.`;
  throw new Problem('ACTION_NOT_PENDING', message);
}

/**
 * Refuses an approval during a pause. The approval is probably a mistake, and it would make the action fail for good.
 * So the action keeps waiting (D33).
 * @throws Problem 409 `CONFLICT`.
 */
export function checkMayBeApproved({ id, isPaused }: { readonly id: string; readonly isPaused: boolean }): void {
  if (!isPaused) return;
  const way = `Set isPaused to false with PATCH /agents/${id} and approve again, or reject the action.`;
  throw new Problem('CONFLICT', `The agent is paused, so its action can't be approved. ${way}`, {
    reason: 'agentPaused',
  });
}

/** The end of an action that never started, with the error that a direct submission would get (D85). */
export function failed({ code, message, reason }: Problem): {
  readonly status: 'FAILED';
  readonly failure: AgentActionFailure;
} {
  // The contract lists the codes that can appear here, and every reply is validated against it.
  const field = code === 'POLICY_VIOLATION' ? { reason } : {};
  const told = { code, message, ...field } as AgentActionFailure;
  return { status: 'FAILED', failure: told };
}

/** @throws Problem 400 `DEVICE_CODE_INVALID`. Its `reason` says why the code ended (D34). */
export function checkRedeemable(
  code: { readonly expiresAt: number; readonly ended?: 'redeemed' | 'replaced' },
  now: number,
): void {
  const reason = code.ended ?? (now < code.expiresAt ? undefined : 'expired');
  if (reason === undefined) return;
  const said = { redeemed: 'was redeemed', replaced: 'was replaced by a newer one', expired: 'has expired' }[reason];
  throw new Problem('DEVICE_CODE_INVALID', `The device code ${said}; ask the platform for a new one.`, { reason });
}

/** The UTC day and month of an instant. */
function calendar(instant: number): { readonly day: string; readonly month: string } {
  const day = toTimestamp(instant).slice(0, 10);
  return { day, month: day.slice(0, 7) };
}

/** Usage of zero. */
export function freshUsage(now: number): Usage {
  return { ...calendar(now), dailyCount: 0, dailySpend: 0, monthlySpend: 0 };
}

/** The usage of the current day and month. Usage of an earlier day or month counts as zero (D78). */
export function usageAt(usage: Usage, now: number): Usage {
  const fresh = freshUsage(now);
  return {
    ...fresh,
    ...(usage.day === fresh.day ? { dailyCount: usage.dailyCount, dailySpend: usage.dailySpend } : {}),
    ...(usage.month === fresh.month ? { monthlySpend: usage.monthlySpend } : {}),
  };
}

/**
 * Adds an action to the usage, or removes one. It counts only in the day and the month of `countedAt`. `sum` is the
 * debit of its source, `currency` that of the limits.
 */
export function changeUsage(usage: Usage, sum: Money, countedAt: number, currency: string, sign: 1 | -1): Usage {
  const worth = sign * Number(worthOf(sum, currency));
  const { day, month } = calendar(countedAt);
  return {
    ...usage,
    ...(day === usage.day ? { dailyCount: usage.dailyCount + sign, dailySpend: usage.dailySpend + worth } : {}),
    ...(month === usage.month ? { monthlySpend: usage.monthlySpend + worth } : {}),
  };
}

/**
 * Counts a month's actions again in another currency (D78).
 * @throws Problem 400 `AMOUNT_OUT_OF_RANGE` if their sum exceeds the largest possible amount (D08).
 */
export function countAgain(
  counted: readonly { readonly sum: Money; readonly countedAt: number }[],
  currency: string,
  now: number,
): Usage {
  const total = counted.reduce((all, { sum }) => all + worthOf(sum, currency), 0n);
  if (total > BigInt(maxAmount)) {
    const most = sayAmount(maxAmount, currency);
    const message = `this month's actions would count as more than ${most}, the largest amount; use another currency`;
    throw invalidField('/spendingLimits/currency', message, 'AMOUNT_OUT_OF_RANGE');
  }
  return counted.reduce(
    (usage, { sum, countedAt }) => changeUsage(usage, sum, countedAt, currency, 1),
    freshUsage(now),
  );
}

/** The policy of a new agent. `at` is its place in the request. @throws Problem 400 (D78) */
export function newPolicy(input: Received<AgentPolicyInput>, at: string): Policy {
  const { allowedAccountIds, accountRules = [] } = input.accountRestrictions ?? {};
  const policy: Policy = {
    permissions: input.permissions,
    defaultExecutionMode: input.defaultExecutionMode ?? 'AUTO',
    spendingLimits: input.spendingLimits,
    ...given({ allowedAccountIds }),
    accountRules,
    ...given({ approvalThresholds: input.approvalThresholds }),
  };
  checkPolicy(policy, at);
  return policy;
}

/**
 * The policy after an update. An absent field keeps its value, a list replaces the earlier list, null removes a value
 * (D78).
 * @throws Problem 400.
 */
export function changedPolicy(policy: Policy, update: Received<AgentPolicyUpdateRequest>): Policy {
  const { spendingLimits = {}, accountRestrictions = {} } = update;
  const changed: Policy = {
    permissions: update.permissions ?? policy.permissions,
    defaultExecutionMode: update.defaultExecutionMode ?? policy.defaultExecutionMode,
    spendingLimits: withoutNulls({ ...policy.spendingLimits, ...spendingLimits }),
    allowedAccountIds:
      accountRestrictions.allowedAccountIds === undefined
        ? policy.allowedAccountIds
        : (accountRestrictions.allowedAccountIds ?? undefined),
    accountRules: accountRestrictions.accountRules ?? policy.accountRules,
    approvalThresholds: changedThreshold(policy.approvalThresholds, update.approvalThresholds),
  };
  checkPolicy(changed, '');
  return changed;
}

function withoutNulls<T extends object>(limits: T): { [Key in keyof T]: Exclude<T[Key], null> } {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)) as {
    [Key in keyof T]: Exclude<T[Key], null>;
  };
}

function changedThreshold(
  before: Policy['approvalThresholds'],
  update: Received<AgentPolicyUpdateRequest>['approvalThresholds'],
): Policy['approvalThresholds'] {
  if (update === undefined) return before;
  if (update.amount === null) {
    if (update.currency !== undefined) checkCurrency('/approvalThresholds', update.currency);
    return undefined;
  }
  const { currency = before?.currency, amount = before?.amount } = update;
  if (currency === undefined || amount === undefined) {
    const missing = currency === undefined ? 'currency' : 'amount';
    throw invalidField(`/approvalThresholds/${missing}`, 'is required, because there was no threshold before');
  }
  return { currency, amount };
}

function checkCurrency(at: string, currency: string): void {
  if (findCurrency(currency) !== undefined) return;
  throw invalidField(`${at}/currency`, `${currency} is not a currency of the service`, 'INVALID_CURRENCY');
}

/** @throws Problem 400 `INVALID_CURRENCY` for an unknown currency, 400 `INVALID_INPUT` for an account with two rules. */
function checkPolicy({ spendingLimits, approvalThresholds, accountRules }: Policy, at: string): void {
  const unknown = Object.entries({ spendingLimits, approvalThresholds }).flatMap(([field, said]): Fault[] => {
    if (said === undefined || findCurrency(said.currency) !== undefined) return [];
    const message = `${said.currency} is not a currency of the service`;
    return [{ in: 'body', pointer: `${at}/${field}/currency`, message }];
  });
  if (unknown.length > 0) throw invalid(unknown, 'INVALID_CURRENCY');
  const twice = accountRules.flatMap(({ accountId }, index): Fault[] => {
    const pointer = `${at}/accountRestrictions/accountRules/${index}/accountId`;
    const isFirst = accountRules.findIndex((rule) => rule.accountId === accountId) === index;
    return isFirst ? [] : [{ in: 'body', pointer, message: 'already has a rule in this list' }];
  });
  if (twice.length > 0) throw invalid(twice);
}
