import { operation } from '../operation.ts';
import { mustFindOwner, viewBeneficialOwner } from './records.ts';

/** GET /beneficial-owners/{beneficialOwnerId}. */
export const getBeneficialOwner = operation('getBeneficialOwner', {
  async handle(call, unit) {
    return { status: 200, body: viewBeneficialOwner(await mustFindOwner(unit, call.path.beneficialOwnerId)) };
  },
});
