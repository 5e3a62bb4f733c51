import { followQuote, followTransaction } from '../domains/agents/procedures/outcomes.ts';
import type { Effects } from '../domains/effect.ts';
import {
  expireQuote,
  readAheadQuotes,
  readAheadTransactions,
  settleTransaction,
} from '../domains/quotes/procedures/payments.ts';
import { quoteExpiry, quotes } from '../domains/quotes/records.ts';
import { plannedEnd, transactions } from '../domains/transfers/records.ts';
import type { Table } from '../store/records/table.ts';
import type { Unit } from '../store/units/unit.ts';

/**
 * The later effects, by kind. A missing one is a type error. The state that a subject waits in is declared beside its
 * table, which drops the effect when the subject leaves it. An agent's action follows its payment.
 */
export const effects = {
  EXPIRE_QUOTE: {
    readAhead: readAheadQuotes,
    isAwaited: awaitedIn(quotes, quoteExpiry),
    carryOut: async (unit, quoteId) => {
      await expireQuote(unit, quoteId);
      await followQuote(unit, quoteId);
    },
  },
  SETTLE_TRANSACTION: {
    readAhead: readAheadTransactions,
    isAwaited: awaitedIn(transactions, plannedEnd),
    carryOut: async (unit, transactionId) => {
      await settleTransaction(unit, transactionId);
      await followTransaction(unit, transactionId);
    },
  },
} satisfies Effects;

function awaitedIn<R extends { readonly id: string }>(
  table: Pick<Table<R, never>, 'find'>,
  { isWaiting }: { readonly isWaiting: (subject: R) => boolean },
) {
  return async (unit: Unit, subjectId: string): Promise<boolean> => {
    const subject = await table.find(unit, subjectId);
    return subject !== undefined && isWaiting(subject);
  };
}
