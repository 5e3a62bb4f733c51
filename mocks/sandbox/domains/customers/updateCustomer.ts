import { isChallenged, openSignedRetry, requireSignature, type SignedRetry } from '../../signedRetry/signedRetry.ts';
import { activeSessions } from '../../signedRetry/signers.ts';
import type { Unit } from '../../store/units/unit.ts';
import { type Call, operation } from '../operation.ts';
import {
  changeEmail,
  findTied,
  planCurrencies,
  replaceCurrencies,
  requireFreeEmail,
  requireFreeUmaAddress,
  showCustomer,
} from './procedures.ts';
import { customers, mustFindLiveCustomer } from './records.ts';
import { checkCustomerType, checkSameSet, mergeCustomer } from './rules.ts';

/**
 * PATCH /customers/{customerId}: changes a customer at once. The exception is an e-mail address that EMAIL_OTP
 * credentials use: a session of one of the customer's wallets must sign. Customer and credentials then change together
 * or not at all (D15, D61).
 */
export const updateCustomer = operation('updateCustomer', {
  async handle(call, unit) {
    const { body, path } = call;
    const tied = await findTied(unit, path.customerId);
    const before = await customers.find(unit, path.customerId);
    const retry = await openRetry(unit, call, tied.emailOtp.length > 0 && body.email !== before?.email);
    const customer = await mustFindLiveCustomer(unit, path.customerId);
    checkCustomerType(customer, body);
    const changed = mergeCustomer(customer, body, unit.now());
    const currencies = await planCurrencies(unit, customer, body.currencies);
    await requireFreeUmaAddress(unit, changed.umaAddress, customer.id);
    const hasNewEmail = changed.email !== customer.email;
    if (hasNewEmail) await requireFreeEmail(unit, changed.email, tied);
    if (retry !== undefined) checkSameSet(retry.pending.credentialSet, tied.emailOtp);
    const [oldest] = tied.credentials;
    if (oldest !== undefined && (retry !== undefined || (hasNewEmail && tied.emailOtp.length > 0))) {
      const challenge = await requireSignature(unit, call, retry, {
        accountId: oldest.accountId,
        type: oldest.type,
        action: 'CHANGE_CUSTOMER_EMAIL',
        parameters: { customerId: customer.id, email: changed.email, credentialIds: tied.emailOtp.map(({ id }) => id) },
        signers: (await Promise.all(tied.wallets.map(({ id }) => activeSessions(unit, id)))).flat(),
        credentialSet: tied.emailOtp.map(({ id }) => id),
      });
      if (challenge !== undefined) return { status: 202, body: challenge };
    }
    // Before the currencies, because a removed currency may also remove a credential.
    if (hasNewEmail && changed.email !== undefined) await changeEmail(unit, tied.emailOtp, changed.email);
    await replaceCurrencies(unit, customer.id, currencies);
    return { status: 200, body: await showCustomer(unit, await customers.replace(unit, customer, changed)) };
  },
});

/**
 * Opens a signed retry if one is needed. If no credential's address changes, nothing needs a signature and both headers
 * are ignored (D15). The exception is a challenge of this customer: it was used already, or issued when a signature was
 * needed.
 */
async function openRetry(
  unit: Unit,
  call: Call<'updateCustomer'>,
  needsSignature: boolean,
): Promise<SignedRetry | undefined> {
  if (call.body.email === undefined) return undefined;
  return needsSignature || (await isChallenged(unit, call)) ? openSignedRetry(unit, call) : undefined;
}
