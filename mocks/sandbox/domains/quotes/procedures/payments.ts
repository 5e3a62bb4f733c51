import type { Outcome } from '../../../payments/outcomes.ts';
import { isExternalAccount, isInternalAccount } from '../../../payments/places.ts';
import { activeSessions, refuseSignature } from '../../../signedRetry/signers.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { invalid, Problem } from '../../../tools/problem.ts';
import { outcomeSuffix } from '../../../tools/suffix.ts';
import { type ExternalAccountRecord, externalAccounts, mustFindAccount } from '../../accounts/records.ts';
import { balanceAfterDebit, primaryIdentifier } from '../../accounts/rules.ts';
import { customers } from '../../customers/records.ts';
import { applyOutcome, canTake, findParty, settle } from '../../transfers/procedures/transactions.ts';
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
 * Checks whether a quote can be executed, except for its owner's signature and the money (D72).
 * @throws Problem 400, 403 `USER_NOT_READY`, 409, 410.
 */
export async function checkExecutable(unit: Unit, quote: QuoteRecord): Promise<void> {
  if (quote.source.sourceType === 'REALTIME_FUNDING') {
    const message =
      "can't be executed, because the quote is carried out when its money arrives; send the money with POST /sandbox/send";
    throw invalid([{ in: 'path', pointer: '/quoteId', message }]);
  }
  checkIsPending(quote);
  const payer = await findParty(unit, quote.payerId);
  if (payer !== undefined) checkMaySend(payer);
}

/** @throws Problem 401 if a wallet pays and its owner hasn't signed (D17, D72) */
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
  if (!unit.proofs().quoteSignature(header, payloadToSign, keys)) {
    throw await refuseSignature(unit, source.accountId, header);
  }
}

/**
 * Executes a quote. Its accounts select the outcome of its transaction, and the quote follows the transaction (D28,
 * D30).
 * @throws Problem 400 `INSUFFICIENT_FUNDS`. No money has moved then.
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
  // Even if no money will move: a payer without the money gets this error first.
  if (isInternalAccount(payment.from)) {
    balanceAfterDebit(await mustFindAccount(unit, payment.from), payment.sending.amount);
  }
  const paid = await destinationOutcome(unit, quote);
  if (source.sourceType !== 'ACCOUNT' || isInternalAccount(source.accountId)) return paid;
  const pulled = await externalAccounts.find(unit, source.accountId);
  return pulled === undefined ? impossible : pullThenPay(transferOutcome(suffixOf(pulled)), paid);
}

/**
 * Money for an account of the platform arrives at once. Outside the platform, the receiver selects the outcome (D30,
 * D31).
 */
async function destinationOutcome(unit: Unit, { destination, reachedId }: QuoteRecord): Promise<Outcome> {
  if (reachedId !== undefined) return quoteOutcome('');
  if (destination.destinationType === 'UMA_ADDRESS') return umaOutcome(destination.umaAddress);
  const account = await externalAccounts.find(unit, destination.accountId);
  return account === undefined ? impossible : quoteOutcome(suffixOf(account));
}

function suffixOf(account: ExternalAccountRecord): string {
  return outcomeSuffix(primaryIdentifier(account.accountInfo));
}

/** Whether both sides still exist and can keep what the quote promised (D72). */
async function isStillPossible(
  unit: Unit,
  { payment, source, destination, reachedId }: QuoteRecord,
  receiverId: string | undefined,
): Promise<boolean> {
  // The payer's account must only be open: what it holds is checked with an error of its own.
  if (!(await canTake(unit, payment.from, 0)) || !(await canTake(unit, payment.to, payment.receiving.amount))) {
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

/** Reads quotes, and the transactions of those that are pending. */
export async function readAheadQuotes(unit: Unit, ids: readonly string[]): Promise<void> {
  const found = await quotes.findAll(unit, ids);
  const pending = found.filter(({ status }) => status === 'PENDING');
  await transactions.findAll(
    unit,
    pending.map(({ transactionId }) => transactionId),
  );
}

/** Reads transactions, and their quotes. */
export async function readAheadTransactions(unit: Unit, ids: readonly string[]): Promise<void> {
  const found = await transactions.findAll(unit, ids);
  await quotes.findAll(
    unit,
    found.flatMap(({ quoteId }) => quoteId ?? []),
  );
}

/** Expires a quote that is pending, and its transaction (D28, D70). */
export async function expireQuote(unit: Unit, quoteId: string): Promise<void> {
  const quote = await mustFindQuote(unit, quoteId);
  await quotes.replace(unit, quote, { ...quote, status: 'EXPIRED' });
  const transaction = await mustFindTransaction(unit, quote.transactionId);
  await transactions.replace(unit, transaction, {
    ...transaction,
    status: 'EXPIRED',
    failureReason: 'QUOTE_EXPIRED',
    updatedAt: unit.now(),
  });
}

/** Carries out the planned end of a transaction. Its quote gets the same status. */
export async function settleTransaction(unit: Unit, transactionId: string): Promise<void> {
  const settled = await settle(unit, transactionId);
  if (settled?.quoteId === undefined) return;
  const quote = await mustFindQuote(unit, settled.quoteId);
  await quotes.replace(unit, quote, { ...quote, status: settled.status });
}
