import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { transactions, viewTransaction } from './records.ts';

/** GET /transactions: by customer, status, type, either side, reference and when they were made (D74). */
export const listTransactions = operation('listTransactions', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, sortOrder: order } = query;
    const filters = {
      customer_id: query.customerId,
      platform_customer_id: query.platformCustomerId,
      type: query.type,
      status: query.status,
      reference: query.reference,
      sender: spelled(query.senderAccountIdentifier),
      receiver: spelled(query.receiverAccountIdentifier),
    };
    const ranges = { created_at: { from: query.startDate, to: query.endDate } };
    const label = spelled(query.accountIdentifier);
    const request = { operation, limit, cursor, filters, ranges, label, order };
    return { status: 200, body: await listPage(unit, transactions, request, viewTransaction) };
  },
});

/** UMA addresses are kept in small letters, account ids as they are. */
function spelled(identifier: string | undefined): string | undefined {
  return identifier?.startsWith('$') ? identifier.toLowerCase() : identifier;
}
