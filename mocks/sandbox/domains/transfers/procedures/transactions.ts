import type { Transaction } from '../../../../../generated/types.ts';
import { maxAmount } from '../../../payments/currencies.ts';
import { endings, type Outcome } from '../../../payments/outcomes.ts';
import { isInternalAccount, places } from '../../../payments/places.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { given } from '../../../tools/given.ts';
import { type Movement, moveMoney } from '../../accounts/procedures/accounts.ts';
import { type ExternalAccountRecord, internalAccounts } from '../../accounts/records.ts';
import { beneficiaryName } from '../../accounts/rules.ts';
import { type CustomerRecord, customers, mustFindLiveCustomer } from '../../customers/records.ts';
import { schedule } from '../../effect.ts';
import { type ListReply, listPage } from '../../list.ts';
import {
  mustFindTransaction,
  numberedReference,
  type Payment,
  type TransactionRecord,
  transactions,
  viewTransaction,
} from '../records.ts';

/** The facts of a transaction before it is stored. */
export type TransactionDraft = Omit<
  TransactionRecord,
  'id' | 'status' | 'reference' | 'createdAt' | 'updatedAt' | 'platformCustomerId'
> & { readonly reference?: string };

/** Stores a new transaction. It is PENDING, because no money has moved yet, unless it starts in a final state. */
export async function openTransaction(
  unit: Unit,
  draft: TransactionDraft,
  status: 'PENDING' | 'COMPLETED' = 'PENDING',
): Promise<Stored<TransactionRecord>> {
  const id = unit.newId('Transaction');
  const owner = draft.customerId === undefined ? undefined : await customers.find(unit, draft.customerId);
  return transactions.insert(unit, {
    id,
    ...draft,
    ...given({ platformCustomerId: owner?.platformCustomerId }),
    status,
    reference: draft.reference ?? numberedReference(unit.lastSequence() + 1),
    createdAt: unit.now(),
    updatedAt: unit.now(),
  });
}

/** Whether a transaction of the platform has this reference. */
export async function isReferenceTaken(unit: Unit, reference: string): Promise<boolean> {
  return (await transactions.where(unit, 'reference', reference)).length > 0;
}

/** The filters of a list of transactions (D74). */
interface TransactionQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly customerId?: string | undefined;
  readonly platformCustomerId?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reference?: string | undefined;
  readonly accountIdentifier?: string | undefined;
  readonly senderAccountIdentifier?: string | undefined;
  readonly receiverAccountIdentifier?: string | undefined;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** A page of transactions: by customer, status, type, either side, reference and time of creation (D74). */
export function pageOfTransactions(
  unit: Unit,
  operation: { readonly id: string },
  query: TransactionQuery,
): Promise<ListReply<Transaction>> {
  const { limit, cursor, sortOrder: order } = query;
  const filters = {
    customer_id: query.customerId,
    platform_customer_id: query.platformCustomerId,
    type: query.type,
    status: query.status,
    reference: query.reference,
    sender: spelled(query.senderAccountIdentifier),
    receiver: spelled(query.receiverAccountIdentifier),
  };
  const ranges = { created_at: { from: query.startDate, to: query.endDate } };
  const label = spelled(query.accountIdentifier);
  return listPage(unit, transactions, { operation, limit, cursor, filters, ranges, label, order }, viewTransaction);
}

/** UMA addresses are stored in lower case, account ids unchanged. */
function spelled(identifier: string | undefined): string | undefined {
  return identifier?.startsWith('$') ? identifier.toLowerCase() : identifier;
}

/**
 * Carries out a payment's outcome, in the ledger and on the transaction, and schedules a later effect.
 * @throws Problem 400 `INSUFFICIENT_FUNDS`, 400 `AMOUNT_OUT_OF_RANGE`. No money has moved then.
 */
export async function applyOutcome(
  unit: Unit,
  transaction: Stored<TransactionRecord>,
  outcome: Outcome,
): Promise<Stored<TransactionRecord>> {
  const { id, payment } = transaction;
  const { step, status, failureReason, refund, later } = outcome;
  switch (step) {
    case 'PAY':
      await deliver(unit, payment, payment.from, id);
      await tellReceiver(unit, transaction);
      break;
    case 'HOLD':
      await hold(unit, payment, id);
      break;
    case 'BOUNCE':
      await hold(unit, payment, id);
      await giveBack(unit, payment, id);
      break;
    case 'LOSE':
      await lose(unit, payment, id);
      break;
    case 'NOTHING':
      break;
  }
  if (later !== undefined) await schedule(unit, 'SETTLE_TRANSACTION', id, unit.now() + later.afterMs);
  return transactions.replace(unit, transaction, {
    ...transaction,
    status,
    ...given({ failureReason }),
    ...(refund === undefined ? {} : { refund: { ...refund, at: unit.now() } }),
    ...given({ pending: later?.pending }),
    ...(status === 'COMPLETED' ? { settledAt: unit.now() } : {}),
    updatedAt: unit.now(),
  });
}

/**
 * Carries out the planned end of a transaction: the money arrives, comes back, or the transaction times out (D30).
 * @returns undefined if it has no planned end. Only a snapshot that was written by hand leads to that
 */
export async function settle(unit: Unit, transactionId: string): Promise<Stored<TransactionRecord> | undefined> {
  const transaction = await mustFindTransaction(unit, transactionId);
  const { pending, payment, settledAt: _settled, ...rest } = transaction;
  const base = { ...rest, payment, updatedAt: unit.now() };
  switch (pending) {
    case 'COMPLETE':
      await deliver(unit, payment, places.held(payment.sending.currency), transactionId);
      await tellReceiver(unit, transaction);
      return transactions.replace(unit, transaction, { ...base, ...endings.COMPLETE, settledAt: unit.now() });
    case 'RETURN': {
      const isOpen = await canTake(unit, payment.from, payment.sending.amount);
      await takeBack(unit, payment, isOpen ? payment.from : places.kept(payment.sending.currency), transactionId);
      return transactions.replace(unit, transaction, {
        ...transaction,
        pending: undefined,
        updatedAt: unit.now(),
        ...endings.RETURN,
        refund: { status: isOpen ? 'COMPLETED' : 'FAILED', reason: 'TRANSACTION_FAILED', at: unit.now() },
      });
    }
    case 'TIME_OUT': {
      const isOpen = await canTake(unit, payment.from, payment.sending.amount);
      const back = isOpen ? payment : { ...payment, from: places.kept(payment.sending.currency) };
      await giveBack(unit, back, transactionId);
      return transactions.replace(unit, transaction, { ...base, ...endings.TIME_OUT });
    }
    case undefined:
      return undefined;
  }
}

/**
 * The movements when money arrives. The service keeps the fee, and a conversion goes through the outside world (D29).
 * `from` is the current place of the money.
 */
function legsOf({ to, sending, fee, receiving }: Payment, from: string): Omit<Movement, 'transactionId'>[] {
  const { currency, amount } = sending;
  if (currency === receiving.currency) return [{ from, to, currency, amount }];
  return [
    { from, to: places.fees(currency), currency, amount: fee },
    { from, to: places.world(currency, 'EXCHANGE'), currency, amount: amount - fee },
    { from: places.world(receiving.currency, 'EXCHANGE'), to, ...receiving },
  ];
}

async function deliver(unit: Unit, payment: Payment, from: string, transactionId: string): Promise<void> {
  for (const movement of legsOf(payment, from)) await moveMoney(unit, { ...movement, transactionId });
}

/** The same movements in reverse, including the fee: the receiving bank has sent the money back, to `back`. */
async function takeBack(unit: Unit, payment: Payment, back: string, transactionId: string): Promise<void> {
  for (const { from, to, ...sum } of legsOf(payment, back).reverse()) {
    await moveMoney(unit, { from: to, to: from, ...sum, transactionId });
  }
}

function hold(unit: Unit, { from, sending }: Payment, transactionId: string): Promise<void> {
  return moveMoney(unit, { from, to: places.held(sending.currency), ...sending, transactionId });
}

function giveBack(unit: Unit, { from, sending }: Payment, transactionId: string): Promise<void> {
  return moveMoney(unit, { from: places.held(sending.currency), to: from, ...sending, transactionId });
}

/** The money has left, and it neither arrives nor comes back (outcome 007). The service keeps it (D30). */
function lose(unit: Unit, { from, sending }: Payment, transactionId: string): Promise<void> {
  return moveMoney(unit, { from, to: places.kept(sending.currency), ...sending, transactionId });
}

/**
 * Whether a place can take so much more money. A closed account can't, and neither can one that would exceed the
 * largest possible amount (D75). Callers that could not report the error ask this in advance.
 */
export async function canTake(unit: Unit, place: string, amount: number): Promise<boolean> {
  if (!isInternalAccount(place)) return true;
  const account = await internalAccounts.find(unit, place);
  return account?.status === 'ACTIVE' && account.balance <= maxAmount - amount;
}

/** Gives the receiver of a quote's money its own INCOMING transaction, unless the receiver is the payer (D69). */
async function tellReceiver(unit: Unit, transaction: TransactionRecord): Promise<void> {
  const { receiver, source, payment, customerId, description } = transaction;
  if (receiver === undefined) return;
  const payer = customerId === undefined ? undefined : await customers.find(unit, customerId);
  const note = given({ description });
  await receive(unit, { ...receiver, source, receiving: payment.receiving, ...note, ...informationAbout(payer) });
}

/** What the service knows about a customer on the other side of a payment (D77). */
export function informationAbout(
  customer: CustomerRecord | undefined,
): Pick<TransactionDraft, 'counterpartyInformation'> {
  if (customer === undefined) return {};
  const known =
    customer.customerType === 'INDIVIDUAL'
      ? { FULL_NAME: customer.fullName, BIRTH_DATE: customer.birthDate, NATIONALITY: customer.nationality }
      : { FULL_NAME: customer.businessInfo?.legalName };
  const told = Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return told.length === 0 ? {} : { counterpartyInformation: Object.fromEntries(told) };
}

/** What the service knows about the owner of an external account on the other side of a payment (D77). */
export function informationAboutOwner(
  account: ExternalAccountRecord,
): Pick<TransactionDraft, 'counterpartyInformation'> {
  const name = beneficiaryName(account.accountInfo);
  return name === undefined ? {} : { counterpartyInformation: { FULL_NAME: name } };
}

/** Stores money that has arrived as the receiver's transaction: INCOMING, and COMPLETED at once. */
export async function receive(
  unit: Unit,
  arrival: {
    readonly customerId?: string;
    readonly accountId: string;
    readonly source: TransactionRecord['source'];
    readonly receiving: Payment['receiving'];
    readonly description?: string;
    readonly counterpartyInformation?: Readonly<Record<string, string>>;
  },
): Promise<Stored<TransactionRecord>> {
  const { customerId, accountId, source, receiving, description, counterpartyInformation } = arrival;
  const draft: TransactionDraft = {
    type: 'INCOMING',
    ...given({ customerId }),
    source,
    destination: { destinationType: 'ACCOUNT', accountId, currency: receiving.currency },
    payment: { from: places.world(receiving.currency), to: accountId, sending: receiving, fee: 0, receiving },
    exchangeRate: 1,
    ...given({ description, counterpartyInformation }),
    settledAt: unit.now(),
  };
  return openTransaction(unit, draft, 'COMPLETED');
}

/**
 * The customer on one side of a payment; undefined if that is the platform itself.
 * @throws Problem 410 `CUSTOMER_DELETED` (D71).
 */
export async function findParty(unit: Unit, customerId: string | undefined): Promise<CustomerRecord | undefined> {
  return customerId === undefined ? undefined : mustFindLiveCustomer(unit, customerId);
}
