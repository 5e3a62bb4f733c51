import type {
  IncomingTransaction,
  OutgoingTransaction,
  Quote,
  Refund,
  Transaction,
} from '../../../../generated/types.ts';
import { currencyOf } from '../../payments/currencies.ts';
import type { Money } from '../../payments/money.ts';
import type { Pending } from '../../payments/outcomes.ts';
import { isInternalAccount } from '../../payments/places.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { Problem } from '../../tools/problem.ts';
import { awaitedState } from '../effect.ts';

/** A payment as the ledger sees it. Amounts are in the smallest unit of their currency. */
export interface Payment {
  /** Places of the ledger: an internal account's id, or a place outside. */
  readonly from: string;
  readonly to: string;
  readonly sending: Money;
  readonly fee: number;
  readonly receiving: Money;
}

/** A stored refund. A returned payment settles when its refund starts. */
export interface RefundRecord {
  readonly status: Refund['status'];
  readonly reason: Refund['reason'];
  readonly at: number;
}

/** A stored transaction. */
export interface TransactionRecord {
  readonly id: string;
  readonly type: Transaction['type'];
  readonly status: OutgoingTransaction['status'];
  /** Absent if it belongs to the platform. */
  readonly customerId?: string;
  readonly platformCustomerId?: string;
  readonly source: IncomingTransaction['source'];
  readonly destination: Quote['destination'];
  readonly payment: Payment;
  /** The account that receives a quote's money, if its owner isn't the payer (D69). */
  readonly receiver?: { readonly accountId: string; readonly customerId?: string };
  readonly exchangeRate: number;
  readonly quoteId?: string;
  /** The agent that started it. */
  readonly agentId?: string;
  readonly description?: string;
  readonly purposeOfPayment?: NonNullable<Quote['purposeOfPayment']>;
  readonly counterpartyInformation?: Readonly<Record<string, string>>;
  readonly reference: string;
  readonly failureReason?: NonNullable<OutgoingTransaction['failureReason']>;
  readonly refund?: RefundRecord;
  readonly pending?: Pending | undefined;
  readonly settledAt?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type Column =
  | 'customer_id'
  | 'platform_customer_id'
  | 'type'
  | 'status'
  | 'reference'
  | 'sender'
  | 'receiver'
  | 'created_at';

/** A transaction settles as long as it has a planned end. */
export const plannedEnd = awaitedState<TransactionRecord>('SETTLE_TRANSACTION', ({ pending }) => pending !== undefined);

export const transactions = recordTable<TransactionRecord, Column>({
  name: 'transactions',
  columns: (transaction) => ({
    customer_id: transaction.customerId ?? '',
    platform_customer_id: transaction.platformCustomerId ?? '',
    type: transaction.type,
    status: transaction.status,
    reference: transaction.reference,
    sender: identifierOf(transaction.source),
    receiver: identifierOf(transaction.destination),
    created_at: transaction.createdAt,
  }),
  counted: ['*', 'customer_id'],
  follow: plannedEnd.follow,
  labels: ({ source, destination }) => [
    ...new Set([source, destination].map(identifierOf).filter((one): one is string => one !== null)),
  ],
});

/** The account id or UMA address of one side. UMA addresses are in lower case. */
function identifierOf(side: TransactionRecord['source'] | TransactionRecord['destination']): string | null {
  if ('accountId' in side) return side.accountId;
  return 'umaAddress' in side ? side.umaAddress.toLowerCase() : null;
}

/** The parts of an outgoing payment's price (D27). */
export function viewRateDetails({ fee, sending, receiving }: Payment) {
  return {
    counterpartyMultiplier: 1,
    counterpartyFixedFee: 0,
    serviceApiMultiplier: 1,
    serviceApiFixedFee: 0,
    serviceApiVariableFeeRate: sending.currency === receiving.currency ? 0 : 0.005,
    serviceApiVariableFeeAmount: fee,
  };
}

function amountOf({ currency, amount }: Money) {
  return { amount, currency: { ...currencyOf(currency) } };
}

/** The transaction as the contract shows it. */
export function viewTransaction(transaction: TransactionRecord): Transaction {
  return transaction.type === 'OUTGOING' ? viewOutgoing(transaction) : viewIncoming(transaction);
}

function viewShared(transaction: TransactionRecord) {
  const { id, customerId, platformCustomerId, description, counterpartyInformation, agentId, settledAt } = transaction;
  return {
    id,
    ...given({ customerId, platformCustomerId }),
    destination: transaction.destination,
    receivedAmount: amountOf(transaction.payment.receiving),
    fees: transaction.payment.fee,
    reconciliationInstructions: { reference: transaction.reference },
    ...(counterpartyInformation === undefined ? {} : { counterpartyInformation: { ...counterpartyInformation } }),
    ...given({ description, agentId }),
    ...(settledAt === undefined ? {} : { settledAt: toTimestamp(settledAt) }),
    createdAt: toTimestamp(transaction.createdAt),
    updatedAt: toTimestamp(transaction.updatedAt),
  };
}

export function viewOutgoing(transaction: TransactionRecord): OutgoingTransaction {
  const { quoteId, purposeOfPayment, refund, failureReason, payment } = transaction;
  return {
    ...viewShared(transaction),
    type: 'OUTGOING',
    status: transaction.status,
    source: transaction.source as OutgoingTransaction['source'],
    sentAmount: amountOf(payment.sending),
    exchangeRate: transaction.exchangeRate,
    rateDetails: viewRateDetails(payment),
    ...given({ quoteId, purposeOfPayment }),
    ...(refund === undefined ? {} : { refund: viewRefund(refund, transaction.reference) }),
    ...given({ failureReason }),
  };
}

export function viewIncoming(transaction: TransactionRecord): IncomingTransaction {
  const { failureReason } = transaction;
  const { counterpartyMultiplier: _m, counterpartyFixedFee: _f, ...rateDetails } = viewRateDetails(transaction.payment);
  return {
    ...viewShared(transaction),
    type: 'INCOMING',
    status: transaction.status,
    source: transaction.source,
    rateDetails,
    ...(failureReason === undefined
      ? {}
      : { failureReason: failureReason as NonNullable<IncomingTransaction['failureReason']> }),
  };
}

function viewRefund({ status, reason, at }: RefundRecord, reference: string): Refund {
  return {
    reference: `${reference}-R`,
    initiatedAt: toTimestamp(at),
    ...(status === 'COMPLETED' ? { settledAt: toTimestamp(at) } : {}),
    status,
    reason,
  };
}

/** Currencies in which the customer has money on its way, so that they can't be removed yet (D75). */
export async function currenciesOnTheWay(unit: Unit, customerId: string): Promise<string[]> {
  const found = new Set<string>();
  for (const status of ['PENDING', 'PROCESSING'] as const) {
    const filters = { customer_id: customerId, status, type: 'OUTGOING' };
    for (const { pending, payment } of await transactions.all(unit, { filters })) {
      if (pending !== undefined && isInternalAccount(payment.from)) found.add(payment.sending.currency);
    }
  }
  return [...found];
}

/** @throws Problem 404 `TRANSACTION_NOT_FOUND`. */
export async function mustFindTransaction(unit: Unit, id: string): Promise<Stored<TransactionRecord>> {
  const transaction = await transactions.find(unit, id);
  if (transaction === undefined) throw transactionNotFound(id);
  return transaction;
}

export function transactionNotFound(id: string): Problem {
  return new Problem('TRANSACTION_NOT_FOUND', `This platform has no transaction ${id}.`);
}

/**
 * The reference of a transaction with this number in the platform's sequence (D70). Numbers are unique, so references are too,
 * without a search for the same one. References of later transactions come later, so an index of them grows at its end.
 */
export function numberedReference(sequence: number): string {
  return `T${sequence.toString(16).toUpperCase().padStart(9, '0')}`;
}

/** The number in a reference. @returns 0 for a reference of another form, which no number leads to */
export function numberOf(reference: string): number {
  return /^T[0-9A-F]{9}$/.test(reference) ? Number.parseInt(reference.slice(1), 16) : 0;
}
