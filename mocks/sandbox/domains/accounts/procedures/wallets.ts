import type { Fault } from '../../../../../contract/faults.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { type CustomerRecord, checkNotDeleted, customers } from '../../customers/records.ts';

import type { InternalAccountRecord } from '../records.ts';
import { checkIsOpenWallet } from '../rules.ts';

/**
 * Checks that an account is a wallet that its owner can sign in to. Every request that names a wallet by its account
 * uses this rule.
 * @returns its customer. `at` is the place of the account in the request.
 * @throws Problem 410 `CUSTOMER_DELETED` (D39), 400 for an account that isn't a wallet or is closed (D67).
 */
export async function checkOpenWallet(
  unit: Unit,
  account: InternalAccountRecord,
  at: Pick<Fault, 'in' | 'pointer'> = { in: 'path', pointer: '/id' },
): Promise<CustomerRecord | undefined> {
  const customer = account.customerId === undefined ? undefined : await customers.find(unit, account.customerId);
  if (customer !== undefined) checkNotDeleted(customer);
  checkIsOpenWallet(account, at);
  return customer;
}
