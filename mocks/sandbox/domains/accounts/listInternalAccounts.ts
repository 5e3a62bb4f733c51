import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { internalAccounts, viewInternalAccount } from './records.ts';

/**
 * GET /customers/internal-accounts: lists accounts of the platform's customers, by currency, customer and type (D36).
 */
export const listInternalAccounts = operation('listInternalAccounts', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, currency, customerId, type } = query;
    const owner = customerId === undefined ? 'CUSTOMER' : undefined;
    const filters = { owner, currency, customer_id: customerId, type };
    const body = await listPage(unit, internalAccounts, { operation, limit, cursor, filters }, viewInternalAccount);
    return { status: 200, body };
  },
});
