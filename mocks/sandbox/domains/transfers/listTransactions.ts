import { operation } from '../operation.ts';
import { pageOfTransactions } from './procedures/transactions.ts';

/** GET /transactions (D74). */
export const listTransactions = operation('listTransactions', {
  async handle({ operation, query }, unit) {
    return { status: 200, body: await pageOfTransactions(unit, operation, query) };
  },
});
