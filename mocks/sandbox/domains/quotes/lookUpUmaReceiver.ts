import { operation } from '../operation.ts';
import { checkSender, findUmaReceiver, rememberLookup } from './procedures/receivers.ts';
import { checkUmaAddress, payerFields, preference } from './rules.ts';

/**
 * GET /receiver/uma/{receiverUmaAddress}: finds the platform's own customers first, then the sandbox's receivers (D31,
 * D65).
 */
export const lookUpUmaReceiver = operation('lookUpUmaReceiver', {
  async handle({ path, query }, unit) {
    const { receiverUmaAddress } = path;
    checkUmaAddress(receiverUmaAddress);
    await checkSender(unit, query.customerId);
    const { currencies } = await findUmaReceiver(unit, receiverUmaAddress);
    const lookupId = await rememberLookup(unit, { kind: 'UMA', receiverUmaAddress });
    const supportedCurrencies = currencies.map(preference);
    const body = { lookupId, receiverUmaAddress, supportedCurrencies, requiredPayerDataFields: [...payerFields] };
    return { status: 200, body };
  },
});
