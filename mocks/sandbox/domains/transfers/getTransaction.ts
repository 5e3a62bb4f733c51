import { operation } from '../operation.ts';
import { mustFindTransaction, viewTransaction } from './records.ts';

/** GET /transactions/{transactionId}. */
export const getTransaction = operation('getTransaction', {
  async handle({ path }, unit) {
    return { status: 200, body: viewTransaction(await mustFindTransaction(unit, path.transactionId)) };
  },
});
