import type { Unit } from '../../store/unit.ts';
import { internalAccounts } from '../accounts/records.ts';
import { customers } from '../customers/records.ts';
import { operation } from '../operation.ts';
import { checkSender, rememberLookup } from './procedures.ts';
import { checkUmaAddress, payerFields, preference, sandboxReceiver, umaNotFound } from './rules.ts';

/** GET /receiver/uma/{receiverUmaAddress}: the platform's own customers first, then the sandbox's receivers (D31, D65). */
export const lookUpUmaReceiver = operation('lookUpUmaReceiver', {
  async handle({ path, query }, unit) {
    const { receiverUmaAddress } = path;
    checkUmaAddress(receiverUmaAddress);
    await checkSender(unit, query.customerId);
    const currencies = await ownCurrencies(unit, receiverUmaAddress);
    const supportedCurrencies = (currencies ?? [sandboxReceiver(receiverUmaAddress)]).map(preference);
    const lookupId = await rememberLookup(unit, { kind: 'UMA', receiverUmaAddress });
    const body = { lookupId, receiverUmaAddress, supportedCurrencies, requiredPayerDataFields: [...payerFields] };
    return { status: 200, body };
  },
});

/**
 * What a customer of the platform with this address receives; undefined when nobody here ever had it.
 * @throws Problem 404 `UMA_NOT_FOUND` for a deleted customer's, even where the sandbox would have a receiver (D67).
 */
async function ownCurrencies(unit: Unit, address: string): Promise<string[] | undefined> {
  const [customer] = await customers.where(unit, 'uma_address', address.toLowerCase());
  if (customer === undefined) return undefined;
  if (customer.isDeleted) throw umaNotFound(address);
  const accounts = await internalAccounts.where(unit, 'customer_id', customer.id);
  return [...new Set(accounts.filter(({ status }) => status === 'ACTIVE').map(({ currency }) => currency))];
}
