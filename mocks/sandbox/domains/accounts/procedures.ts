import { accountTypeFor } from '../../kernel/currencies.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Stored } from '../../store/table.ts';
import type { Unit } from '../../store/unit.ts';
import {
  type ExternalAccountRecord,
  externalAccounts,
  type InternalAccountRecord,
  internalAccounts,
} from './records.ts';
import { balanceAfterCredit } from './rules.ts';

/** Opens one empty internal account for a customer, of the type that the currency asks for (D23). */
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
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** Opens the platform's own account in a currency, if it has none yet; its USDB is no wallet (D23). */
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
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** @throws Problem 404 `ACCOUNT_NOT_FOUND`. */
export async function mustFindAccount(unit: Unit, id: string): Promise<Stored<InternalAccountRecord>> {
  const account = await internalAccounts.find(unit, id);
  if (account === undefined) throw accountNotFound(id);
  return account;
}

export function accountNotFound(id: string): Problem {
  return new Problem('ACCOUNT_NOT_FOUND', `This platform has no internal account ${id}.`);
}

/** Adds money to an account; `amount` in its currency's smallest unit. @throws Problem 400 `AMOUNT_OUT_OF_RANGE`. */
export async function credit(
  unit: Unit,
  account: Stored<InternalAccountRecord>,
  amount: number,
): Promise<InternalAccountRecord> {
  const balance = balanceAfterCredit(account.balance, amount);
  return internalAccounts.replace(unit, account, { ...account, balance, updatedAt: unit.now });
}

/** Opens or closes an account as the customer's currencies come and go. */
export async function setStatus(
  unit: Unit,
  account: Stored<InternalAccountRecord>,
  status: InternalAccountRecord['status'],
): Promise<void> {
  await internalAccounts.replace(unit, account, { ...account, status, updatedAt: unit.now });
}

/** @throws Problem 404 `ACCOUNT_NOT_FOUND`. */
export async function mustFindExternalAccount(unit: Unit, id: string): Promise<Stored<ExternalAccountRecord>> {
  const account = await externalAccounts.find(unit, id);
  if (account === undefined) throw new Problem('ACCOUNT_NOT_FOUND', `This platform has no external account ${id}.`);
  return account;
}
