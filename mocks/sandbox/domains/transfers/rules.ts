import type { PaymentRail } from '../../../../generated/types.ts';
import { type Outcome, quoteOutcomes, success, transferOutcomes, umaReceivers } from '../../payments/outcomes.ts';
import { invalidField, Problem } from '../../tools/problem.ts';

/** The outcome if the payment has become impossible since the quote was created (D72). */
export const impossible: Outcome = { step: 'NOTHING', status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' };

/** The outcome if the account lacks the money for a transfer (D33). */
export const unfunded: Outcome = { step: 'NOTHING', status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS' };

export function quoteOutcome(suffix: string): Outcome {
  return quoteOutcomes[suffix] ?? success;
}

export function transferOutcome(suffix: string): Outcome {
  return transferOutcomes[suffix] ?? success;
}

/** The receiver that the sandbox invents for an address, in whatever case it is written; undefined if none (D31). */
export function inventedReceiver(
  address: string,
): { readonly currency: string; readonly outcome: Outcome } | undefined {
  const [name = ''] = address.toLowerCase().split('@');
  return umaReceivers[name];
}

export function umaOutcome(address: string): Outcome {
  return inventedReceiver(address)?.outcome ?? success;
}

/** If a direct pull doesn't succeed, it decides the outcome. If it does, the destination decides (D28). */
export function pullThenPay(pull: Outcome, pay: Outcome): Outcome {
  if (pull.status === 'COMPLETED') return pay;
  return pull.status === 'PENDING' ? { ...pull, status: 'PROCESSING' } : pull;
}

/** @throws Problem 403 `USER_NOT_READY`: a customer who isn't approved can receive money but not send it (D39) */
export function checkMaySend(
  customer: { readonly id: string } & ({ readonly kycStatus: string } | { readonly kybStatus: string }),
): void {
  const status = 'kycStatus' in customer ? customer.kycStatus : customer.kybStatus;
  if (status === 'APPROVED') return;
  const kind = 'kycStatus' in customer ? 'KYC' : 'KYB';
  throw new Problem('USER_NOT_READY', `The customer ${customer.id} can't send money: its ${kind} status is ${status}.`);
}

/** @throws Problem 400 `INVALID_CURRENCY`: a transfer doesn't convert */
export function checkSameCurrency(source: string, destination: string): void {
  if (source === destination) return;
  const message = `takes ${destination}, the source has ${source}; create a quote to convert the money`;
  throw invalidField('/destination/accountId', message, 'INVALID_CURRENCY');
}

/** @throws Problem 400 if the account doesn't have the rail */
export function checkRail(
  pointer: string,
  rail: PaymentRail | undefined,
  rails: readonly string[],
): PaymentRail | undefined {
  if (rail === undefined) return rails[0] as PaymentRail | undefined;
  if (rails.includes(rail)) return rail;
  const known = rails.length === 0 ? 'has no payment rails' : `has the payment rails ${rails.join(', ')} only`;
  throw invalidField(pointer, `the account ${known}`);
}

/** @throws Problem 400: only a quote, which is signed, takes money out of a wallet (D42) */
export function checkIsNotWallet(account: { readonly type: string }): void {
  if (account.type !== 'EMBEDDED_WALLET') return;
  throw invalidField('/source/accountId', "is a wallet; create a quote instead, and sign it with the wallet's session");
}

/** @throws Problem 400: only a quote can send one customer's money to another customer (D73) */
export function checkOneOwner(source: string | undefined, destination: string | undefined): void {
  if (source === undefined || destination === undefined || source === destination) return;
  throw invalidField('/destination/accountId', 'belongs to another customer; create a quote to pay another customer');
}
