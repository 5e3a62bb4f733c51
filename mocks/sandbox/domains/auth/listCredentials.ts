import { operation } from '../operation.ts';
import { credentials, viewCredential } from './records.ts';

/** GET /auth/credentials: lists all credentials of an account, newest first, on one page (D07, D55). */
export const listCredentials = operation('listCredentials', {
  async handle(call, unit) {
    const found = await credentials.where(unit, 'account_id', call.query.accountId);
    return { status: 200, body: { data: found.toReversed().map(viewCredential) } };
  },
});
