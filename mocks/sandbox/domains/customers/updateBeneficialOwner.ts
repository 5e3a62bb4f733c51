import { operation } from '../operation.ts';
import { beneficialOwners, mustFindLiveCustomer, mustFindOwner, viewBeneficialOwner } from './records.ts';
import { checkShare, ownerStatus } from './rules.ts';

/** PATCH /beneficial-owners/{beneficialOwnerId}: changes single fields. A new last name is checked again (D35, D38). */
export const updateBeneficialOwner = operation('updateBeneficialOwner', {
  async handle({ body, path }, unit) {
    const owner = await mustFindOwner(unit, path.beneficialOwnerId);
    await mustFindLiveCustomer(unit, owner.customerId);
    const personalInfo = { ...owner.personalInfo, ...body.personalInfo };
    const changed = { ...owner, ...body, personalInfo, updatedAt: unit.now() };
    checkShare(changed.roles, changed.ownershipPercentage);
    const { lastName } = personalInfo;
    const kycStatus = lastName === owner.personalInfo.lastName ? owner.kycStatus : ownerStatus(lastName);
    const updated = await beneficialOwners.replace(unit, owner, { ...changed, kycStatus });
    return { status: 200, body: viewBeneficialOwner(updated) };
  },
});
