import { operation } from '../operation.ts';
import { mustFindCustomer, showCustomer } from './procedures.ts';

/** GET /customers/{customerId}. */
export const getCustomer = operation('getCustomer', {
  async handle(call, unit) {
    return { status: 200, body: await showCustomer(unit, await mustFindCustomer(unit, call.path.customerId)) };
  },
});
