/** The facts of the simulation's model: the document's tables of outcomes, and the shapes of its records. */
import { decimalsOf } from '../support/expect/exactMoney.ts';
import { accounts, type Destination, externals, type Source } from './cast.ts';

export const greatest = 9_000_000_000_000_000;
export const mostFunding = 100_000_000_000;

/** The expected answer: one of these refusals (`400 INVALID_INPUT`), or a success with its facts. */
export type Expected =
  | { readonly refusals: readonly string[] }
  | {
      readonly status: number;
      readonly quote?: number;
      readonly transaction?: Transaction;
      readonly action?: Action;
    };

/** An agent's action. */
export interface Action {
  /** The steps that made the agent and the action. */
  readonly agent: number;
  readonly number: number;
  readonly request: Request;
  readonly sum: { readonly currency: string; readonly amount: number };
  /** The decision. A quote may still expire and a transaction may still fail after it. */
  decided: 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'FAILED';
  transaction?: Transaction;
  approvedAt?: number;
  reason?: string;
  /** The reasons of a refused approval. Any of them may be reported. */
  failures?: readonly string[];
}

export type Request =
  | { readonly kind: 'AGENT_EXECUTE'; readonly quote: number }
  | {
      readonly kind: 'AGENT_IN' | 'AGENT_OUT';
      readonly account: number;
      readonly external: number;
      /** The version of the account outside. An account that was removed and added again has another one. */
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
  /** The sent amount of a quote or transfer, and the amount that arrives. */
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
  /** The versions of the accounts outside, when the quote was made. */
  readonly versions: readonly (number | undefined)[];
  readonly sending: number;
  readonly fee: number;
  readonly receiving: number;
  readonly currencies: readonly [sending: string, receiving: string];
  readonly transaction: Transaction;
}

/** An account inside, by its place in the list, or everything outside. */
export type Place = number | 'OUTSIDE';

/** Thrown when a step is refused. */
export class Refused extends Error {
  readonly refusals: readonly string[];
  constructor(refusals: readonly string[]) {
    super(refusals.join(', '));
    this.refusals = refusals;
  }
}

/** Possible faults. Any of them may be reported. */
export type Level = readonly (string | false | undefined)[];

/** Finds the first level with any fault and throws its faults. Within a level, each may be reported. */
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
