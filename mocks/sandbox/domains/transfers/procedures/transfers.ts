import type { TransferInRequest, TransferOutRequest } from '../../../../../generated/types.ts';
import type { Outcome } from '../../../payments/outcomes.ts';
import { places } from '../../../payments/places.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { given } from '../../../tools/given.ts';
import { outcomeSuffix } from '../../../tools/suffix.ts';
import { mustFindAccount, mustFindExternalAccount } from '../../accounts/records.ts';
import { checkIsOpen, primaryIdentifier, railsOf } from '../../accounts/rules.ts';
import type { TransactionRecord } from '../records.ts';
import {
  checkIsNotWallet,
  checkMaySend,
  checkOneOwner,
  checkRail,
  checkSameCurrency,
  transferOutcome,
} from '../rules.ts';
import {
  applyOutcome,
  findParty,
  informationAboutOwner,
  openTransaction,
  type TransactionDraft,
} from './transactions.ts';

/** A transfer whose request has passed the checks: its transaction, not stored yet, and its outcome. */
export interface TransferPlan {
  readonly draft: TransactionDraft;
  readonly outcome: Outcome;
}

/**
 * Checks a transfer from an external account into an internal one of the same currency. It writes nothing (D28, D30,
 * D73).
 * @throws Problem 404, 410, 400 in the order of D72.
 */
export async function planTransferIn(unit: Unit, request: TransferInRequest): Promise<TransferPlan> {
  const source = await mustFindExternalAccount(unit, request.source.accountId);
  const destination = await mustFindAccount(unit, request.destination.accountId);
  await findParty(unit, source.customerId);
  await findParty(unit, destination.customerId);
  checkOneOwner(source.customerId, destination.customerId);
  checkSameCurrency(source.currency, destination.currency);
  checkIsOpen(destination, { in: 'body', pointer: '/destination/accountId' });
  const { currency, customerId } = destination;
  const amount = { currency, amount: request.amount };
  const [rail] = railsOf(source.accountInfo);
  const draft: TransactionDraft = {
    type: 'INCOMING',
    ...given({ customerId }),
    source: {
      sourceType: 'ACCOUNT',
      accountId: source.id,
      currency,
      ...given({ customerId: source.customerId }),
    },
    destination: { destinationType: 'ACCOUNT', accountId: destination.id, currency },
    payment: { from: places.world(currency, rail), to: destination.id, sending: amount, fee: 0, receiving: amount },
    exchangeRate: 1,
    ...informationAboutOwner(source),
  };
  return { draft, outcome: transferOutcome(outcomeSuffix(primaryIdentifier(source.accountInfo))) };
}

/**
 * Checks a transfer from an internal account to an external one of the same currency. It writes nothing (D30, D42,
 * D73).
 * @throws Problem 404, 410, 400, 403 `USER_NOT_READY` in the order of D72.
 */
export async function planTransferOut(unit: Unit, request: TransferOutRequest): Promise<TransferPlan> {
  const source = await mustFindAccount(unit, request.source.accountId);
  const destination = await mustFindExternalAccount(unit, request.destination.accountId);
  const payer = await findParty(unit, source.customerId);
  await findParty(unit, destination.customerId);
  checkIsNotWallet(source);
  checkOneOwner(source.customerId, destination.customerId);
  checkSameCurrency(source.currency, destination.currency);
  checkIsOpen(source, { in: 'body', pointer: '/source/accountId' });
  const { currency, customerId } = source;
  const paymentRail = checkRail(
    '/destination/paymentRail',
    request.destination.paymentRail,
    railsOf(destination.accountInfo),
  );
  if (payer !== undefined) checkMaySend(payer);
  const owner = given({ customerId });
  const amount = { currency, amount: request.amount };
  const draft: TransactionDraft = {
    type: 'OUTGOING',
    ...owner,
    source: { sourceType: 'ACCOUNT', accountId: source.id, currency, ...owner },
    destination: {
      destinationType: 'ACCOUNT',
      accountId: destination.id,
      currency,
      ...given({ paymentRail }),
    },
    payment: { from: source.id, to: places.world(currency, paymentRail), sending: amount, fee: 0, receiving: amount },
    exchangeRate: 1,
    ...informationAboutOwner(destination),
  };
  return { draft, outcome: transferOutcome(outcomeSuffix(primaryIdentifier(destination.accountInfo))) };
}

/**
 * Creates the transaction of a planned transfer and carries it out.
 * @throws Problem 400 `INSUFFICIENT_FUNDS`, 400 `AMOUNT_OUT_OF_RANGE`.
 */
export async function carryOutTransfer(
  unit: Unit,
  { draft, outcome }: TransferPlan,
): Promise<Stored<TransactionRecord>> {
  return applyOutcome(unit, await openTransaction(unit, draft), outcome);
}
