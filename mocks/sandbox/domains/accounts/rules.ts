import { maxAmount } from '../../kernel/currencies.ts';
import { invalidField } from '../../kernel/problem.ts';

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
