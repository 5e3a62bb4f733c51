import type { Fault } from '../../../../../contract/faults.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { type CustomerRecord, checkNotDeleted, customers } from '../../customers/records.ts';

import type { InternalAccountRecord } from '../records.ts';
import { checkIsOpenWallet } from '../rules.ts';

/**
 * An account is a wallet that somebody can sign in to: the one rule for everything that names it by its account.
 * @returns its customer. `at` says where the request names the account.
 * @throws Problem 410 `CUSTOMER_DELETED` (D39), 400 for another account and for a closed one (D67).
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
