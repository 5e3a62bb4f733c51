import { type CurrencyFacts, currencies } from '../../../generated/currencies.ts';
import type { Currency, InternalAccountType } from '../../../generated/types.ts';

const byCode: ReadonlyMap<string, CurrencyFacts> = new Map(currencies.map((currency) => [currency.code, currency]));

/** Every currency code that the sandbox knows, in order. */
export const currencyCodes: readonly string[] = currencies.map(({ code }) => code);

/** The currency of a code; undefined if the sandbox doesn't have it. */
export function findCurrency(code: string): CurrencyFacts | undefined {
  return byCode.get(code);
}

/** A currency as replies show it. Throws on an unknown code: codes are checked earlier, so that is a fault of ours. */
export function currencyOf(code: string): Currency {
  const { name, symbol, decimals } = factsOf(code);
  return { code, name, symbol, decimals };
}

function factsOf(code: string): CurrencyFacts {
  const currency = byCode.get(code);
  if (currency === undefined) throw new Error(`No currency ${code}`);
  return currency;
}

/** Formats an amount for people, with the value of the field behind it: `245.00 USDB (245000000)`. */
export function sayAmount(amount: number | bigint, code: string): string {
  const { decimals } = factsOf(code);
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals);
  // Shows at least two decimals, if the currency has them.
  const shown = Math.max(Math.min(decimals, 2), fraction.replace(/0+$/, '').length);
  return `${whole}${shown === 0 ? '' : `.${fraction.slice(0, shown)}`} ${code} (${amount})`;
}

/** The largest amount the service handles, in a currency's smallest unit (D08). */
export const maxAmount = 9_000_000_000_000_000;

/** The currencies of a customer who names none (D23). */
export const defaultCurrencies: readonly string[] = ['USD', 'USDC', 'USDB'];

/** The type of internal account that holds a currency for a customer (D23). */
export function accountTypeFor(currency: string): InternalAccountType {
  return factsOf(currency).account;
}
