import { given } from '../../tools/given.ts';
import { credit } from '../accounts/procedures/accounts.ts';
import { mustFindAccount, viewInternalAccount } from '../accounts/records.ts';
import { checkIsOpen } from '../accounts/rules.ts';
import { operation } from '../operation.ts';
import { receive } from '../transfers/procedures/transactions.ts';

/**
 * POST /sandbox/internal-accounts/{accountId}/fund: adds money from nowhere, at once, as an INCOMING transaction (D69).
 */
export const fundInternalAccount = operation('fundInternalAccount', {
  async handle({ body, path }, unit) {
    const account = await mustFindAccount(unit, path.accountId);
    checkIsOpen(account);
    const { currency, customerId } = account;
    const owner = given({ customerId });
    const source = { sourceType: 'REALTIME_FUNDING' as const, currency, ...owner };
    const receiving = { currency, amount: body.amount };
    const { id } = await receive(unit, { ...owner, accountId: account.id, source, receiving });
    return { status: 200, body: viewInternalAccount(await credit(unit, account, body.amount, id)) };
  },
});
