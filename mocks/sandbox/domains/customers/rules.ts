import type { Fault } from '../../../../contract/faults.ts';
import { exclusiveCurrencies } from '../../../../generated/currencies.ts';
import type {
  CustomerUpdateRequest,
  KybStatus,
  KycStatus,
  VerificationError,
  VerificationStatus,
} from '../../../../generated/types.ts';
import { findCurrency } from '../../payments/currencies.ts';
import { identityChecks, identityFound } from '../../payments/outcomes.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import type { CustomerRecord } from './records.ts';

type BusinessRecord = Extract<CustomerRecord, { customerType: 'BUSINESS' }>;

/**
 * Checks that a customer's currencies are known and can be combined.
 * @throws Problem 400 `INVALID_CURRENCY` for an unknown currency, and for a refused pair, which `details` names.
 */
export function checkCurrencies(currencies: readonly string[]): void {
  const unknown: Fault[] = currencies.flatMap((code, index) =>
    findCurrency(code) === undefined
      ? [{ in: 'body', pointer: `/currencies/${index}`, message: `${code} is not a currency of the service` }]
      : [],
  );
  if (unknown.length > 0) throw invalid(unknown, 'INVALID_CURRENCY');
  const refused = exclusiveCurrencies.find((pair) => pair.every((code) => currencies.includes(code)));
  if (refused !== undefined) {
    const message = `${refused.join(' and ')} can't be enabled for one customer; use separate customers`;
    throw invalid([{ in: 'body', pointer: '/currencies', message }], 'INVALID_CURRENCY');
  }
}

/** @throws Problem 400 if the body is for another type of customer */
export function checkCustomerType(
  customer: { readonly customerType: string },
  request: { readonly customerType: string },
): void {
  if (customer.customerType === request.customerType) return;
  throw invalidField('/customerType', `must be ${customer.customerType}, the type of this customer`);
}

/** @throws Problem 409 `CONFLICT` that names the currencies of accounts with money in them or on its way (D75) */
export function checkEmptied(
  accounts: readonly { readonly currency: string; readonly balance: number }[],
  onTheWay: readonly string[],
  consequence = "these currencies can't be removed",
): void {
  const held = accounts.filter(({ currency, balance }) => balance > 0 || onTheWay.includes(currency));
  if (held.length === 0) return;
  const names = held.map(({ currency }) => currency).join(', ');
  throw new Problem('CONFLICT', `The accounts in ${names} hold money or have money on its way, so ${consequence}.`, {
    details: { currencies: held.map(({ currency }) => currency) },
  });
}

/** @throws Problem 409 if the credentials aren't the ones that the challenge was issued for (D61) */
export function checkSameSet(challenged: readonly string[] | undefined, now: readonly { readonly id: string }[]): void {
  const isSame = challenged?.length === now.length && now.every(({ id }) => challenged.includes(id));
  if (isSame) return;
  const message =
    "The customer's EMAIL_OTP credentials changed after the challenge; get a new challenge by sending the request without its headers.";
  throw new Problem('EMAIL_OTP_CREDENTIAL_SET_CHANGED', message);
}

/**
 * The customer after an update. Business information is merged field by field; any other value replaces the old one.
 * @throws Problem 400 if the first business information lacks the required legal name.
 */
export function mergeCustomer(customer: CustomerRecord, body: CustomerUpdateRequest, now: number): CustomerRecord {
  if (body.customerType === 'INDIVIDUAL' || customer.customerType === 'INDIVIDUAL') {
    return { ...customer, ...body, updatedAt: now } as CustomerRecord;
  }
  const businessInfo = { ...customer.businessInfo, ...body.businessInfo };
  if (body.businessInfo !== undefined && businessInfo.legalName === undefined) {
    throw invalidField('/businessInfo/legalName', 'is required, because the business has no legal name yet');
  }
  const info = body.businessInfo === undefined ? {} : { businessInfo };
  return { ...customer, ...body, ...info, updatedAt: now } as CustomerRecord;
}

/** @throws Problem 400: only a business has owners and can be verified */
export function checkIsBusiness(customer: CustomerRecord): asserts customer is BusinessRecord {
  if (customer.customerType === 'BUSINESS') return;
  throw invalidField('/customerId', 'is an individual; use the id of a business');
}

/** @throws Problem 400: the share of a UBO must be known (D35) */
export function checkShare(roles: readonly string[], ownershipPercentage: number | undefined): void {
  if (roles.includes('UBO') && ownershipPercentage === undefined) {
    throw invalidField('/ownershipPercentage', 'is required when roles include UBO');
  }
}

/** The outcome that the last three characters of a text select. Nothing is trimmed (D38). */
function bySuffix(text: string): 'PENDING' | 'REJECTED' | 'APPROVED' {
  return identityChecks[Array.from(text).slice(-3).join('')] ?? identityFound;
}

/** An owner's KYC status, selected by the last name. */
export function ownerStatus(lastName: string): KycStatus {
  return bySuffix(lastName);
}

/** The result of a business's verification, and the KYB status that follows. No status if it lists what is missing. */
export interface VerificationOutcome {
  readonly verificationStatus: VerificationStatus;
  readonly errors: readonly VerificationError[];
  readonly kybStatus?: KybStatus;
}

/**
 * Verifies a business (D38). The suffix of its registration number decides, whatever else is missing. Without a number,
 * the business is approved if nothing is missing. Otherwise the outcome lists all that is missing.
 */
export function verifyBusiness(customer: BusinessRecord, ownerCount: number): VerificationOutcome {
  const { businessInfo } = customer;
  if (businessInfo?.registrationNumber !== undefined) {
    const kybStatus = bySuffix(businessInfo.registrationNumber);
    return { verificationStatus: kybStatus === 'PENDING' ? 'IN_PROGRESS' : kybStatus, errors: [], kybStatus };
  }
  const errors: VerificationError[] = (['legalName', 'taxId', 'incorporatedOn'] as const)
    .filter((field) => businessInfo?.[field] === undefined)
    .map((field) => ({
      resourceId: customer.id,
      type: 'MISSING_FIELD',
      field: `businessInfo.${field}`,
      reason: `The business has no ${field}; add it by updating the customer.`,
    }));
  if (ownerCount === 0) {
    const reason = 'The business has no beneficial owner; add at least one.';
    errors.push({ resourceId: customer.id, type: 'MISSING_BENEFICIAL_OWNER', reason });
  }
  if (errors.length > 0) return { verificationStatus: 'RESOLVE_ERRORS', errors };
  return { verificationStatus: identityFound, errors, kybStatus: identityFound };
}
