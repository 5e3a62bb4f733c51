import { maxAmount } from '../../kernel/currencies.ts';
import { invalid, invalidField } from '../../kernel/problem.ts';

/**
 * The balance after money came in, in the same smallest unit.
 * @throws Problem 400 `AMOUNT_OUT_OF_RANGE` beyond what an account can hold, never a rounded number (D08).
 */
export function balanceAfterCredit(balance: number, amount: number): number {
  if (amount > maxAmount - balance) {
    const room = maxAmount - balance;
    throw invalidField(
      '/amount',
      `would take the balance beyond ${maxAmount}; at most ${room} more fits`,
      'AMOUNT_OUT_OF_RANGE',
    );
  }
  return balance + amount;
}

/** @throws Problem 400: only a wallet has a key to export or a privacy to set (D62). */
export function checkIsWallet(account: { readonly type: string }): void {
  if (account.type === 'EMBEDDED_WALLET') return;
  throw invalid([
    { in: 'path', pointer: '/id', message: `is an ${account.type} account; only an EMBEDDED_WALLET can do this` },
  ]);
}

/** @throws Problem 400: a closed account takes no money. */
export function checkIsOpen(account: { readonly status: string }): void {
  if (account.status !== 'CLOSED') return;
  throw invalid([
    { in: 'path', pointer: '/accountId', message: 'is closed: its currency is no longer enabled for the customer' },
  ]);
}
