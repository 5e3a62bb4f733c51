import { mustFindExternalAccount } from '../accounts/records.ts';
import { operation } from '../operation.ts';
import { checkSender, rememberLookup } from './procedures/receivers.ts';
import { preference } from './rules.ts';

/** GET /receiver/external-account/{accountId}: returns its one currency. It asks for no data of the payer (D31). */
export const lookUpExternalAccountReceiver = operation('lookUpExternalAccountReceiver', {
  async handle({ path, query }, unit) {
    const account = await mustFindExternalAccount(unit, path.accountId);
    await checkSender(unit, query.customerId);
    const lookupId = await rememberLookup(unit, { kind: 'EXTERNAL_ACCOUNT', accountId: account.id });
    const supportedCurrencies = [preference(account.currency)];
    return { status: 200, body: { lookupId, accountId: account.id, supportedCurrencies, requiredPayerDataFields: [] } };
  },
});
