import { outcomeSuffix } from '../../kernel/suffix.ts';
import { mustFindAccount, mustFindExternalAccount, places } from '../accounts/procedures.ts';
import { checkIsOpen, primaryIdentifier, railsOf } from '../accounts/rules.ts';
import { operation } from '../operation.ts';
import { carryOut, findParty, informationAboutOwner, openTransaction } from './procedures.ts';
import { viewIncoming } from './records.ts';
import { checkOneOwner, checkSameCurrency, transferOutcome } from './rules.ts';

/** POST /transfer-in: collected from an external account into an internal one of the same currency (D28, D30, D73). */
export const createTransferIn = operation('createTransferIn', {
  async handle({ body }, unit) {
    const source = await mustFindExternalAccount(unit, body.source.accountId);
    const destination = await mustFindAccount(unit, body.destination.accountId);
    await findParty(unit, source.customerId);
    await findParty(unit, destination.customerId);
    checkOneOwner(source.customerId, destination.customerId);
    checkSameCurrency(source.currency, destination.currency);
    checkIsOpen(destination, { in: 'body', pointer: '/destination/accountId' });
    const { currency, customerId } = destination;
    const owner = customerId === undefined ? {} : { customerId };
    const amount = { currency, amount: body.amount };
    const [rail] = railsOf(source.accountInfo);
    const transaction = await openTransaction(unit, {
      type: 'INCOMING',
      ...owner,
      source: {
        sourceType: 'ACCOUNT',
        accountId: source.id,
        currency,
        ...(source.customerId === undefined ? {} : { customerId: source.customerId }),
      },
      destination: { destinationType: 'ACCOUNT', accountId: destination.id, currency },
      payment: { from: places.world(currency, rail), to: destination.id, sending: amount, fee: 0, receiving: amount },
      exchangeRate: 1,
      ...informationAboutOwner(source),
    });
    const outcome = transferOutcome(outcomeSuffix(primaryIdentifier(source.accountInfo)));
    return { status: 201, body: viewIncoming(await carryOut(unit, transaction, outcome)) };
  },
});
