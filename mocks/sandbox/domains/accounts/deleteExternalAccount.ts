import { mustFindLiveCustomer } from '../customers/records.ts';
import { operation } from '../operation.ts';
import { externalAccounts, mustFindExternalAccount } from './records.ts';

/**
 * DELETE /customers/external-accounts/{externalAccountId}: removes the account for good. It may be added again (D39,
 * D40).
 */
export const deleteExternalAccount = operation('deleteExternalAccount', {
  async handle({ path }, unit) {
    const account = await mustFindExternalAccount(unit, path.externalAccountId);
    if (account.customerId !== undefined) await mustFindLiveCustomer(unit, account.customerId);
    await externalAccounts.remove(unit, account);
    return { status: 204 };
  },
});
