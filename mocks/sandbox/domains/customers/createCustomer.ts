import { operation } from '../operation.ts';
import { openCustomer, showCustomer } from './procedures.ts';

/** POST /customers: creates an individual or a business, with its internal accounts (D23, D52). */
export const createCustomer = operation('createCustomer', {
  async handle(call, unit) {
    return { status: 201, body: await showCustomer(unit, await openCustomer(unit, call.body)) };
  },
});
