import { credit, mustFindAccount } from '../accounts/procedures.ts';
import { viewInternalAccount } from '../accounts/records.ts';
import { checkIsOpen } from '../accounts/rules.ts';
import { operation } from '../operation.ts';

/** POST /sandbox/internal-accounts/{accountId}/fund: money from nowhere, at once (INTERFACE, Sandbox endpoints). */
export const fundInternalAccount = operation('fundInternalAccount', {
  async handle(call, unit) {
    const account = await mustFindAccount(unit, call.path.accountId);
    checkIsOpen(account);
    return { status: 200, body: viewInternalAccount(await credit(unit, account, call.body.amount)) };
  },
});
