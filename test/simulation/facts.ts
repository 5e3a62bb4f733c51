/** What the simulation's model goes by: the document's tables of outcomes, and the shapes of what it keeps. */
import { decimalsOf } from '../support/expect/exactMoney.ts';
import { accounts, type Destination, externals, type Source } from './cast.ts';

export const greatest = 9_000_000_000_000_000;
export const mostFunding = 100_000_000_000;

/** What is expected of the answer: one of these refusals (`400 INVALID_INPUT`), or a success and what it says. */
export type Expected =
  | { readonly refusals: readonly string[] }
  | {
      readonly status: number;
      readonly quote?: number;
      readonly transaction?: Transaction;
      readonly action?: Action;
    };

/** What an agent wanted done. */
export interface Action {
  /** The steps that made the agent, and the action. */
  readonly agent: number;
  readonly number: number;
  readonly request: Request;
  readonly sum: { readonly currency: string; readonly amount: number };
  /** What was decided; a quote that expires and a transaction that fails go on from there. */
  decided: 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'FAILED';
  transaction?: Transaction;
  approvedAt?: number;
  reason?: string;
  /** What did not pass at the approval: any of these. */
  failures?: readonly string[];
}

export type Request =
  | { readonly kind: 'AGENT_EXECUTE'; readonly quote: number }
  | {
      readonly kind: 'AGENT_IN' | 'AGENT_OUT';
      readonly account: number;
      readonly external: number;
      /** The account outside, as it was: one that is added again is another one. */
      readonly version: number;
      readonly amount: number;
    };

export interface Transaction {
  readonly type: 'INCOMING' | 'OUTGOING';
  status: string;
  failureReason: string | undefined;
  refund: string | undefined;
  settledAt: number | undefined;
  updatedAt: number;
  /** The amount that a quote or transfer sends, and the amount that arrives. */
  readonly sent: number | undefined;
  readonly received: number;
}

export interface Quote {
  status: string;
  readonly source: Source;
  readonly destination: Destination;
  readonly from: Place;
  readonly to: Place;
  readonly payer: number | null;
  readonly owner: number | null;
  /** The accounts outside, as they were when the quote was made. */
  readonly versions: readonly (number | undefined)[];
  readonly sending: number;
  readonly fee: number;
  readonly receiving: number;
  readonly currencies: readonly [sending: string, receiving: string];
  readonly transaction: Transaction;
}

/** An account inside, by its place in the list, or everything outside. */
export type Place = number | 'OUTSIDE';

/** How a step is left when it is refused. */
export class Refused extends Error {
  readonly refusals: readonly string[];
  constructor(refusals: readonly string[]) {
    super(refusals.join(', '));
    this.refusals = refusals;
  }
}

/** What may be wrong, each as good a reason as another. */
export type Level = readonly (string | false | undefined)[];

/** Collects what is wrong, level by level: the first level at which anything is wrong decides, its faults are equals. */
export function refuseFirst(...levels: readonly Level[]): void {
  for (const level of levels) {
    const found = level.filter((one): one is string => typeof one === 'string');
    if (found.length > 0) throw new Refused(found);
  }
}

export type Fate = 'PAID' | 'SLOW' | 'NOT_BEGUN' | 'BOUNCED' | 'RETURNED' | 'CANCELLED' | 'LOST';

export const fateOfSuffix: Readonly<Record<string, Fate>> = {
  '002': 'NOT_BEGUN',
  '003': 'SLOW',
  '004': 'BOUNCED',
  '005': 'RETURNED',
  '006': 'CANCELLED',
  '007': 'LOST',
};

export const transferFailures: Readonly<Record<string, string>> = {
  '002': 'INSUFFICIENT_FUNDS',
  '003': 'ACCOUNT_CLOSED',
  '004': 'REJECTED_BY_BANK',
};

export function fateOf({ destination }: Quote): Fate {
  if (destination.at === 'EXTERNAL') return fateOfSuffix[externals[destination.index]?.suffix ?? ''] ?? 'PAID';
  if (destination.at === 'INTERNAL') return 'PAID';
  if (destination.uma.startsWith('$pending.long.usd@')) return 'SLOW';
  return destination.uma.startsWith('$fail.compliance.usd@') ? 'NOT_BEGUN' : 'PAID';
}

export function currencyOf(side: Source | Destination): string {
  if (side.at === 'OUTSIDE' || side.at === 'UMA') return side.currency;
  return (side.at === 'INTERNAL' ? accounts : externals)[side.index]?.currency ?? '';
}

export function isSameAccount(source: Source, destination: Destination): boolean {
  return (
    source.at === destination.at && 'index' in source && 'index' in destination && source.index === destination.index
  );
}

export function notPending({ status }: Quote): string | undefined {
  if (status === 'PENDING') return undefined;
  return status === 'EXPIRED' ? '409 QUOTE_EXPIRED' : '409 QUOTE_NOT_PENDING';
}

export function isAmount(amount: number, most: number): boolean {
  return Number.isInteger(amount) && amount >= 1 && amount <= most;
}

export function money(code: string): { readonly code: string; readonly decimals: number } {
  return { code, decimals: decimalsOf[code] ?? 0 };
}

export function draft(type: Transaction['type'], now: number, sent: number | undefined, received: number): Transaction {
  return {
    type,
    status: 'PENDING',
    failureReason: undefined,
    refund: undefined,
    settledAt: undefined,
    updatedAt: now,
    sent,
    received,
  };
}
