import { operation } from '../operation.ts';
import { countOwners } from './procedures.ts';
import { customers, mustFindLiveCustomer, verifications, viewVerification } from './records.ts';
import { checkIsBusiness, verifyBusiness } from './rules.ts';

/** POST /verifications: runs a business's verification. The status is 200 for every result (D38, D66). */
export const createVerification = operation('createVerification', {
  async handle({ body }, unit) {
    const customer = await mustFindLiveCustomer(unit, body.customerId);
    checkIsBusiness(customer);
    const { kybStatus, ...outcome } = verifyBusiness(customer, await countOwners(unit, customer.id));
    if (kybStatus !== undefined)
      await customers.replace(unit, customer, { ...customer, kybStatus, updatedAt: unit.now() });
    const verification = await verifications.insert(unit, {
      id: unit.newId('Verification'),
      customerId: customer.id,
      ...outcome,
      createdAt: unit.now(),
    });
    return { status: 200, body: viewVerification(verification) };
  },
});
