import { places } from '../../../payments/places.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { externalAccounts, type InternalAccountRecord, internalAccounts } from '../../accounts/records.ts';
import { railsOf } from '../../accounts/rules.ts';
import { type CustomerRecord, customers, mustFindCustomer } from '../../customers/records.ts';
import { type LookupRecord, lookups } from '../records.ts';
import { sandboxReceiver, umaNotFound } from '../rules.ts';

type Receiver =
  | { readonly kind: 'UMA'; readonly receiverUmaAddress: string }
  | { readonly kind: 'EXTERNAL_ACCOUNT'; readonly accountId: string };

/** Stores that a receiver was looked up, for a quote that will name the lookup. Returns the lookup's id. */
export async function rememberLookup(unit: Unit, receiver: Receiver): Promise<string> {
  const lookup: LookupRecord = { id: unit.newId('Lookup'), createdAt: unit.now(), ...receiver };
  await lookups.insert(unit, lookup);
  return lookup.id;
}

/** Checks that the paying customer exists, if one is named. @throws Problem 404 `USER_NOT_FOUND` */
export async function checkSender(unit: Unit, customerId: string | undefined): Promise<void> {
  if (customerId !== undefined) await mustFindCustomer(unit, customerId);
}

/**
 * Finds the owner of a UMA address and what it can receive: first a customer of the platform, then a receiver of the
 * sandbox.
 */
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

/**
 * The account for UMA payments: the default deposit account if it has the currency, otherwise an internal one (D31).
 */
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
