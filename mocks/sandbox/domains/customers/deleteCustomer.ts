import { internalAccounts } from '../accounts/records.ts';
import { operation } from '../operation.ts';
import { currenciesOnTheWay } from '../transfers/records.ts';
import { closeAccount, showCustomer } from './procedures.ts';
import { customers, mustFindLiveCustomer } from './records.ts';
import { checkEmptied } from './rules.ts';

/**
 * DELETE /customers/{customerId}: deletes a customer whose accounts are empty. They close, and its wallets' sign-in
 * ends (D39, D67).
 */
export const deleteCustomer = operation('deleteCustomer', {
  async handle(call, unit) {
    const customer = await mustFindLiveCustomer(unit, call.path.customerId);
    const accounts = await internalAccounts.where(unit, 'customer_id', customer.id);
    const onTheWay = await currenciesOnTheWay(unit, customer.id);
    checkEmptied(accounts, onTheWay, "the customer can't be deleted");
    for (const account of accounts) await closeAccount(unit, account);
    const deleted = await customers.replace(unit, customer, { ...customer, isDeleted: true, updatedAt: unit.now() });
    return { status: 200, body: await showCustomer(unit, deleted) };
  },
});
