/**
 * The outcomes that identifiers select (D30, D31, D38, D40). The rules use these tables, and the guide to magic values
 * prints them. This module is only data, so that the generator can read it before it generates anything.
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

/** What happens later without a request: money arrives, comes back, or never existed (D30). */
export type Pending = 'COMPLETE' | 'RETURN' | 'TIME_OUT';

/** The outcome of a payment when it is carried out, and what follows later without a request (D30, D31). */
export interface Outcome {
  readonly step: Step;
  readonly status: OutgoingTransactionStatus;
  readonly failureReason?: OutgoingTransactionFailureReason;
  readonly refund?: { readonly status: Refund['status']; readonly reason: Refund['reason'] };
  readonly later?: { readonly pending: Pending; readonly afterMs: number };
}

/** The end of a pending payment when it is due (D30). */
export const endings = {
  COMPLETE: { status: 'COMPLETED' },
  RETURN: { status: 'FAILED', failureReason: 'COUNTERPARTY_POST_TX_FAILED' },
  TIME_OUT: { status: 'FAILED', failureReason: 'TIMED_OUT' },
} as const satisfies Readonly<Record<Pending, Pick<Outcome, 'status' | 'failureReason'>>>;

/** The outcome of a payment if no table has another one. */
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

/**
 * The sandbox's invented receivers, by the part before the `@`: their currency, and the outcome of a payment to them
 * (D31).
 */
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

/** An address without an owner, so that a lookup can be refused (D31). */
export const unknownUmaReceiver = '$non.existent.usd';

/** The result of the name check of a beneficiary, by the suffix of the account's identifier. 105 is refused (D40). */
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
