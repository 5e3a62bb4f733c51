import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { showCustomer } from './procedures.ts';
import { customers } from './records.ts';

/**
 * GET /customers: lists customers by the platform's id, type, region, enabled currency, UMA address (in any letter
 * case), and time of creation or change (both limits included). It includes deleted customers only on request (D39).
 */
export const listCustomers = operation('listCustomers', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, currency, isIncludingDeleted } = query;
    const filters = {
      platform_customer_id: query.platformCustomerId,
      customer_type: query.customerType,
      region: query.region,
      uma_address: query.umaAddress?.toLowerCase(),
      is_deleted: isIncludingDeleted ? undefined : 'no',
    };
    const ranges = {
      created_at: { from: query.createdAfter, to: query.createdBefore },
      updated_at: { from: query.updatedAfter, to: query.updatedBefore },
    };
    const request = { operation, limit, cursor, filters, ranges, label: currency };
    return { status: 200, body: await listPage(unit, customers, request, (customer) => showCustomer(unit, customer)) };
  },
});
