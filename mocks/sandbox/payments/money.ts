import { currencyOf, maxAmount } from './currencies.ts';

/** A sum of money, in the smallest unit of its currency. */
export interface Money {
  readonly currency: string;
  readonly amount: number;
}

/**
 * The value of one unit of a currency in US dollars, in millionths. The values are fixed, so that results repeat (D26).
 * They are near the market values of 2025 and mean nothing more.
 */
const usdMillionths: Readonly<Record<string, number>> = {
  AED: 272_294,
  ARS: 720,
  BDT: 8_210,
  BRL: 184_500,
  BTC: 64_000_000_000,
  BWP: 74_500,
  CAD: 716_000,
  COP: 255,
  DKK: 155_600,
  EGP: 20_900,
  EUR: 1_162_000,
  GBP: 1_335_000,
  GHS: 91_500,
  GTQ: 130_500,
  HKD: 128_600,
  HTG: 7_650,
  IDR: 60,
  INR: 11_300,
  JMD: 6_240,
  JPY: 6_600,
  KES: 7_740,
  KWD: 3_260_000,
  MWK: 577,
  MXN: 54_300,
  MYR: 236_500,
  NGN: 682,
  PHP: 17_150,
  PKR: 3_530,
  RWF: 690,
  SGD: 770_500,
  THB: 30_700,
  TZS: 408,
  UGX: 288,
  USD: 1_000_000,
  USDB: 1_000_000,
  USDC: 1_000_000,
  USDT: 1_000_000,
  VND: 38,
  XAF: 1_771,
  XOF: 1_771,
  ZAR: 57_600,
  ZMW: 43_900,
};

/** The fee of a conversion, as a fraction of the sending amount: 5 in 1000 (D27). */
const feeRate = { numerator: 5n, denominator: 1000n } as const;

/**
 * The exchange rate: units of the sending currency per unit of the receiving one, in major units. It is rounded once to
 * twelve significant digits; all calculations use exactly that decimal (D26).
 */
export function exchangeRate(sending: string, receiving: string): number {
  const [from, to] = [usdMillionths[sending], usdMillionths[receiving]];
  if (from === undefined || to === undefined) throw new Error(`No rate between ${sending} and ${receiving}`);
  return Number((to / from).toPrecision(12));
}

/** The fee on a sending amount, in its smallest unit, rounded up. There is no fee within one currency (D27). */
export function conversionFee(sendingAmount: number, sending: string, receiving: string): number {
  if (sending === receiving) return 0;
  return Number(divideUp(BigInt(sendingAmount) * feeRate.numerator, feeRate.denominator));
}

/**
 * The received amount of a conversion, in the receiving currency's smallest unit, rounded down (D26).
 * @param sendingAmount in the sending currency's smallest unit, without the fee.
 * @returns null if it is zero or more than an account can hold, because an amount is never changed to fit (D08).
 */
export function receivedAmount(sendingAmount: number, sending: string, receiving: string): number | null {
  const amount = convert(sendingAmount, sending, receiving);
  return amount === 0n || amount > BigInt(maxAmount) ? null : Number(amount);
}

/**
 * The smallest sending amount, including the fee, that results in a received amount. Both are in smallest units. It may
 * be more than an account can hold.
 */
export function leastSending(received: bigint, sending: string, receiving: string): bigint {
  const { numerator, denominator } = unitRate(sending, receiving);
  const converted = divideUp(received * denominator, numerator);
  if (sending === receiving) return converted;
  // Without the fee, an amount a becomes a * 995 / 1000, rounded down.
  return divideUp(converted * feeRate.denominator, feeRate.denominator - feeRate.numerator);
}

/**
 * The value of a sum in another currency at the fixed rate, in that currency's smallest unit, rounded up and without a
 * fee (D78). It may be more than an account can hold.
 */
export function worthOf(sum: Money, currency: string): bigint {
  const { numerator, denominator } = unitRate(sum.currency, currency);
  return divideUp(BigInt(sum.amount) * numerator, denominator);
}

function convert(sendingAmount: number, sending: string, receiving: string): bigint {
  const { numerator, denominator } = unitRate(sending, receiving);
  return (BigInt(sendingAmount) * numerator) / denominator;
}

/** How many smallest units of the receiving currency one smallest unit of the sending currency is worth, exactly. */
function unitRate(sending: string, receiving: string): Fraction {
  const rate = toFraction(exchangeRate(sending, receiving));
  return {
    numerator: 10n ** BigInt(currencyOf(receiving).decimals) * rate.denominator,
    denominator: 10n ** BigInt(currencyOf(sending).decimals) * rate.numerator,
  };
}

/** Divides positive whole numbers and rounds up. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The amounts of a conversion, each in the smallest unit of its currency. */
export interface Conversion {
  readonly sending: number;
  readonly fee: number;
  readonly receiving: number;
}

/**
 * The amounts of a conversion with one locked side. That side is exact. The other is rounded against the sender, by
 * less than one of its smallest units (D26, D27).
 * @returns null if a side is zero or more than an account can hold (D08).
 */
export function convertLocked(
  side: 'SENDING' | 'RECEIVING',
  amount: number,
  sending: string,
  receiving: string,
): Conversion | null {
  const least = side === 'SENDING' ? BigInt(amount) : leastSending(BigInt(amount), sending, receiving);
  if (least > BigInt(maxAmount)) return null;
  const total = Number(least);
  const fee = conversionFee(total, sending, receiving);
  const received = side === 'RECEIVING' ? amount : receivedAmount(total - fee, sending, receiving);
  return received === null ? null : { sending: total, fee, receiving: received };
}

/** The exact decimal that a number prints as. */
function toFraction(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const scale = Number(exponent) - (digits.length - 1);
  const power = (places: number): bigint => 10n ** BigInt(Math.max(places, 0));
  return { numerator: BigInt(digits) * power(scale), denominator: power(-scale) };
}
