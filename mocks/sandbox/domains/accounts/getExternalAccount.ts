import { operation } from '../operation.ts';
import { mustFindExternalAccount, viewExternalAccount } from './records.ts';

/** GET /customers/external-accounts/{externalAccountId}. */
export const getExternalAccount = operation('getExternalAccount', {
  async handle({ path }, unit) {
    return { status: 200, body: viewExternalAccount(await mustFindExternalAccount(unit, path.externalAccountId)) };
  },
});
