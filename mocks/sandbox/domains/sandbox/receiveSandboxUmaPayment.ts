import type { ReceiveUmaPaymentRequest } from '../../../../generated/types.ts';
import { places } from '../../payments/places.ts';
import type { Unit } from '../../store/units/unit.ts';
import { invalidField } from '../../tools/problem.ts';
import { moveMoney } from '../accounts/procedures/accounts.ts';
import { balanceAfterCredit } from '../accounts/rules.ts';
import { type CustomerRecord, mustFindLiveCustomer } from '../customers/records.ts';

import { operation } from '../operation.ts';
import { depositOf, findUmaReceiver } from '../quotes/procedures/receivers.ts';
import { checkKnownCurrency, sandboxPerson, umaNotFound } from '../quotes/rules.ts';
import { informationAbout, receive } from '../transfers/procedures/transactions.ts';
import { viewIncoming } from '../transfers/records.ts';

/** POST /sandbox/uma/receive: simulates a UMA payment from outside, COMPLETED at once (D31). */
export const receiveSandboxUmaPayment = operation('receiveSandboxUmaPayment', {
  async handle({ body }, unit) {
    const { senderUmaAddress, receivingCurrencyCode: currency, receivingCurrencyAmount: amount } = body;
    const named = readReceiver(body);
    const sender = await findUmaReceiver(unit, senderUmaAddress);
    const customer = await findReceiver(unit, named);
    if (sender.customer?.id === customer.id) {
      const message = `${senderUmaAddress} belongs to the customer who receives the payment`;
      throw invalidField('/senderUmaAddress', message, 'SELF_PAYMENT');
    }
    checkKnownCurrency('/receivingCurrencyCode', currency);
    const deposit = await depositOf(unit, customer.id, currency);
    if (deposit === undefined) {
      const message = `the customer has no account in ${currency}`;
      throw invalidField('/receivingCurrencyCode', message, 'INVALID_CURRENCY');
    }
    const source = { sourceType: 'UMA_ADDRESS' as const, umaAddress: senderUmaAddress, currency };
    const receiving = { currency, amount };
    const { accountId, place, internal } = deposit;
    if (internal !== undefined) balanceAfterCredit(internal, amount, '/receivingCurrencyAmount');
    const known =
      sender.customer === undefined
        ? { counterpartyInformation: sandboxPerson.sender }
        : informationAbout(sender.customer);
    const transaction = await receive(unit, { customerId: customer.id, accountId, source, receiving, ...known });
    const from = places.world(currency, 'UMA');
    await moveMoney(unit, { from, to: place, currency, amount, transactionId: transaction.id });
    return { status: 200, body: viewIncoming(transaction) };
  },
});

/** The receiver that a request names: a customer, or a UMA address. */
type Named = { readonly customerId: string } | { readonly address: string };

/**
 * Checked before anything is looked up, because it is a fault of form. @throws Problem 400 unless exactly one receiver
 * is named
 */
function readReceiver({ customerId, receiverUmaAddress }: ReceiveUmaPaymentRequest): Named {
  if (customerId !== undefined && receiverUmaAddress === undefined) return { customerId };
  if (customerId === undefined && receiverUmaAddress !== undefined) return { address: receiverUmaAddress };
  throw invalidField('', 'must have exactly one of receiverUmaAddress and customerId');
}

/** The receiving customer. @throws Problem 404, 410 */
async function findReceiver(unit: Unit, named: Named): Promise<CustomerRecord> {
  if ('customerId' in named) return mustFindLiveCustomer(unit, named.customerId);
  const { customer } = await findUmaReceiver(unit, named.address);
  if (customer === undefined) throw umaNotFound(named.address);
  return customer;
}
