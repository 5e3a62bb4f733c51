import { operation } from '../operation.ts';
import { mustFindCustomer } from './procedures.ts';
import { viewCustomer } from './records.ts';

/** GET /customers/{customerId}. */
export const getCustomer = operation('getCustomer', {
  async handle(call, unit) {
    return { status: 200, body: viewCustomer(await mustFindCustomer(unit, call.path.customerId)) };
  },
});
