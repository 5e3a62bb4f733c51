import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { externalAccounts, viewExternalAccount } from './records.ts';

/**
 * GET /customers/external-accounts: lists external accounts of the platform's customers, by currency and customer
 * (D36).
 */
export const listExternalAccounts = operation('listExternalAccounts', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, currency, customerId } = query;
    const owner = customerId === undefined ? 'CUSTOMER' : undefined;
    const request = { operation, limit, cursor, filters: { owner, currency, customer_id: customerId } };
    return { status: 200, body: await listPage(unit, externalAccounts, request, viewExternalAccount) };
  },
});
