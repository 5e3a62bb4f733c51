import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { verifications, viewVerification } from './records.ts';

/** GET /verifications: lists verifications by customer and status. */
export const listVerifications = operation('listVerifications', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, customerId, verificationStatus } = query;
    const filters = { customer_id: customerId, status: verificationStatus };
    const body = await listPage(unit, verifications, { operation, limit, cursor, filters }, viewVerification);
    return { status: 200, body };
  },
});
