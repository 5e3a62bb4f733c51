import { operation } from '../operation.ts';
import { mustFindDeviceCode } from './procedures/agents.ts';

/** GET /agents/device-codes/{code}/status: tells only whether the code was redeemed (D34). */
export const getAgentDeviceCodeStatus = operation('getAgentDeviceCodeStatus', {
  async handle({ path: { code } }, unit) {
    const { ended } = await mustFindDeviceCode(unit, code);
    return { status: 200, body: { code, redeemed: ended === 'redeemed' } };
  },
});
