import type { CounterpartyFieldDefinition, Quote, QuoteCreateRequest } from '../../../../../generated/types.ts';
import { isInternalAccount, places } from '../../../payments/places.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { given } from '../../../tools/given.ts';
import { invalidField } from '../../../tools/problem.ts';
import type { Received } from '../../../tools/received.ts';
import {
  type ExternalAccountRecord,
  type InternalAccountRecord,
  mustFindAccount,
  mustFindExternalAccount,
} from '../../accounts/records.ts';
import { beneficiaryName, checkIsOpen, railsOf } from '../../accounts/rules.ts';
import { type CustomerRecord, mustFindCustomer, mustFindLiveCustomer } from '../../customers/records.ts';
import { findParty, informationAbout } from '../../transfers/procedures/transactions.ts';
import { checkRail } from '../../transfers/rules.ts';
import { mustFindLookup } from '../records.ts';
import { checkAccountFacts, checkKnownCurrency, payerFields, sandboxPerson } from '../rules.ts';
import { depositOf, findUmaReceiver } from './receivers.ts';

/** One side of a payment: its place in the ledger, its owner and its account. */
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
  /** The owner of the receiving account, on this platform. */
  readonly ownerId?: string;
  /** The account of this platform that receives the money, also if the request names a UMA address (D31). */
  readonly reachedId?: string;
  readonly asked: readonly CounterpartyFieldDefinition[];
  readonly counterparty?: Readonly<Record<string, string>>;
}

/**
 * Checks that everything the request names exists, and that no owner was deleted. These are the first two rules of D72,
 * before the rules on combining the sides.
 * @throws Problem 404, then 410.
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
  return isInternalAccount(id) ? mustFindAccount(unit, id) : mustFindExternalAccount(unit, id);
}

/** Finds the source that a request names. @throws Problem 400 (D72, D77) */
export async function findSource(unit: Unit, source: Received<QuoteCreateRequest['source']>): Promise<Source> {
  if (source.sourceType === 'REALTIME_FUNDING') {
    const { customerId, currency } = source;
    checkKnownCurrency('/source/currency', currency);
    const view = { ...source };
    return { place: places.world(currency, 'FUNDING'), currency, ownerId: customerId, view };
  }
  const account = isInternalAccount(source.accountId)
    ? { internal: await mustFindAccount(unit, source.accountId) }
    : { external: await mustFindExternalAccount(unit, source.accountId) };
  const { customerId, currency } = account.internal ?? account.external;
  if (account.internal !== undefined) checkIsOpen(account.internal, { in: 'body', pointer: '/source/accountId' });
  checkAccountFacts('/source', source, { currency, customerId });
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
      ...given({ customerId }),
    },
  };
}

/** Finds the destination that a request names. @throws Problem 400 (D72, D77) */
export async function findDestination(unit: Unit, request: Received<QuoteCreateRequest>): Promise<Destination> {
  const { destination, lookupId } = request;
  if (destination.destinationType === 'UMA_ADDRESS') return findUmaDestination(unit, destination, lookupId);
  return isInternalAccount(destination.accountId)
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
  // An internal account can't be looked up, so a lookup is always for another receiver.
  checkIsOfReceiver(lookupId === undefined);
  checkAccountFacts('/destination', destination, { currency });
  checkRail('/destination/paymentRail', destination.paymentRail, []);
  return {
    place: id,
    reachedId: id,
    currency,
    ...given({ ownerId: customerId }),
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
    checkIsOfReceiver(lookup.kind === 'EXTERNAL_ACCOUNT' && lookup.accountId === id);
  }
  checkAccountFacts('/destination', destination, { currency });
  const paymentRail = checkRail('/destination/paymentRail', destination.paymentRail, railsOf(accountInfo));
  const name = beneficiaryName(accountInfo);
  return {
    place: places.world(currency, paymentRail),
    currency,
    view: {
      destinationType: 'ACCOUNT',
      accountId: id,
      currency,
      ...given({ paymentRail }),
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
  checkIsOfReceiver(lookup.kind === 'UMA' && lookup.receiverUmaAddress.toLowerCase() === umaAddress.toLowerCase());
  const receiver = await findUmaReceiver(unit, umaAddress);
  const [first = ''] = receiver.currencies;
  const currency = wanted ?? first;
  if (!receiver.currencies.includes(currency)) {
    const message = `must be a currency that the receiver takes: ${receiver.currencies.join(', ')}`;
    throw invalidField('/destination/currency', message, 'INVALID_CURRENCY');
  }
  const reached = receiver.customer === undefined ? undefined : await depositOf(unit, receiver.customer.id, currency);
  return {
    place: reached?.place ?? places.world(currency, 'UMA'),
    currency,
    ...given({ ownerId: receiver.customer?.id }),
    ...given({ reachedId: reached?.accountId }),
    view: { destinationType: 'UMA_ADDRESS', umaAddress, currency },
    asked: payerFields,
    ...(receiver.customer === undefined ? { counterparty: sandboxPerson.receiver } : describe(receiver.customer)),
  };
}

function checkIsOfReceiver(isOfReceiver: boolean): void {
  if (!isOfReceiver) throw invalidField('/lookupId', 'is a lookup of another receiver; look up this receiver');
}

/** What the service knows about the customer who is paid (D77). */
function describe(customer: CustomerRecord | undefined): Pick<Destination, 'counterparty'> {
  const { counterpartyInformation: counterparty } = informationAbout(customer);
  return counterparty === undefined ? {} : { counterparty };
}
