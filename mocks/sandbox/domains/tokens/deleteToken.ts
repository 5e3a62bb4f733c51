import { operation } from '../operation.ts';
import { mustFindToken, tokens } from './records.ts';
import { checkNotLastManager } from './rules.ts';

/**
 * DELETE /tokens/{tokenId}: the token is refused from the next request on. The last token with MANAGE can't be deleted
 * (D11).
 */
export const deleteToken = operation('deleteToken', {
  async handle(call, unit) {
    const token = await mustFindToken(unit, call.path.tokenId);
    const managers = await tokens.page(unit, { limit: 2, before: null, filters: {}, label: 'MANAGE' });
    checkNotLastManager(token, managers.records);
    await tokens.remove(unit, token);
    return { status: 204 };
  },
});
