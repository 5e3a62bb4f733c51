import { operation } from '../operation.ts';
import { carryOutTransfer, planTransferOut } from './procedures/transfers.ts';
import { viewOutgoing } from './records.ts';

/** POST /transfer-out: sends money from an internal account to an external one of the same currency (D30, D42, D73). */
export const createTransferOut = operation('createTransferOut', {
  async handle({ body }, unit) {
    const plan = await planTransferOut(unit, body);
    return { status: 201, body: viewOutgoing(await carryOutTransfer(unit, plan)) };
  },
});
