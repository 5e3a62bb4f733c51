import { currencies } from '../generated/currencies.ts';

const decimalsOf: ReadonlyMap<string, number> = new Map(currencies.map(({ code, decimals }) => [code, decimals]));

/** An amount as a tool shows it: in the smallest unit, and as people read it. */
export interface ShownAmount {
  readonly amount: number;
  readonly currency: string;
  /** `25.00 USD`. If the contract doesn't list the currency, the number of its smallest units. */
  readonly readable: string;
}

/** Shows an amount that is in the smallest unit of its currency. */
export function showAmount(amount: number, currency: string): ShownAmount {
  return { amount, currency, readable: readable(amount, currency) };
}

/** Formats an amount: `25.00 USD`. */
export function readable(amount: number, currency: string): string {
  const decimals = decimalsOf.get(currency);
  if (decimals === undefined) return `${amount} of the smallest unit of ${currency}`;
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals);
  // Shows at least two decimals, if the currency has them.
  const shown = fraction.slice(0, Math.max(Math.min(decimals, 2), fraction.replace(/0+$/, '').length));
  return `${amount < 0 ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`} ${currency}`;
}
