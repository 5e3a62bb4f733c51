import { Problem } from '../../tools/problem.ts';
import { operation } from '../operation.ts';
import { verifications, viewVerification } from './records.ts';

/** GET /verifications/{verificationId}. */
export const getVerification = operation('getVerification', {
  async handle({ path }, unit) {
    const verification = await verifications.find(unit, path.verificationId);
    if (verification === undefined) {
      throw new Problem('REFERENCE_NOT_FOUND', `This platform has no verification ${path.verificationId}.`);
    }
    return { status: 200, body: viewVerification(verification) };
  },
});
