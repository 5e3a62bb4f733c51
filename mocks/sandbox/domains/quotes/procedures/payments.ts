import { maxAmount } from '../../../payments/currencies.ts';
import type { Outcome } from '../../../payments/outcomes.ts';
import { isExternalAccount, isInternalAccount } from '../../../payments/places.ts';
import { invalidWalletSignature } from '../../../signedRetry/rules.ts';
import { activeSessions } from '../../../signedRetry/signers.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { invalid, Problem } from '../../../tools/problem.ts';
import { outcomeSuffix } from '../../../tools/suffix.ts';
import {
  type ExternalAccountRecord,
  externalAccounts,
  internalAccounts,
  mustFindAccount,
} from '../../accounts/records.ts';
import { balanceAfterDebit, primaryIdentifier } from '../../accounts/rules.ts';
import { customers } from '../../customers/records.ts';
import { applyOutcome, findParty, settle } from '../../transfers/procedures/transactions.ts';
import { mustFindTransaction, type TransactionRecord, transactions } from '../../transfers/records.ts';
import {
  checkMaySend,
  impossible,
  pullThenPay,
  quoteOutcome,
  transferOutcome,
  umaOutcome,
} from '../../transfers/rules.ts';
import { mustFindQuote, type QuoteRecord, quotes } from '../records.ts';
import { checkIsPending } from '../rules.ts';

/**
 * Whether a quote can be executed at all, its owner's word and the money aside (D72).
 * @throws Problem 400, 403 `USER_NOT_READY`, 409, 410.
 */
export async function checkExecutable(unit: Unit, quote: QuoteRecord): Promise<void> {
  if (quote.source.sourceType === 'REALTIME_FUNDING') {
    const message = 'begins by itself when its money arrives; pay it with POST /sandbox/send';
    throw invalid([{ in: 'path', pointer: '/quoteId', message }]);
  }
  checkIsPending(quote);
  const payer = await findParty(unit, quote.payerId);
  if (payer !== undefined) checkMaySend(payer);
}

/** @throws Problem 401 where a wallet pays and its owner has not signed (D17, D72). */
export async function checkSignature(
  unit: Unit,
  { source, payloadToSign }: QuoteRecord,
  header: string | undefined,
): Promise<void> {
  if (payloadToSign === undefined || source.sourceType !== 'ACCOUNT') return;
  if (header === undefined) {
    const message = 'The Service-Wallet-Signature header is missing; sign the payloadToSign of the quote.';
    throw new Problem('WALLET_SIGNATURE_MISSING', message);
  }
  const keys = (await activeSessions(unit, source.accountId)).map(({ publicKey }) => publicKey);
  if (!unit.proofs().quoteSignature(header, payloadToSign, keys))
    throw invalidWalletSignature(unit.proofs().signatureHint(header));
}

/**
 * Carries a quote out: what its accounts choose happens to its transaction, and the quote follows (D28, D30).
 * @throws Problem 400 `INSUFFICIENT_FUNDS`; nothing is moved then.
 */
export async function executePayment(unit: Unit, quote: Stored<QuoteRecord>): Promise<Stored<QuoteRecord>> {
  const transaction = await mustFindTransaction(unit, quote.transactionId);
  const outcome = await outcomeOf(unit, quote, transaction);
  const carried = await applyOutcome(unit, transaction, outcome);
  return quotes.replace(unit, quote, { ...quote, status: carried.status });
}

async function outcomeOf(unit: Unit, quote: QuoteRecord, { receiver }: TransactionRecord): Promise<Outcome> {
  const { payment, source } = quote;
  if (!(await isStillPossible(unit, quote, receiver?.customerId))) return impossible;
  // Also where nothing will move: a payer without the money is told so first.
  if (isInternalAccount(payment.from)) {
    balanceAfterDebit(await mustFindAccount(unit, payment.from), payment.sending.amount);
  }
  const paid = await destinationOutcome(unit, quote);
  if (source.sourceType !== 'ACCOUNT' || isInternalAccount(source.accountId)) return paid;
  const pulled = await externalAccounts.find(unit, source.accountId);
  return pulled === undefined ? impossible : pullThenPay(transferOutcome(suffixOf(pulled)), paid);
}

/** What reaches an account of the platform is there at once; outside, the receiver decides (D30, D31). */
async function destinationOutcome(unit: Unit, { destination, reachedId }: QuoteRecord): Promise<Outcome> {
  if (reachedId !== undefined) return quoteOutcome('');
  if (destination.destinationType === 'UMA_ADDRESS') return umaOutcome(destination.umaAddress);
  const account = await externalAccounts.find(unit, destination.accountId);
  return account === undefined ? impossible : quoteOutcome(suffixOf(account));
}

function suffixOf(account: ExternalAccountRecord): string {
  return outcomeSuffix(primaryIdentifier(account.accountInfo));
}

/** Whether both sides are still there and can do what the quote promised (D72). */
async function isStillPossible(
  unit: Unit,
  { payment, source, destination, reachedId }: QuoteRecord,
  receiverId: string | undefined,
): Promise<boolean> {
  for (const place of [payment.from, payment.to]) {
    if (!isInternalAccount(place)) continue;
    const account = await internalAccounts.find(unit, place);
    if (account?.status !== 'ACTIVE') return false;
    if (place === payment.to && payment.from !== place && account.balance > maxAmount - payment.receiving.amount)
      return false;
  }
  const people = [receiverId];
  for (const id of [...[source, destination].map((side) => ('accountId' in side ? side.accountId : '')), reachedId]) {
    if (!isExternalAccount(id)) continue;
    const account = await externalAccounts.find(unit, id);
    if (account === undefined) return false;
    people.push(account.customerId);
  }
  for (const id of people) {
    if (id !== undefined && (await customers.find(unit, id))?.isDeleted === true) return false;
  }
  return true;
}

/** A quote that nobody executed in time has expired, and its transaction with it (D28, D70). */
export async function expireQuote(unit: Unit, quoteId: string): Promise<void> {
  const quote = await quotes.find(unit, quoteId);
  if (quote?.status !== 'PENDING') return;
  await quotes.replace(unit, quote, { ...quote, status: 'EXPIRED' });
  const transaction = await mustFindTransaction(unit, quote.transactionId);
  await transactions.replace(unit, transaction, {
    ...transaction,
    status: 'EXPIRED',
    failureReason: 'QUOTE_EXPIRED',
    updatedAt: unit.now(),
  });
}

/** What was planned for a transaction happens; a quote of its own follows it. */
export async function settleTransaction(unit: Unit, transactionId: string): Promise<void> {
  const settled = await settle(unit, transactionId);
  if (settled?.quoteId === undefined) return;
  const quote = await mustFindQuote(unit, settled.quoteId);
  await quotes.replace(unit, quote, { ...quote, status: settled.status });
}
