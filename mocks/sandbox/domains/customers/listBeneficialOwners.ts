import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { beneficialOwners, viewBeneficialOwner } from './records.ts';

/** GET /beneficial-owners: lists the owners of one business. */
export const listBeneficialOwners = operation('listBeneficialOwners', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, customerId } = query;
    const request = { operation, limit, cursor, filters: { customer_id: customerId } };
    return { status: 200, body: await listPage(unit, beneficialOwners, request, viewBeneficialOwner) };
  },
});
