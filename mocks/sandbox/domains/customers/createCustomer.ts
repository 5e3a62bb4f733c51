import { operation } from '../operation.ts';
import { openCustomer } from './procedures.ts';
import { viewCustomer } from './records.ts';

/** POST /customers: an individual or a business, with its internal accounts (D23, D52). */
export const createCustomer = operation('createCustomer', {
  async handle(call, unit) {
    return { status: 201, body: viewCustomer(await openCustomer(unit, call.body)) };
  },
});
