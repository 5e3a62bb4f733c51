import { followQuote, followTransaction } from '../domains/agents/procedures/outcomes.ts';
import type { Effects } from '../domains/effect.ts';
import {
  expireQuote,
  readAheadQuotes,
  readAheadTransactions,
  settleTransaction,
} from '../domains/quotes/procedures/payments.ts';

/** The later effects, by kind. A missing one is a type error. An agent's action follows its payment. */
export const effects = {
  EXPIRE_QUOTE: {
    readAhead: readAheadQuotes,
    carryOut: async (unit, quoteId) => {
      await expireQuote(unit, quoteId);
      await followQuote(unit, quoteId);
    },
  },
  SETTLE_TRANSACTION: {
    readAhead: readAheadTransactions,
    carryOut: async (unit, transactionId) => {
      await settleTransaction(unit, transactionId);
      await followTransaction(unit, transactionId);
    },
  },
} satisfies Effects;
