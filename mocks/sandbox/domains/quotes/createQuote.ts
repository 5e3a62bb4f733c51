import { toTimestamp } from '../../kernel/clock.ts';
import { fundingReference } from '../../kernel/funding.ts';
import { exchangeRate } from '../../kernel/money.ts';
import { invalidField } from '../../kernel/problem.ts';
import { writePayload } from '../auth/rules.ts';
import { schedule } from '../effect.ts';
import { operation } from '../operation.ts';
import { findParty, openTransaction } from '../transfers/procedures.ts';
import { checkMaySend } from '../transfers/rules.ts';
import {
  checkNamed,
  type Destination,
  executePayment,
  findDestination,
  findSource,
  type Source,
} from './procedures.ts';
import { type QuoteRecord, quotes, viewQuote } from './records.ts';
import { checkInformation, priceOf, quoteLifetimeMs } from './rules.ts';

/**
 * POST /quotes: a payment at a fixed price for five minutes; its transaction is there from the beginning (INTERFACE,
 * Quotes; D26 to D28, D69, order of checks D72).
 */
export const createQuote = operation('createQuote', {
  async handle({ body }, unit) {
    await checkNamed(unit, body);
    const source = await findSource(unit, body.source);
    const destination = await findDestination(unit, body);
    checkTogether(source, destination, body.immediatelyExecute ?? false);
    checkInformation(body, destination.currency, destination.asked);
    const payer = await findParty(unit, source.ownerId);
    if (payer !== undefined) checkMaySend(payer);
    const price = priceOf(body.lockedCurrencySide, body.lockedCurrencyAmount, source.currency, destination.currency);

    const id = unit.newId('Quote');
    const payment = { from: source.place, to: destination.place, ...price };
    const owner = source.ownerId === undefined ? {} : { customerId: source.ownerId };
    const told = {
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.purposeOfPayment === undefined ? {} : { purposeOfPayment: body.purposeOfPayment }),
      ...(destination.counterparty === undefined ? {} : { counterpartyInformation: destination.counterparty }),
    };
    const shared = { source: source.view, destination: destination.view, payment, ...told };
    const rate = exchangeRate(source.currency, destination.currency);
    const transaction = await openTransaction(unit, {
      type: 'OUTGOING',
      ...owner,
      ...shared,
      exchangeRate: rate,
      quoteId: id,
      ...receiverOf(source, destination),
      ...(body.source.sourceType === 'REALTIME_FUNDING' ? { reference: fundingReference(id) } : {}),
    });
    const expiresAt = unit.now + quoteLifetimeMs;
    const quote: QuoteRecord = {
      id,
      status: 'PENDING',
      transactionId: transaction.id,
      ...shared,
      exchangeRate: rate,
      ...(destination.reachedId === undefined ? {} : { reachedId: destination.reachedId }),
      ...(source.ownerId === undefined ? {} : { payerId: source.ownerId }),
      ...(source.internal?.type === 'EMBEDDED_WALLET' ? { payloadToSign: payloadOf(id, payment, expiresAt) } : {}),
      createdAt: unit.now,
      expiresAt,
    };
    const kept = await quotes.insert(unit, quote);
    await schedule(unit, 'EXPIRE_QUOTE', id, expiresAt);
    return { status: 201, body: viewQuote(body.immediatelyExecute === true ? await executePayment(unit, kept) : kept) };
  },
});

/** @throws Problem 400 for sides that don't go together, and a source that can't pay at once (D28). */
function checkTogether(source: Source, destination: Destination, atOnce: boolean): void {
  const { view } = source;
  if (
    view.sourceType === 'ACCOUNT' &&
    'accountId' in destination.view &&
    view.accountId === destination.view.accountId
  ) {
    throw invalidField('/destination/accountId', 'is the account that pays');
  }
  if (view.sourceType === 'ACCOUNT' && view.accountId === destination.reachedId) {
    throw invalidField('/destination', 'leads back to the account that pays');
  }
  if (!atOnce) return;
  if (view.sourceType === 'REALTIME_FUNDING') {
    throw invalidField('/immediatelyExecute', 'is not possible with money from outside, which has to arrive first');
  }
  if (source.internal?.type === 'EMBEDDED_WALLET') {
    throw invalidField('/immediatelyExecute', 'is not possible with a wallet, whose owner has to sign first');
  }
}

/** Whose account is reached, if it is another one's than the payer's (D69). */
function receiverOf(source: Source, destination: Destination) {
  const { reachedId, ownerId } = destination;
  if (reachedId === undefined || ownerId === source.ownerId) return {};
  return { receiver: { accountId: reachedId, ...(ownerId === undefined ? {} : { customerId: ownerId }) } };
}

/** What a wallet's owner signs: opaque to clients, and naming all that the signature is for (D18). */
function payloadOf(quoteId: string, payment: QuoteRecord['payment'], expiresAt: number): string {
  return writePayload({ action: 'EXECUTE_QUOTE', quoteId, parameters: payment, expiresAt: toTimestamp(expiresAt) });
}
