import type { Effects } from './domains/effect.ts';
import { expireQuote, settleTransaction } from './domains/quotes/procedures.ts';

/** What happens later by itself, by kind; one that is missing is a type error. */
export const effects = {
  EXPIRE_QUOTE: expireQuote,
  SETTLE_TRANSACTION: settleTransaction,
} satisfies Effects;
