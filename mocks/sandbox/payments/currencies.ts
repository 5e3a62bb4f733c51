import { type CurrencyFacts, currencies } from '../../../generated/currencies.ts';
import type { Currency, InternalAccountType } from '../../../generated/types.ts';

const byCode: ReadonlyMap<string, CurrencyFacts> = new Map(currencies.map((currency) => [currency.code, currency]));

/** Every code that the sandbox knows, in order. */
export const currencyCodes: readonly string[] = currencies.map(({ code }) => code);

/** The currency of that code, or undefined when the sandbox has none. */
export function findCurrency(code: string): CurrencyFacts | undefined {
  return byCode.get(code);
}

/** What a reply says of a currency. Throws on an unknown one, which would be our own fault: codes are checked before. */
export function currencyOf(code: string): Currency {
  const { name, symbol, decimals } = factsOf(code);
  return { code, name, symbol, decimals };
}

function factsOf(code: string): CurrencyFacts {
  const currency = byCode.get(code);
  if (currency === undefined) throw new Error(`No currency ${code}`);
  return currency;
}

/** An amount as people read it, and as it stands in a field: `245.00 USDB (245000000)`. */
export function sayAmount(amount: number | bigint, code: string): string {
  const { decimals } = factsOf(code);
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals);
  // At least two decimals are shown, where the currency has them.
  const shown = Math.max(Math.min(decimals, 2), fraction.replace(/0+$/, '').length);
  return `${whole}${shown === 0 ? '' : `.${fraction.slice(0, shown)}`} ${code} (${amount})`;
}

/** The largest amount the service handles, in a currency's smallest unit (D08). */
export const maxAmount = 9_000_000_000_000_000;

/** Currencies a customer gets when none are named (D23). */
export const defaultCurrencies: readonly string[] = ['USD', 'USDC', 'USDB'];

/** Which kind of internal account holds a currency for a customer (D23). */
export function accountTypeFor(currency: string): InternalAccountType {
  return factsOf(currency).account;
}
