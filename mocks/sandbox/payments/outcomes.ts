/**
 * What the sandbox lets an identifier choose (D30, D31, D38, D40): the rules decide by these tables, and the guide to
 * magic values prints them. Only data, so that the generator can read it before anything is generated.
 */
import type {
  BeneficiaryVerificationStatus,
  KycStatus,
  OutgoingTransactionFailureReason,
  OutgoingTransactionStatus,
  Refund,
} from '../../../generated/types.ts';

const second = 1000;
const minute = 60 * second;

/** What the ledger does at once: pay, hold the money back, send it and get it back, send it and lose it, or nothing. */
export type Step = 'PAY' | 'HOLD' | 'BOUNCE' | 'LOSE' | 'NOTHING';

/** What happens later by itself: money arrives, comes back, or was never there (D30). */
export type Pending = 'COMPLETE' | 'RETURN' | 'TIME_OUT';

/** What happens to a payment when it is carried out, and what follows later by itself (D30, D31). */
export interface Outcome {
  readonly step: Step;
  readonly status: OutgoingTransactionStatus;
  readonly failureReason?: OutgoingTransactionFailureReason;
  readonly refund?: { readonly status: Refund['status']; readonly reason: Refund['reason'] };
  readonly later?: { readonly pending: Pending; readonly afterMs: number };
}

/** How a pending payment ends when it is due (D30). */
export const endings = {
  COMPLETE: { status: 'COMPLETED' },
  RETURN: { status: 'FAILED', failureReason: 'COUNTERPARTY_POST_TX_FAILED' },
  TIME_OUT: { status: 'FAILED', failureReason: 'TIMED_OUT' },
} as const satisfies Readonly<Record<Pending, Pick<Outcome, 'status' | 'failureReason'>>>;

/** How a payment ends where no table says otherwise. */
export const success: Outcome = { step: 'PAY', status: 'COMPLETED' };

const slow: Outcome = { step: 'HOLD', status: 'PROCESSING', later: { pending: 'COMPLETE', afterMs: 6 * minute } };
const returned = { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' } as const;

/** Quotes to an external account, by the suffix of its identifier (D30). */
export const quoteOutcomes: Readonly<Record<string, Outcome>> = {
  '002': { step: 'NOTHING', status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' },
  '003': slow,
  '004': { step: 'BOUNCE', status: 'FAILED', failureReason: 'COUNTERPARTY_POST_TX_FAILED', refund: returned },
  '005': { step: 'PAY', status: 'COMPLETED', later: { pending: 'RETURN', afterMs: 30 * second } },
  '006': {
    step: 'BOUNCE',
    status: 'FAILED',
    failureReason: 'QUOTE_EXECUTION_FAILED',
    refund: { status: 'COMPLETED', reason: 'USER_CANCELLATION' },
  },
  '007': {
    step: 'LOSE',
    status: 'FAILED',
    failureReason: 'COUNTERPARTY_POST_TX_FAILED',
    refund: { status: 'FAILED', reason: 'TRANSACTION_FAILED' },
  },
};

/** Transfers and direct pulls, by the suffix of the external account's identifier (D30). */
export const transferOutcomes: Readonly<Record<string, Outcome>> = {
  '002': { step: 'BOUNCE', status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS' },
  '003': { step: 'BOUNCE', status: 'FAILED', failureReason: 'ACCOUNT_CLOSED' },
  '004': { step: 'BOUNCE', status: 'FAILED', failureReason: 'REJECTED_BY_BANK' },
  '005': { step: 'HOLD', status: 'PENDING', later: { pending: 'TIME_OUT', afterMs: 30 * second } },
};

/** The receivers that the sandbox makes up, by the part before the `@`: what they take, and how a payment to them ends (D31). */
export const umaReceivers: Readonly<Record<string, { readonly currency: string; readonly outcome: Outcome }>> = {
  '$success.usd': { currency: 'USD', outcome: success },
  '$success.eur': { currency: 'EUR', outcome: success },
  '$success.mxn': { currency: 'MXN', outcome: success },
  '$pending.long.usd': { currency: 'USD', outcome: slow },
  '$fail.compliance.usd': {
    currency: 'USD',
    outcome: { step: 'NOTHING', status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' },
  },
};

/** The address that nobody has, so that a lookup can be refused (D31). */
export const unknownUmaReceiver = '$non.existent.usd';

/** The result of the check of a beneficiary's name, by the suffix of the account's identifier; 105 is refused (D40). */
export const beneficiaryChecks: Readonly<Record<string, BeneficiaryVerificationStatus | 'INVALID_BANK_ACCOUNT'>> = {
  102: 'NOT_MATCHED',
  103: 'PARTIAL_MATCH',
  104: 'PENDING',
  105: 'INVALID_BANK_ACCOUNT',
  106: 'UNSUPPORTED',
  107: 'CHECKED_BY_RECEIVING_FI',
};

/** The result for any other suffix. */
export const beneficiaryFound = 'MATCHED';

/** KYB by the last three characters of a registration number, KYC of an owner by those of the last name (D38). */
export const identityChecks: Readonly<Record<string, KycStatus & ('PENDING' | 'REJECTED')>> = {
  '001': 'PENDING',
  '002': 'REJECTED',
};

/** The result of an identity check for any other suffix. */
export const identityFound = 'APPROVED';
