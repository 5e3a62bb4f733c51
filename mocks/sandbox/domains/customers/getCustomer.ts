import { operation } from '../operation.ts';
import { showCustomer } from './procedures.ts';
import { mustFindCustomer } from './records.ts';

/** GET /customers/{customerId}. */
export const getCustomer = operation('getCustomer', {
  async handle(call, unit) {
    return { status: 200, body: await showCustomer(unit, await mustFindCustomer(unit, call.path.customerId)) };
  },
});
