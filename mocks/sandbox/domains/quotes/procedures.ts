import type { Unit } from '../../store/unit.ts';
import { mustFindCustomer } from '../customers/procedures.ts';
import type { LookupRecord } from './records.ts';
import { lookups } from './records.ts';

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
