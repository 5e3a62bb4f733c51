import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { customers, viewCustomer } from './records.ts';

/** GET /customers: by platformCustomerId, type, region and UMA address (the last without regard to case). */
export const listCustomers = operation('listCustomers', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, platformCustomerId, customerType, region, umaAddress } = query;
    const filters = {
      platform_customer_id: platformCustomerId,
      customer_type: customerType,
      region,
      uma_address: umaAddress?.toLowerCase(),
    };
    return { status: 200, body: await listPage(unit, customers, { operation, limit, cursor, filters }, viewCustomer) };
  },
});
