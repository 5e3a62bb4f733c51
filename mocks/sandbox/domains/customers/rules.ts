import { findCurrency } from '../../kernel/currencies.ts';
import { type Fault, invalid } from '../../kernel/problem.ts';

/** Currencies that one customer can't hold together and that need separate customers (INTERFACE, Customers; D23). */
const separate: readonly (readonly string[])[] = [['KES', 'NGN']];

/**
 * The enabled currencies of a customer are known and go together.
 * @throws Problem 400 `INVALID_CURRENCY` for an unknown one and for a refused pair, which `details` names.
 */
export function checkCurrencies(currencies: readonly string[]): void {
  const unknown: Fault[] = currencies.flatMap((code, index) =>
    findCurrency(code) === undefined
      ? [{ in: 'body', pointer: `/currencies/${index}`, message: `${code} is not a currency of the service` }]
      : [],
  );
  if (unknown.length > 0) throw invalid(unknown, 'INVALID_CURRENCY');
  const refused = separate.find((pair) => pair.every((code) => currencies.includes(code)));
  if (refused !== undefined) {
    const message = `${refused.join(' and ')} can't be enabled for one customer; use separate customers`;
    throw invalid([{ in: 'body', pointer: '/currencies', message }], 'INVALID_CURRENCY');
  }
}
