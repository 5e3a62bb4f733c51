import { outcomeSuffix } from '../../kernel/suffix.ts';
import { mustFindAccount, mustFindExternalAccount, places } from '../accounts/procedures.ts';
import { checkIsOpen, primaryIdentifier, railsOf } from '../accounts/rules.ts';
import { operation } from '../operation.ts';
import { carryOut, findParty, informationAboutOwner, openTransaction } from './procedures.ts';
import { viewOutgoing } from './records.ts';
import {
  checkIsNoWallet,
  checkMaySend,
  checkOneOwner,
  checkRail,
  checkSameCurrency,
  transferOutcome,
} from './rules.ts';

/** POST /transfer-out: from an internal account to an external one of the same currency (D30, D42, D73). */
export const createTransferOut = operation('createTransferOut', {
  async handle({ body }, unit) {
    const source = await mustFindAccount(unit, body.source.accountId);
    const destination = await mustFindExternalAccount(unit, body.destination.accountId);
    const payer = await findParty(unit, source.customerId);
    await findParty(unit, destination.customerId);
    checkIsNoWallet(source);
    checkOneOwner(source.customerId, destination.customerId);
    checkSameCurrency(source.currency, destination.currency);
    checkIsOpen(source, { in: 'body', pointer: '/source/accountId' });
    const { currency, customerId } = source;
    const paymentRail = checkRail(
      '/destination/paymentRail',
      body.destination.paymentRail,
      railsOf(destination.accountInfo),
    );
    if (payer !== undefined) checkMaySend(payer);
    const owner = customerId === undefined ? {} : { customerId };
    const amount = { currency, amount: body.amount };
    const transaction = await openTransaction(unit, {
      type: 'OUTGOING',
      ...owner,
      source: { sourceType: 'ACCOUNT', accountId: source.id, currency, ...owner },
      destination: {
        destinationType: 'ACCOUNT',
        accountId: destination.id,
        currency,
        ...(paymentRail === undefined ? {} : { paymentRail }),
      },
      payment: { from: source.id, to: places.world(currency, paymentRail), sending: amount, fee: 0, receiving: amount },
      exchangeRate: 1,
      ...informationAboutOwner(destination),
    });
    const outcome = transferOutcome(outcomeSuffix(primaryIdentifier(destination.accountInfo)));
    return { status: 201, body: viewOutgoing(await carryOut(unit, transaction, outcome)) };
  },
});
