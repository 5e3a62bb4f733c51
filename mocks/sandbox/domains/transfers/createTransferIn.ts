import { operation } from '../operation.ts';
import { carryOutTransfer, planTransferIn } from './procedures/transfers.ts';
import { viewIncoming } from './records.ts';

/**
 * POST /transfer-in: collects money from an external account into an internal one of the same currency (D28, D30, D73).
 */
export const createTransferIn = operation('createTransferIn', {
  async handle({ body }, unit) {
    const plan = await planTransferIn(unit, body);
    return { status: 201, body: viewIncoming(await carryOutTransfer(unit, plan)) };
  },
});
