import type { Fault } from '../../../../contract/faults.ts';
import { accountTypes } from '../../../../generated/accountTypes.ts';
import type {
  CounterpartyFieldDefinition,
  CurrencyPreference,
  ExchangeRate,
  PaymentRail,
} from '../../../../generated/types.ts';
import {
  accountTypeFor,
  currencyCodes,
  currencyOf,
  findCurrency,
  maxAmount,
  sayAmount,
} from '../../payments/currencies.ts';
import { conversionFee, convertLocked, exchangeRate, leastSending, receivedAmount } from '../../payments/money.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import type { Payment } from '../transfers/records.ts';
import { inventedReceiver } from '../transfers/rules.ts';

/** The form of a UMA address (facts on customers; D65). */
const umaAddress = /^\$[A-Za-z0-9._+-]{1,63}@[A-Za-z0-9.-]{1,253}$/;

/** @throws Problem 400 `INVALID_UMA_ADDRESS` (D65). */
export function checkUmaAddress(address: string): void {
  if (umaAddress.test(address)) return;
  const message = 'must be a UMA address such as $name@host';
  throw invalid([{ in: 'path', pointer: '/receiverUmaAddress', message }], 'INVALID_UMA_ADDRESS');
}

/** The data of the sandbox's invented persons, by their role in a payment (D77). */
export const sandboxPerson = {
  sender: { FULL_NAME: 'Sandbox Sender' },
  receiver: { FULL_NAME: 'Sandbox Receiver' },
} as const;

/** The currency of a receiver that the sandbox invents. @throws Problem 404 `UMA_NOT_FOUND` */
export function sandboxReceiver(address: string): string {
  const receiver = inventedReceiver(address);
  if (receiver === undefined) throw umaNotFound(address);
  return receiver.currency;
}

export function umaNotFound(address: string): Problem {
  return new Problem('UMA_NOT_FOUND', `There is no receiver with the UMA address ${address}.`);
}

/** The data that a UMA receiver requires of the payer (D31). */
export const payerFields: readonly CounterpartyFieldDefinition[] = [
  { name: 'FULL_NAME', mandatory: true },
  { name: 'BIRTH_DATE', mandatory: true },
  { name: 'NATIONALITY', mandatory: false },
];

/**
 * A currency that can be received. The rate is that to US dollars, because a lookup doesn't know the sending currency
 * (D31).
 */
export function preference(currency: string): CurrencyPreference {
  return {
    currency: { ...currencyOf(currency) },
    estimatedExchangeRate: exchangeRate('USD', currency),
    min: 1,
    max: maxAmount,
  };
}

interface Pair {
  readonly source: string;
  readonly destination: string;
}

/** A row of the list of rates, without its amounts. */
export interface RatePair extends Pair {
  readonly rail: PaymentRail | undefined;
}

/** Every combination of two currencies and a rail that passes the filters, in the list's order (D26). */
export function ratePairs(source: string | undefined, destinations: readonly string[] | undefined): RatePair[] {
  const sources = currencyCodes.filter((code) => source === undefined || code === source);
  const targets = currencyCodes.filter((code) => destinations === undefined || destinations.includes(code));
  const rows = targets.flatMap((destination) => railsTo(destination).map((rail) => ({ destination, rail })));
  return sources.flatMap((one) => rows.map((row) => ({ source: one, ...row })));
}

/**
 * The rails of the account types that take a currency. SWIFT if only SWIFT does. No rail for a currency that isn't fiat
 * money.
 */
function railsTo(currency: string): (PaymentRail | undefined)[] {
  if (accountTypeFor(currency) !== 'INTERNAL_FIAT') return [undefined];
  const rails = Object.values(accountTypes)
    .filter(({ currencies }) => currencies.includes(currency))
    .flatMap((type) => type.rails.map(({ rail }) => rail));
  const names = [...new Set(rails)].sort() as PaymentRail[];
  return names.length === 0 ? ['SWIFT'] : names;
}

/** @throws Problem 400 `AMOUNT_OUT_OF_RANGE` if the amount is too large for one of the rows (D08, D26) */
export function checkAmounts(pairs: readonly RatePair[], sendingAmount: number): void {
  const over = pairs.find((pair) => sendingAmount > maxSending(pair));
  if (over === undefined) return;
  const most = sayAmount(maxSending(over), over.source);
  const message = `must be at most ${most}; a larger amount would be too large in ${over.destination}`;
  throw invalid([{ in: 'query', pointer: '/sendingAmount', message }], 'AMOUNT_OUT_OF_RANGE');
}

/** A row with its amounts, for a sending amount (D26, D27). */
export function rateRow(pair: RatePair, sendingAmount: number): ExchangeRate {
  const { source, destination, rail } = pair;
  const fixed = conversionFee(sendingAmount, source, destination);
  return {
    sourceCurrency: { ...currencyOf(source) },
    sendingAmount,
    minSendingAmount: minSending(pair),
    maxSendingAmount: maxSending(pair),
    destinationCurrency: { ...currencyOf(destination) },
    ...given({ destinationPaymentRail: rail }),
    receivingAmount: receivedAmount(sendingAmount - fixed, source, destination) ?? 0,
    exchangeRate: exchangeRate(source, destination),
    fees: { fixed },
    updatedAt: ratesSetAt,
  };
}

// The rates never change (D26).
const ratesSetAt = toTimestamp(Date.UTC(2025, 9, 13));

/** The smallest amount that results in a received amount above zero. */
function minSending({ source, destination }: Pair): number {
  return Number(leastSending(1n, source, destination));
}

/** The largest amount whose result stays within the limit. It stays within the limit itself. */
function maxSending({ source, destination }: Pair): number {
  const tooMuch = leastSending(BigInt(maxAmount) + 1n, source, destination);
  return Math.min(maxAmount, Number(tooMuch - 1n));
}

/** The largest amount that can be received, so that the sending amount stays within the limit too. */
function maxReceiving({ source, destination }: Pair): number {
  const total = maxAmount - conversionFee(maxAmount, source, destination);
  return receivedAmount(total, source, destination) ?? maxAmount;
}

/** How long a quote can be executed, in milliseconds (D13). */
export const quoteLifetimeMs = 5 * 60_000;

/**
 * @throws Problem 400 `INVALID_CURRENCY` or `INVALID_INPUT` if the request's facts about an account are wrong (D06,
 * D77)
 */
export function checkAccountFacts(
  pointer: string,
  said: { readonly currency?: string | undefined; readonly customerId?: string | undefined },
  is: { readonly currency: string; readonly customerId?: string | undefined },
): void {
  if (said.currency !== undefined && said.currency !== is.currency) {
    throw invalidField(`${pointer}/currency`, `must be ${is.currency}, the account's currency`, 'INVALID_CURRENCY');
  }
  if (said.customerId !== undefined && said.customerId !== is.customerId) {
    throw invalidField(`${pointer}/customerId`, "is not the account's owner");
  }
}

/** @throws Problem 400 `INVALID_CURRENCY` if the service doesn't know the currency */
export function checkKnownCurrency(pointer: string, currency: string): void {
  if (findCurrency(currency) !== undefined) return;
  throw invalidField(pointer, `${currency} is not a currency of the service`, 'INVALID_CURRENCY');
}

/** Currencies that require a purpose of the payment (D28). */
const purposeNeeded = ['INR', 'BRL'];

/**
 * Checks that a payment has all required information (D28, D31).
 * @throws Problem 400 `MISSING_MANDATORY_USER_INFO` that lists everything missing.
 */
export function checkInformation(
  request: { readonly purposeOfPayment?: unknown; readonly senderCustomerInfo?: Readonly<Record<string, string>> },
  receivingCurrency: string,
  asked: readonly CounterpartyFieldDefinition[],
): void {
  const faults: Fault[] = [];
  if (purposeNeeded.includes(receivingCurrency) && request.purposeOfPayment === undefined) {
    faults.push({
      in: 'body',
      pointer: '/purposeOfPayment',
      message: `is required for a payment in ${receivingCurrency}`,
    });
  }
  for (const { name, mandatory } of asked) {
    if (!mandatory || request.senderCustomerInfo?.[name] !== undefined) continue;
    const message = 'is required by the receiver';
    faults.push({ in: 'body', pointer: `/senderCustomerInfo/${name}`, message });
  }
  if (faults.length > 0) throw invalid(faults, 'MISSING_MANDATORY_USER_INFO');
}

/**
 * Calculates the amounts of a payment with one locked side (D26, D27).
 * @throws Problem 400 `AMOUNT_OUT_OF_RANGE` if one side becomes zero or exceeds the largest possible amount (D08).
 */
export function priceOf(
  side: 'SENDING' | 'RECEIVING',
  amount: number,
  sending: string,
  receiving: string,
): Pick<Payment, 'sending' | 'fee' | 'receiving'> {
  const found = convertLocked(side, amount, sending, receiving);
  if (found === null) {
    const message = `must be ${lockedRange(side, { source: sending, destination: receiving })}`;
    throw invalidField('/lockedCurrencyAmount', message, 'AMOUNT_OUT_OF_RANGE');
  }
  return {
    sending: { currency: sending, amount: found.sending },
    fee: found.fee,
    receiving: { currency: receiving, amount: found.receiving },
  };
}

/** The amounts that can be locked, and why others can't. A received amount of at least 1 always has a sending amount. */
function lockedRange(side: 'SENDING' | 'RECEIVING', pair: Pair): string {
  const { source, destination } = pair;
  if (side === 'RECEIVING') {
    const most = sayAmount(maxReceiving(pair), destination);
    return `at most ${most}; a larger amount would be too large in ${source}`;
  }
  const [least, most] = [minSending(pair), maxSending(pair)].map((amount) => sayAmount(amount, source));
  return `from ${least} to ${most}; other amounts would be zero or too large in ${destination}`;
}

export function quoteExpired(id: string): Problem {
  return new Problem('QUOTE_EXPIRED', `The quote ${id} has expired; create a new one.`);
}

/** @throws Problem 409 `QUOTE_EXPIRED` or `QUOTE_NOT_PENDING` (D28). */
export function checkIsPending(quote: { readonly id: string; readonly status: string }): void {
  if (quote.status === 'PENDING') return;
  if (quote.status === 'EXPIRED') throw quoteExpired(quote.id);
  throw new Problem(
    'QUOTE_NOT_PENDING',
    `The quote ${quote.id} is ${quote.status}; only a PENDING quote can be executed.`,
  );
}
