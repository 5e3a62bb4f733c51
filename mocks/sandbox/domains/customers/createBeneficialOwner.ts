import { operation } from '../operation.ts';
import { beneficialOwners, mustFindLiveCustomer, viewBeneficialOwner } from './records.ts';
import { checkIsBusiness, checkShare, ownerStatus } from './rules.ts';

/** POST /beneficial-owners: adds a person behind a business. The KYC check runs at once (D35, D38). */
export const createBeneficialOwner = operation('createBeneficialOwner', {
  async handle({ body }, unit) {
    const customer = await mustFindLiveCustomer(unit, body.customerId);
    checkIsBusiness(customer);
    checkShare(body.roles, body.ownershipPercentage);
    const owner = await beneficialOwners.insert(unit, {
      id: unit.newId('BeneficialOwner'),
      ...body,
      kycStatus: ownerStatus(body.personalInfo.lastName),
      createdAt: unit.now(),
      updatedAt: unit.now(),
    });
    return { status: 201, body: viewBeneficialOwner(owner) };
  },
});
