/** What the service calls a currency: code, name, symbol and how many decimals its smallest unit has (D25). */
export interface CurrencyFacts {
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

type Row = readonly [code: string, name: string, symbol: string, decimals: number];

// Decimals by ISO 4217, and by D25 for the stablecoins and bitcoin.
const rows: readonly Row[] = [
  ['AED', 'UAE Dirham', 'د.إ', 2],
  ['ARS', 'Argentine Peso', '$', 2],
  ['BDT', 'Bangladeshi Taka', '৳', 2],
  ['BRL', 'Brazilian Real', 'R$', 2],
  ['BTC', 'Bitcoin', '₿', 8],
  ['BWP', 'Botswana Pula', 'P', 2],
  ['CAD', 'Canadian Dollar', '$', 2],
  ['COP', 'Colombian Peso', '$', 2],
  ['DKK', 'Danish Krone', 'kr', 2],
  ['EGP', 'Egyptian Pound', 'E£', 2],
  ['EUR', 'Euro', '€', 2],
  ['GBP', 'Pound Sterling', '£', 2],
  ['GHS', 'Ghanaian Cedi', '₵', 2],
  ['GTQ', 'Guatemalan Quetzal', 'Q', 2],
  ['HKD', 'Hong Kong Dollar', '$', 2],
  ['HTG', 'Haitian Gourde', 'G', 2],
  ['IDR', 'Indonesian Rupiah', 'Rp', 2],
  ['INR', 'Indian Rupee', '₹', 2],
  ['JMD', 'Jamaican Dollar', '$', 2],
  ['JPY', 'Japanese Yen', '¥', 0],
  ['KES', 'Kenyan Shilling', 'KSh', 2],
  ['KWD', 'Kuwaiti Dinar', 'د.ك', 3],
  ['MWK', 'Malawian Kwacha', 'MK', 2],
  ['MXN', 'Mexican Peso', '$', 2],
  ['MYR', 'Malaysian Ringgit', 'RM', 2],
  ['NGN', 'Nigerian Naira', '₦', 2],
  ['PHP', 'Philippine Peso', '₱', 2],
  ['PKR', 'Pakistani Rupee', '₨', 2],
  ['RWF', 'Rwandan Franc', 'FRw', 0],
  ['SGD', 'Singapore Dollar', '$', 2],
  ['THB', 'Thai Baht', '฿', 2],
  ['TZS', 'Tanzanian Shilling', 'TSh', 2],
  ['UGX', 'Ugandan Shilling', 'USh', 0],
  ['USD', 'United States Dollar', '$', 2],
  ['USDB', 'USDB', '$', 6],
  ['USDC', 'USD Coin', '$', 6],
  ['USDT', 'Tether USD', '$', 6],
  ['VND', 'Vietnamese Dong', '₫', 0],
  ['XAF', 'Central African CFA Franc', 'FCFA', 0],
  ['XOF', 'West African CFA Franc', 'CFA', 0],
  ['ZAR', 'South African Rand', 'R', 2],
  ['ZMW', 'Zambian Kwacha', 'ZK', 2],
];

const byCode: ReadonlyMap<string, CurrencyFacts> = new Map(
  rows.map(([code, name, symbol, decimals]) => [code, { code, name, symbol, decimals }]),
);

/** Every code that the sandbox knows, in order. */
export const currencyCodes: readonly string[] = rows.map(([code]) => code);

/** The currency of that code, or undefined when the sandbox has none. */
export function findCurrency(code: string): CurrencyFacts | undefined {
  return byCode.get(code);
}

/** The currency of a code that was checked before; throws on an unknown one, which would be our own fault. */
export function currencyOf(code: string): CurrencyFacts {
  const currency = byCode.get(code);
  if (currency === undefined) throw new Error(`No currency ${code}`);
  return currency;
}

/** The largest amount the service handles, in a currency's smallest unit (D08). */
export const maxAmount = 9_000_000_000_000_000;

/** Currencies a customer gets when none are named (D23). */
export const defaultCurrencies: readonly string[] = ['USD', 'USDC', 'USDB'];

/** Which kind of internal account holds a currency for a customer (D23). */
export function accountTypeFor(currency: string): 'INTERNAL_FIAT' | 'INTERNAL_CRYPTO' | 'EMBEDDED_WALLET' {
  if (currency === 'USDB') return 'EMBEDDED_WALLET';
  return ['USDC', 'USDT', 'BTC'].includes(currency) ? 'INTERNAL_CRYPTO' : 'INTERNAL_FIAT';
}
