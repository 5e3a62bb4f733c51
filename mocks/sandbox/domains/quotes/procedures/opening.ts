import type { QuoteCreateRequest } from '../../../../../generated/types.ts';
import { fundingReference } from '../../../payments/funding.ts';
import { exchangeRate } from '../../../payments/money.ts';
import { writePayload } from '../../../signedRetry/rules.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { toTimestamp } from '../../../tools/clock.ts';
import { given } from '../../../tools/given.ts';
import { invalidField } from '../../../tools/problem.ts';
import type { Received } from '../../../tools/received.ts';
import { schedule } from '../../effect.ts';
import { findParty, isReferenceTaken, openTransaction } from '../../transfers/procedures/transactions.ts';
import { checkMaySend } from '../../transfers/rules.ts';
import { type QuoteRecord, quotes } from '../records.ts';
import { checkInformation, priceOf, quoteLifetimeMs } from '../rules.ts';
import { checkNamed, type Destination, findDestination, findSource, type Source } from './sourceAndDestination.ts';

/**
 * Creates a quote and its transaction, and schedules its expiry (D26 to D28, D69, order of checks D72).
 * @param agentId the agent that requests it, if one does.
 * @throws Problem 400, 403 `USER_NOT_READY`, 404, 410.
 */
export async function openQuote(
  unit: Unit,
  request: Received<QuoteCreateRequest>,
  agentId?: string,
): Promise<Stored<QuoteRecord>> {
  await checkNamed(unit, request);
  const source = await findSource(unit, request.source);
  const destination = await findDestination(unit, request);
  checkTogether(source, destination, request.immediatelyExecute === true);
  checkInformation(request, destination.currency, destination.asked);
  const payer = await findParty(unit, source.ownerId);
  if (payer !== undefined) checkMaySend(payer);
  const price = priceOf(
    request.lockedCurrencySide,
    request.lockedCurrencyAmount,
    source.currency,
    destination.currency,
  );

  const id = await newQuoteId(unit, request.source.sourceType === 'REALTIME_FUNDING');
  const payment = { from: source.place, to: destination.place, ...price };
  const owner = source.ownerId === undefined ? {} : { customerId: source.ownerId };
  const told = {
    ...given({
      description: request.description,
      purposeOfPayment: request.purposeOfPayment,
      counterpartyInformation: destination.counterparty,
    }),
  };
  const shared = { source: source.view, destination: destination.view, payment, ...told };
  const rate = exchangeRate(source.currency, destination.currency);
  const transaction = await openTransaction(unit, {
    type: 'OUTGOING',
    ...owner,
    ...shared,
    exchangeRate: rate,
    quoteId: id,
    ...given({ agentId }),
    ...receiverOf(source, destination),
    ...(request.source.sourceType === 'REALTIME_FUNDING' ? { reference: fundingReference(id) } : {}),
  });
  const expiresAt = unit.now() + quoteLifetimeMs;
  const quote: QuoteRecord = {
    id,
    status: 'PENDING',
    transactionId: transaction.id,
    ...shared,
    exchangeRate: rate,
    ...given({ reachedId: destination.reachedId, payerId: source.ownerId, agentId }),
    ...(source.internal?.type === 'EMBEDDED_WALLET' ? { payloadToSign: payloadOf(id, payment, expiresAt) } : {}),
    createdAt: unit.now(),
    expiresAt,
  };
  const kept = await quotes.insert(unit, quote);
  await schedule(unit, 'EXPIRE_QUOTE', id, expiresAt);
  return kept;
}

/** @throws Problem 400 if the sides can't be combined, or the source can't pay at once (D28) */
function checkTogether(source: Source, destination: Destination, atOnce: boolean): void {
  const { view } = source;
  if (view.sourceType === 'ACCOUNT') checkIsAnother(view.accountId, destination);
  if (!atOnce) return;
  if (view.sourceType === 'REALTIME_FUNDING') {
    throw invalidField('/immediatelyExecute', 'is not possible for money from outside, because it must arrive first');
  }
  if (source.internal?.type === 'EMBEDDED_WALLET') {
    throw invalidField(
      '/immediatelyExecute',
      'is not possible for a wallet, because its owner must sign the quote first',
    );
  }
}

/** @throws Problem 400 if an account would pay itself */
function checkIsAnother(payingId: string, { view, reachedId }: Destination): void {
  if (view.destinationType === 'ACCOUNT' && view.accountId === payingId) {
    throw invalidField('/destination/accountId', 'must differ from the account that pays');
  }
  if (reachedId === payingId) throw invalidField('/destination', 'must not lead back to the account that pays');
}

/** The account that receives the money, if its owner isn't the payer (D69). */
function receiverOf(source: Source, destination: Destination) {
  const { reachedId, ownerId } = destination;
  if (reachedId === undefined || ownerId === source.ownerId) return {};
  return { receiver: { accountId: reachedId, ...given({ customerId: ownerId }) } };
}

/**
 * The text that a wallet's owner signs. Clients don't parse it. It names everything that the signature covers (D18).
 */
function payloadOf(quoteId: string, payment: QuoteRecord['payment'], expiresAt: number): string {
  return writePayload({ action: 'EXECUTE_QUOTE', quoteId, parameters: payment, expiresAt: toTimestamp(expiresAt) });
}

/**
 * A quote that waits for money shows its transaction's reference. The reference is derived from the quote's id, and
 * must be free (D70).
 */
async function newQuoteId(unit: Unit, isFundedFromOutside: boolean): Promise<string> {
  for (;;) {
    const id = unit.newId('Quote');
    if (!isFundedFromOutside || !(await isReferenceTaken(unit, fundingReference(id)))) return id;
  }
}
