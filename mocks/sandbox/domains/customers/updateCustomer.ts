import type { Unit } from '../../store/unit.ts';
import { activeSessions, openSignedRetry, requireSignature, type SignedRetry } from '../auth/procedures.ts';
import { pendingRequests } from '../auth/records.ts';
import { type Call, operation } from '../operation.ts';
import {
  changeEmail,
  findTied,
  mustFindLiveCustomer,
  planCurrencies,
  replaceCurrencies,
  requireFreeEmail,
  requireFreeUmaAddress,
  showCustomer,
  type Tied,
} from './procedures.ts';
import { customers } from './records.ts';
import { checkCustomerType, checkSameSet, mergeCustomer } from './rules.ts';

/**
 * PATCH /customers/{customerId}: at once, but for an e-mail change that EMAIL_OTP credentials hang on: that is signed by
 * a session of one of the customer's wallets, and customer and credentials change together or not at all (INTERFACE,
 * Customers; D15, D61).
 */
export const updateCustomer = operation('updateCustomer', {
  async handle(call, unit) {
    const { body, path } = call;
    const tied = await findTied(unit, path.customerId);
    const retry = await openRetry(unit, call, tied);
    const customer = await mustFindLiveCustomer(unit, path.customerId);
    checkCustomerType(customer, body);
    const changed = mergeCustomer(customer, body, unit.now);
    const currencies = await planCurrencies(unit, customer, changed.currencies);
    await requireFreeUmaAddress(unit, changed.umaAddress, customer.id);
    const hasNewEmail = changed.email !== customer.email;
    if (hasNewEmail) await requireFreeEmail(unit, changed.email, tied);
    if (retry !== undefined) checkSameSet(retry.pending.credentialSet, tied.emailOtp);
    if (retry !== undefined || (hasNewEmail && tied.emailOtp.length > 0)) {
      const [oldest] = tied.credentials;
      const challenge = await requireSignature(unit, call, retry, {
        accountId: oldest?.accountId ?? '',
        type: oldest?.type ?? 'EMAIL_OTP',
        action: 'CHANGE_CUSTOMER_EMAIL',
        parameters: { customerId: customer.id, email: changed.email, credentialIds: tied.emailOtp.map(({ id }) => id) },
        signers: (await Promise.all(tied.wallets.map(({ id }) => activeSessions(unit, id)))).flat(),
        credentialSet: tied.emailOtp.map(({ id }) => id),
      });
      if (challenge !== undefined) return { status: 202, body: challenge };
    }
    await replaceCurrencies(unit, customer.id, currencies);
    if (hasNewEmail && changed.email !== undefined) await changeEmail(unit, tied.emailOtp, changed.email);
    return { status: 200, body: await showCustomer(unit, await customers.replace(unit, customer, changed)) };
  },
});

/**
 * Where no credential hangs on the e-mail, nothing needs signing and both headers are ignored (D15), unless they belong
 * to a challenge from when one did: that set has changed.
 */
async function openRetry(unit: Unit, call: Call<'updateCustomer'>, tied: Tied): Promise<SignedRetry | undefined> {
  if (call.body.email === undefined) return undefined;
  const requestId = call.headers['Request-Id'];
  const isKnown = requestId !== undefined && (await pendingRequests.find(unit, requestId)) !== undefined;
  return tied.emailOtp.length > 0 || isKnown ? openSignedRetry(unit, call) : undefined;
}
