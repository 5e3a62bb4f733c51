import type { ExternalAccountCreateRequest } from '../../../../../generated/types.ts';
import { accountIdentity } from '../../../payments/accountIdentity.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { Problem } from '../../../tools/problem.ts';
import type { Received } from '../../../tools/received.ts';
import { mustFindLiveCustomer } from '../../customers/records.ts';
import { type ExternalAccountRecord, externalAccounts } from '../records.ts';
import { checkAccountCurrency, checkBeneficiary, checkDeposit, withRails } from '../rules.ts';

/**
 * Adds a bank account, mobile money account or external wallet, for a customer or the platform. It is ACTIVE at once
 * (D40).
 * @throws Problem 404 and 410 for the customer, 400, 409 `CONFLICT` if it exists already.
 */
export async function addExternalAccount(
  unit: Unit,
  request: Received<ExternalAccountCreateRequest>,
): Promise<Stored<ExternalAccountRecord>> {
  const { customerId, currency, defaultUmaDepositAccount = false } = request;
  if (customerId !== undefined) await mustFindLiveCustomer(unit, customerId);
  checkAccountCurrency(currency, request.accountInfo);
  checkDeposit(customerId, defaultUmaDepositAccount);
  const accountInfo = withRails(request.accountInfo);
  const verdict = checkBeneficiary(accountInfo);
  const identity = accountIdentity(customerId, currency, accountInfo);
  const [same] = await externalAccounts.where(unit, 'identity', identity);
  if (same !== undefined) throw new Problem('CONFLICT', `This account already exists, as ${same.id}.`);
  if (defaultUmaDepositAccount && customerId !== undefined) {
    for (const before of await externalAccounts.where(unit, 'deposit_for', customerId)) {
      await externalAccounts.replace(unit, before, { ...before, defaultUmaDepositAccount: false });
    }
  }
  const id = unit.newId('ExternalAccount');
  const account = { ...request, id, defaultUmaDepositAccount, accountInfo, ...verdict };
  return externalAccounts.insert(unit, account);
}
