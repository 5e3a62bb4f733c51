import { operation } from '../operation.ts';
import { mustFindToken, viewToken } from './records.ts';

/** GET /tokens/{tokenId}: returns the token, never its secret. */
export const getToken = operation('getToken', {
  async handle(call, unit) {
    return { status: 200, body: viewToken(await mustFindToken(unit, call.path.tokenId)) };
  },
});
