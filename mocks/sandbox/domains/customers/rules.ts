import type { CustomerUpdateRequest } from '../../../../generated/types.ts';
import { findCurrency } from '../../kernel/currencies.ts';
import { type Fault, invalid, invalidField, Problem } from '../../kernel/problem.ts';
import type { CustomerRecord } from './records.ts';

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

/** @throws Problem 400 unless the body speaks of a customer of this type. */
export function checkCustomerType(
  customer: { readonly customerType: string },
  request: { readonly customerType: string },
): void {
  if (customer.customerType === request.customerType) return;
  throw invalidField('/customerType', `must be ${customer.customerType}, the type of this customer`);
}

/** @throws Problem 409 `CONFLICT` that names the accounts of removed currencies which still hold money. */
export function checkEmptied(accounts: readonly { readonly currency: string; readonly balance: number }[]): void {
  const held = accounts.filter(({ balance }) => balance > 0);
  if (held.length === 0) return;
  const names = held.map(({ currency }) => currency).join(', ');
  throw new Problem('CONFLICT', `The accounts in ${names} still hold money, so these currencies can't be removed.`, {
    details: { currencies: held.map(({ currency }) => currency) },
  });
}

/** @throws Problem 409 when the credentials are not those that the challenge was issued for (D61). */
export function checkSameSet(challenged: readonly string[] | undefined, now: readonly { readonly id: string }[]): void {
  const isSame = challenged?.length === now.length && now.every(({ id }) => challenged.includes(id));
  if (isSame) return;
  const message =
    'An EMAIL_OTP credential of the customer came or went since the challenge; start again without headers.';
  throw new Problem('EMAIL_OTP_CREDENTIAL_SET_CHANGED', message);
}

/**
 * The customer with what the body names replaced; business information field by field, the rest whole.
 * @throws Problem 400 when business information begins without the legal name it must have.
 */
export function mergeCustomer(customer: CustomerRecord, body: CustomerUpdateRequest, now: number): CustomerRecord {
  if (body.customerType === 'INDIVIDUAL' || customer.customerType === 'INDIVIDUAL') {
    return { ...customer, ...body, updatedAt: now } as CustomerRecord;
  }
  const businessInfo = { ...customer.businessInfo, ...body.businessInfo };
  if (body.businessInfo !== undefined && businessInfo.legalName === undefined) {
    throw invalidField('/businessInfo/legalName', 'is required while nothing is known about the business');
  }
  const info = body.businessInfo === undefined ? {} : { businessInfo };
  return { ...customer, ...body, ...info, updatedAt: now } as CustomerRecord;
}
