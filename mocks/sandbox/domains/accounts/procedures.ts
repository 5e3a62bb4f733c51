import { accountTypeFor } from '../../kernel/currencies.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Stored } from '../../store/table.ts';
import type { Unit } from '../../store/unit.ts';
import { type InternalAccountRecord, internalAccounts } from './records.ts';
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
