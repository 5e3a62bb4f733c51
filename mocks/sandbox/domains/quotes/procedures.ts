import type { CounterpartyFieldDefinition, Quote, QuoteCreateRequest } from '../../../../generated/types.ts';
import { maxAmount } from '../../kernel/currencies.ts';
import { invalidField, Problem } from '../../kernel/problem.ts';
import { outcomeSuffix } from '../../kernel/suffix.ts';
import type { Stored } from '../../store/table.ts';
import type { Unit } from '../../store/unit.ts';
import { mustFindAccount, mustFindExternalAccount, places } from '../accounts/procedures.ts';
import {
  type ExternalAccountRecord,
  externalAccounts,
  type InternalAccountRecord,
  internalAccounts,
} from '../accounts/records.ts';
import { balanceAfterDebit, beneficiaryName, checkIsOpen, primaryIdentifier, railsOf } from '../accounts/rules.ts';
import { mustFindCustomer, mustFindLiveCustomer } from '../customers/procedures.ts';
import { type CustomerRecord, customers } from '../customers/records.ts';
import { carryOut, findParty, informationAbout, mustFindTransaction, settle } from '../transfers/procedures.ts';
import { type TransactionRecord, transactions } from '../transfers/records.ts';
import {
  checkRail,
  impossible,
  type Outcome,
  pullThenPay,
  quoteOutcome,
  transferOutcome,
  umaOutcome,
} from '../transfers/rules.ts';
import { type LookupRecord, lookups, type QuoteRecord, quotes } from './records.ts';
import { checkKnownCurrency, checkSaid, payerFields, sandboxPerson, sandboxReceiver, umaNotFound } from './rules.ts';

type Receiver =
  | { readonly kind: 'UMA'; readonly receiverUmaAddress: string }
  | { readonly kind: 'EXTERNAL_ACCOUNT'; readonly accountId: string };

/** Remembers that a receiver was looked up, for the quote that will name it. Returns the lookup's id. */
export async function rememberLookup(unit: Unit, receiver: Receiver): Promise<string> {
  const lookup: LookupRecord = { id: unit.newId('Lookup'), createdAt: unit.now, ...receiver };
  await lookups.insert(unit, lookup);
  return lookup.id;
}

/** The customer who would pay exists, if one is named. @throws Problem 404 `USER_NOT_FOUND`. */
export async function checkSender(unit: Unit, customerId: string | undefined): Promise<void> {
  if (customerId !== undefined) await mustFindCustomer(unit, customerId);
}

/** One end of a payment: where the ledger finds it, and who and what is there. */
export interface Source {
  readonly place: string;
  readonly currency: string;
  readonly ownerId: string | undefined;
  readonly view: Quote['source'];
  readonly internal?: InternalAccountRecord;
  readonly external?: ExternalAccountRecord;
}

export interface Destination {
  readonly place: string;
  readonly currency: string;
  readonly view: Quote['destination'];
  /** Who owns the account that is reached, on this platform. */
  readonly ownerId?: string;
  /** The account of this platform in which the money arrives, also where a UMA address was named (D31). */
  readonly reachedId?: string;
  readonly asked: readonly CounterpartyFieldDefinition[];
  readonly counterparty?: Readonly<Record<string, string>>;
}

/**
 * What a request names is there, all of it, and none of it belongs to somebody who was deleted: the first two rules of
 * D72, before any of how the sides go together. @throws Problem 404, then 410.
 */
export async function checkNamed(unit: Unit, { source, destination, lookupId }: QuoteCreateRequest): Promise<void> {
  const owners = [
    source.sourceType === 'ACCOUNT' ? (await mustFindEither(unit, source.accountId)).customerId : source.customerId,
  ];
  if (destination.destinationType === 'ACCOUNT') {
    owners.push((await mustFindEither(unit, destination.accountId)).customerId);
  } else {
    await findUmaReceiver(unit, destination.umaAddress);
  }
  if (lookupId !== undefined) await mustFindLookup(unit, lookupId);
  const named = owners.filter((id) => id !== undefined);
  for (const id of named) await mustFindCustomer(unit, id);
  for (const id of named) await mustFindLiveCustomer(unit, id);
}

function mustFindEither(unit: Unit, id: string): Promise<InternalAccountRecord | ExternalAccountRecord> {
  return id.startsWith('InternalAccount:') ? mustFindAccount(unit, id) : mustFindExternalAccount(unit, id);
}

/** Finds the source that a request names. @throws Problem 400 (D72, D77). */
export async function findSource(unit: Unit, source: QuoteCreateRequest['source']): Promise<Source> {
  if (source.sourceType === 'REALTIME_FUNDING') {
    const { customerId, currency } = source;
    checkKnownCurrency('/source/currency', currency);
    const view = { ...source };
    return { place: places.world(currency, 'FUNDING'), currency, ownerId: customerId, view };
  }
  const account = source.accountId.startsWith('InternalAccount:')
    ? { internal: await mustFindAccount(unit, source.accountId) }
    : { external: await mustFindExternalAccount(unit, source.accountId) };
  const { customerId, currency } = account.internal ?? account.external;
  if (account.internal !== undefined) checkIsOpen(account.internal, { in: 'body', pointer: '/source/accountId' });
  checkSaid('/source', source, { currency, customerId });
  const [rail] = account.external === undefined ? [] : railsOf(account.external.accountInfo);
  return {
    ...account,
    place: account.internal?.id ?? places.world(currency, rail),
    currency,
    ownerId: customerId,
    view: {
      sourceType: 'ACCOUNT',
      accountId: source.accountId,
      currency,
      ...(customerId === undefined ? {} : { customerId }),
    },
  };
}

/** Finds the destination that a request names. @throws Problem 400 (D72, D77). */
export async function findDestination(unit: Unit, request: QuoteCreateRequest): Promise<Destination> {
  const { destination, lookupId } = request;
  if (destination.destinationType === 'UMA_ADDRESS') return findUmaDestination(unit, destination, lookupId);
  return destination.accountId.startsWith('InternalAccount:')
    ? findInternalDestination(unit, destination, lookupId)
    : findExternalDestination(unit, destination, lookupId);
}

type AccountDestination = Extract<QuoteCreateRequest['destination'], { destinationType: 'ACCOUNT' }>;
type UmaDestination = Extract<QuoteCreateRequest['destination'], { destinationType: 'UMA_ADDRESS' }>;

async function findInternalDestination(
  unit: Unit,
  destination: AccountDestination,
  lookupId: string | undefined,
): Promise<Destination> {
  const internal = await mustFindAccount(unit, destination.accountId);
  const { id, currency, customerId } = internal;
  const owner = await findParty(unit, customerId);
  checkIsOpen(internal, { in: 'body', pointer: '/destination/accountId' });
  // Nothing looks up an internal account, so any lookup is one of another receiver.
  checkIsOfReceiver(lookupId === undefined);
  checkSaid('/destination', destination, { currency });
  checkRail('/destination/paymentRail', destination.paymentRail, []);
  return {
    place: id,
    reachedId: id,
    currency,
    ...(customerId === undefined ? {} : { ownerId: customerId }),
    view: { destinationType: 'ACCOUNT', accountId: id, currency },
    asked: [],
    ...describe(owner),
  };
}

async function findExternalDestination(
  unit: Unit,
  destination: AccountDestination,
  lookupId: string | undefined,
): Promise<Destination> {
  const external = await mustFindExternalAccount(unit, destination.accountId);
  const { id, currency, accountInfo } = external;
  if (lookupId !== undefined) {
    const lookup = await mustFindLookup(unit, lookupId);
    checkIsOfReceiver('accountId' in lookup && lookup.accountId === id);
  }
  checkSaid('/destination', destination, { currency });
  const paymentRail = checkRail('/destination/paymentRail', destination.paymentRail, railsOf(accountInfo));
  const name = beneficiaryName(accountInfo);
  return {
    place: places.world(currency, paymentRail),
    currency,
    view: {
      destinationType: 'ACCOUNT',
      accountId: id,
      currency,
      ...(paymentRail === undefined ? {} : { paymentRail }),
    },
    asked: [],
    ...(name === undefined ? {} : { counterparty: { FULL_NAME: name } }),
  };
}

async function findUmaDestination(
  unit: Unit,
  { umaAddress, currency: wanted }: UmaDestination,
  lookupId: string | undefined,
): Promise<Destination> {
  if (lookupId === undefined) throw invalidField('/lookupId', 'is required for a UMA address; look it up first');
  const lookup = await mustFindLookup(unit, lookupId);
  checkIsOfReceiver(
    'receiverUmaAddress' in lookup && lookup.receiverUmaAddress.toLowerCase() === umaAddress.toLowerCase(),
  );
  const receiver = await findUmaReceiver(unit, umaAddress);
  const currency = wanted ?? receiver.currencies[0] ?? '';
  if (!receiver.currencies.includes(currency)) {
    const message = `must be one of ${receiver.currencies.join(', ')}, which the receiver takes`;
    throw invalidField('/destination/currency', message, 'INVALID_CURRENCY');
  }
  const reached = receiver.customer === undefined ? undefined : await depositOf(unit, receiver.customer.id, currency);
  return {
    place: reached?.place ?? places.world(currency, 'UMA'),
    currency,
    ...(receiver.customer === undefined ? {} : { ownerId: receiver.customer.id }),
    ...(reached === undefined ? {} : { reachedId: reached.accountId }),
    view: { destinationType: 'UMA_ADDRESS', umaAddress, currency },
    asked: payerFields,
    ...(receiver.customer === undefined ? { counterparty: sandboxPerson } : describe(receiver.customer)),
  };
}

async function mustFindLookup(unit: Unit, id: string): Promise<LookupRecord> {
  const lookup = await lookups.find(unit, id);
  if (lookup === undefined) throw new Problem('LOOKUP_REQUEST_NOT_FOUND', `This platform has no lookup ${id}.`);
  return lookup;
}

function checkIsOfReceiver(isOfReceiver: boolean): void {
  if (!isOfReceiver) throw invalidField('/lookupId', 'is the lookup of another receiver');
}

/** Who has a UMA address, and what is received there: a customer of the platform first, else whom the sandbox makes up. */
export async function findUmaReceiver(
  unit: Unit,
  address: string,
): Promise<{ readonly customer?: CustomerRecord; readonly currencies: readonly string[] }> {
  const [customer] = await customers.where(unit, 'uma_address', address.toLowerCase());
  if (customer === undefined) return { currencies: [sandboxReceiver(address)] };
  if (customer.isDeleted) throw umaNotFound(address);
  const accounts = await internalAccounts.where(unit, 'customer_id', customer.id);
  const open = accounts.filter(({ status }) => status === 'ACTIVE');
  const [deposit] = await externalAccounts.where(unit, 'deposit_for', customer.id);
  const taken = [...open, ...(deposit === undefined ? [] : [deposit])].map(({ currency }) => currency);
  return { customer, currencies: [...new Set(taken)] };
}

/** Where money that comes by UMA goes: the default deposit account if it is of the currency, else an internal one (D31). */
export async function depositOf(
  unit: Unit,
  customerId: string,
  currency: string,
): Promise<
  { readonly place: string; readonly accountId: string; readonly internal?: InternalAccountRecord } | undefined
> {
  const [deposit] = await externalAccounts.where(unit, 'deposit_for', customerId);
  if (deposit?.currency === currency) {
    const [rail] = railsOf(deposit.accountInfo);
    return { place: places.world(currency, rail), accountId: deposit.id };
  }
  const accounts = await internalAccounts.where(unit, 'customer_id', customerId);
  const internal = accounts.find((account) => account.currency === currency && account.status === 'ACTIVE');
  return internal === undefined ? undefined : { place: internal.id, accountId: internal.id, internal };
}

/** What the service knows of the customer who is paid (D77). */
function describe(customer: CustomerRecord | undefined): Pick<Destination, 'counterparty'> {
  const { counterpartyInformation: counterparty } = informationAbout(customer);
  return counterparty === undefined ? {} : { counterparty };
}

/** @throws Problem 404 `QUOTE_NOT_FOUND`. */
export async function mustFindQuote(unit: Unit, id: string): Promise<Stored<QuoteRecord>> {
  const quote = await quotes.find(unit, id);
  if (quote === undefined) throw new Problem('QUOTE_NOT_FOUND', `This platform has no quote ${id}.`);
  return quote;
}

/**
 * Carries a quote out: what its accounts choose happens to its transaction, and the quote follows (D28, D30).
 * @throws Problem 400 `INSUFFICIENT_FUNDS`; nothing is moved then.
 */
export async function executePayment(unit: Unit, quote: Stored<QuoteRecord>): Promise<Stored<QuoteRecord>> {
  const transaction = await mustFindTransaction(unit, quote.transactionId);
  const outcome = await outcomeOf(unit, quote, transaction);
  const carried = await carryOut(unit, transaction, outcome);
  return quotes.replace(unit, quote, { ...quote, status: carried.status });
}

async function outcomeOf(unit: Unit, quote: QuoteRecord, { receiver }: TransactionRecord): Promise<Outcome> {
  const { payment, source } = quote;
  if (!(await isStillPossible(unit, quote, receiver?.customerId))) return impossible;
  // Also where nothing will move: a payer without the money is told so first.
  if (payment.from.startsWith('InternalAccount:')) {
    balanceAfterDebit((await mustFindAccount(unit, payment.from)).balance, payment.sending.amount);
  }
  const paid = await destinationOutcome(unit, quote);
  if (source.sourceType !== 'ACCOUNT' || source.accountId.startsWith('InternalAccount:')) return paid;
  const pulled = await externalAccounts.find(unit, source.accountId);
  return pulled === undefined ? impossible : pullThenPay(transferOutcome(suffixOf(pulled)), paid);
}

/** What reaches an account of the platform is there at once; outside, the receiver decides (D30, D31). */
async function destinationOutcome(unit: Unit, { destination, reachedId }: QuoteRecord): Promise<Outcome> {
  if (reachedId !== undefined) return quoteOutcome('');
  if (destination.destinationType === 'UMA_ADDRESS') return umaOutcome(destination.umaAddress);
  const account = await externalAccounts.find(unit, destination.accountId);
  return account === undefined ? impossible : quoteOutcome(suffixOf(account));
}

function suffixOf(account: ExternalAccountRecord): string {
  return outcomeSuffix(primaryIdentifier(account.accountInfo));
}

/** Whether both sides are still there and can do what the quote promised (D72). */
async function isStillPossible(
  unit: Unit,
  { payment, source, destination, reachedId }: QuoteRecord,
  receiverId: string | undefined,
): Promise<boolean> {
  for (const place of [payment.from, payment.to]) {
    if (!place.startsWith('InternalAccount:')) continue;
    const account = await internalAccounts.find(unit, place);
    if (account?.status !== 'ACTIVE') return false;
    if (place === payment.to && payment.from !== place && account.balance > maxAmount - payment.receiving.amount)
      return false;
  }
  const people = [receiverId];
  for (const id of [...[source, destination].map((side) => ('accountId' in side ? side.accountId : '')), reachedId]) {
    if (!id?.startsWith('ExternalAccount:')) continue;
    const account = await externalAccounts.find(unit, id);
    if (account === undefined) return false;
    people.push(account.customerId);
  }
  for (const id of people) {
    if (id !== undefined && (await customers.find(unit, id))?.isDeleted === true) return false;
  }
  return true;
}

/** A quote that nobody executed in time has expired, and its transaction with it (D28, D70). */
export async function expireQuote(unit: Unit, quoteId: string): Promise<void> {
  const quote = await quotes.find(unit, quoteId);
  if (quote?.status !== 'PENDING') return;
  await quotes.replace(unit, quote, { ...quote, status: 'EXPIRED' });
  const transaction = await mustFindTransaction(unit, quote.transactionId);
  await transactions.replace(unit, transaction, {
    ...transaction,
    status: 'EXPIRED',
    failureReason: 'QUOTE_EXPIRED',
    updatedAt: unit.now,
  });
}

/** What was planned for a transaction happens; a quote of its own follows it. */
export async function settleTransaction(unit: Unit, transactionId: string): Promise<void> {
  const settled = await settle(unit, transactionId);
  if (settled?.quoteId === undefined) return;
  const quote = await mustFindQuote(unit, settled.quoteId);
  await quotes.replace(unit, quote, { ...quote, status: settled.status });
}
