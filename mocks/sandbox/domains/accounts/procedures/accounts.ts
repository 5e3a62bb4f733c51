import { accountTypeFor } from '../../../payments/currencies.ts';
import type { Money } from '../../../payments/money.ts';
import { isInternalAccount, places } from '../../../payments/places.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { given } from '../../../tools/given.ts';
import {
  type InternalAccountRecord,
  internalAccounts,
  mustFindAccount,
  type PostingRecord,
  postings,
} from '../records.ts';
import { balanceAfterCredit, balanceAfterDebit } from '../rules.ts';

/** Opens an empty internal account for a customer. Its currency decides its type (D23). */
export async function openAccount(
  unit: Unit,
  customerId: string,
  currency: string,
): Promise<Stored<InternalAccountRecord>> {
  const type = accountTypeFor(currency);
  return internalAccounts.insert(unit, {
    id: unit.newId('InternalAccount'),
    customerId,
    type,
    status: 'ACTIVE',
    currency,
    balance: 0,
    ...(type === 'EMBEDDED_WALLET' ? { privateEnabled: false } : {}),
    createdAt: unit.now(),
    updatedAt: unit.now(),
  });
}

/** Opens the platform's own account in a currency, if there is none yet. Its USDB account isn't a wallet (D23). */
export async function openPlatformAccount(unit: Unit, currency: string): Promise<void> {
  const own = await internalAccounts.page(unit, { limit: 1, before: null, filters: { owner: 'PLATFORM', currency } });
  if (own.records.length > 0) return;
  const type = accountTypeFor(currency) === 'INTERNAL_FIAT' ? 'INTERNAL_FIAT' : 'INTERNAL_CRYPTO';
  await internalAccounts.insert(unit, {
    id: unit.newId('InternalAccount'),
    type,
    status: 'ACTIVE',
    currency,
    balance: 0,
    createdAt: unit.now(),
    updatedAt: unit.now(),
  });
}

export interface Movement extends Money {
  /** An internal account's id or one of {@link places}. */
  readonly from: string;
  readonly to: string;
  readonly transactionId?: string;
}

/**
 * Moves money from one place to another: it writes two postings that cancel out, and the balances of the internal
 * accounts among them. It computes both balances before it writes. So a refusal changes nothing, even if the caller
 * catches it and continues with the unit.
 * @throws Problem 400 `INSUFFICIENT_FUNDS`, 400 `AMOUNT_OUT_OF_RANGE`, 404 `ACCOUNT_NOT_FOUND`.
 */
export async function moveMoney(unit: Unit, movement: Movement): Promise<void> {
  const { from, to, currency, amount, transactionId } = movement;
  if (amount === 0) return;
  const debited = await planBalance(unit, from, (account) => balanceAfterDebit(account, amount));
  const credited = await planBalance(unit, to, (account) => balanceAfterCredit(account, amount));
  await debited?.();
  await credited?.();
  const shared = { currency, at: unit.now(), ...given({ transactionId }) };
  const movementId = unit.newId('Posting');
  await postings.insert(unit, { id: movementId, movementId, accountId: from, amount: -amount, ...shared });
  await postings.insert(unit, { id: unit.newId('Posting'), movementId, accountId: to, amount, ...shared });
}

/** Computes a new balance and returns a function that writes it; undefined if the place isn't an account. */
async function planBalance(
  unit: Unit,
  id: string,
  change: (account: InternalAccountRecord) => number,
): Promise<(() => Promise<unknown>) | undefined> {
  if (!isInternalAccount(id)) return undefined;
  const account = await mustFindAccount(unit, id);
  const changed = { ...account, balance: change(account), updatedAt: unit.now() };
  return () => internalAccounts.replace(unit, account, changed);
}

/** Adds money from nowhere, which the sandbox may do. @throws Problem 400 `AMOUNT_OUT_OF_RANGE` */
export async function credit(
  unit: Unit,
  account: InternalAccountRecord,
  amount: number,
  transactionId?: string,
): Promise<Stored<InternalAccountRecord>> {
  const { id, currency } = account;
  const shared = given({ transactionId });
  await moveMoney(unit, { from: places.world(currency), to: id, currency, amount, ...shared });
  return mustFindAccount(unit, id);
}

/** The movements that postings describe, in the order of the postings. */
export function movementsOf(own: readonly PostingRecord[]): (Movement & { readonly at: number })[] {
  // The debit of a movement has the movement's id.
  const debited = new Map(own.map(({ id, accountId }) => [id, accountId]));
  return own.flatMap(({ id, accountId: to, amount, currency, at, movementId }) => {
    const from = debited.get(movementId);
    return id === movementId || from === undefined ? [] : [{ from, to, amount, currency, at }];
  });
}

/** Opens or closes an account when a currency is added to the customer or removed. */
export async function setStatus(
  unit: Unit,
  account: Stored<InternalAccountRecord>,
  status: InternalAccountRecord['status'],
): Promise<void> {
  await internalAccounts.replace(unit, account, { ...account, status, updatedAt: unit.now() });
}
