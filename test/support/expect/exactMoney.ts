/** Exact arithmetic on amounts, written from the document (D26, D27) and without the sandbox's code. */

/** A printed decimal as an exact fraction: `numerator / denominator`. */
export interface Decimal {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Reads a number in JSON's notation. @throws Error for other text. */
export function readDecimal(text: string): Decimal {
  const [, whole, fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`${text} isn't a positive decimal`);
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(scale) }
    : { numerator: digits * 10n ** BigInt(-scale), denominator: 1n };
}

/** The fee on a sending amount, both in the smallest unit: half a percent rounded up, and zero within one currency. */
export function feeOn(sendingAmount: bigint, isSameCurrency: boolean): bigint {
  return isSameCurrency ? 0n : (sendingAmount * 5n + 999n) / 1000n;
}

/** The amount that arrives, in the receiving smallest unit, rounded down. */
export function arrivesOf(
  sendingAmount: bigint,
  sending: { readonly code: string; readonly decimals: number },
  receiving: { readonly code: string; readonly decimals: number },
  /** Sending units per receiving unit, as printed. */
  rate: string,
): bigint {
  const { numerator, denominator } = readDecimal(rate);
  const left = sendingAmount - feeOn(sendingAmount, sending.code === receiving.code);
  const up = left * 10n ** BigInt(receiving.decimals) * denominator;
  return up / (10n ** BigInt(sending.decimals) * numerator);
}

/** The value of a sum in another currency, in its smallest unit, rounded up and without a fee (D78). */
export function worthIn(
  amount: bigint,
  sending: { readonly code: string; readonly decimals: number },
  receiving: { readonly code: string; readonly decimals: number },
  /** Sending units per receiving unit, as printed. */
  rate: string,
): bigint {
  const { numerator, denominator } = readDecimal(rate);
  const divisor = 10n ** BigInt(sending.decimals) * numerator;
  const product = amount * 10n ** BigInt(receiving.decimals) * denominator;
  return product / divisor + (product % divisor === 0n ? 0n : 1n);
}

/** How many decimals each currency has: by ISO 4217, and by D25 for currencies outside that list. */
export const decimalsOf: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    (
      'AED ARS BDT BRL BWP CAD COP DKK EGP EUR GBP GHS GTQ HKD HTG IDR INR JMD KES MWK MXN MYR NGN PHP PKR SGD THB TZS ' +
      'USD ZAR ZMW'
    )
      .split(' ')
      .map((code) => [code, 2]),
  ),
  ...Object.fromEntries(['JPY', 'RWF', 'UGX', 'VND', 'XAF', 'XOF'].map((code) => [code, 0])),
  KWD: 3,
  USDC: 6,
  USDT: 6,
  USDB: 6,
  BTC: 8,
};

/** The greatest amount that the service handles (D08). */
const greatest = 9_000_000_000_000_000n;

export interface ExactPrice {
  readonly sending: bigint;
  readonly fee: bigint;
  readonly receiving: bigint;
}

/**
 * The amounts of a quote when one side is locked, or null if one of the two can't be expressed. It finds the other side
 * by trial: with RECEIVING, the smallest sum of which at least the locked amount arrives.
 */
export function priceOf(
  side: 'SENDING' | 'RECEIVING',
  amount: bigint,
  sending: { readonly code: string; readonly decimals: number },
  receiving: { readonly code: string; readonly decimals: number },
  rate: string,
): ExactPrice | null {
  const isSame = sending.code === receiving.code;
  const arrives = (sum: bigint): bigint => arrivesOf(sum, sending, receiving, rate);
  if (side === 'SENDING') {
    const received = arrives(amount);
    if (received === 0n || received > greatest) return null;
    return { sending: amount, fee: feeOn(amount, isSame), receiving: received };
  }
  if (arrives(greatest) < amount) return null;
  let [tooLittle, enough] = [0n, greatest];
  while (enough - tooLittle > 1n) {
    const middle = (tooLittle + enough) / 2n;
    if (arrives(middle) < amount) tooLittle = middle;
    else enough = middle;
  }
  return { sending: enough, fee: feeOn(enough, isSame), receiving: amount };
}
