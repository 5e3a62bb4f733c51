import type {
  BeneficialOwner,
  BusinessCustomerCreateRequest,
  IndividualCustomerCreateRequest,
  KybStatus,
  KycStatus,
  Verification,
  VerificationError,
  VerificationStatus,
} from '../../../../generated/types.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { Problem } from '../../tools/problem.ts';
import type { Received } from '../../tools/received.ts';

interface Settled {
  readonly id: string;
  readonly platformCustomerId: string;
  readonly umaAddress: string;
  readonly currencies: string[];
  readonly isDeleted: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A stored customer: the data as it was sent, unchanged, and the data that the service added. */
export type CustomerRecord =
  | (Omit<Received<IndividualCustomerCreateRequest>, keyof Settled | 'kycStatus'> &
      Settled & { readonly kycStatus: KycStatus })
  | (Omit<Received<BusinessCustomerCreateRequest>, keyof Settled | 'kybStatus'> &
      Settled & { readonly kybStatus: KybStatus });

type Column =
  | 'platform_customer_id'
  | 'customer_type'
  | 'region'
  | 'uma_address'
  | 'is_deleted'
  | 'created_at'
  | 'updated_at';

export const customers = recordTable<CustomerRecord, Column>({
  name: 'customers',
  columns: (customer) => ({
    platform_customer_id: customer.platformCustomerId,
    customer_type: customer.customerType,
    region: customer.region ?? null,
    uma_address: customer.umaAddress.toLowerCase(),
    is_deleted: customer.isDeleted ? 'yes' : 'no',
    created_at: customer.createdAt,
    updated_at: customer.updatedAt,
  }),
  counted: ['*', 'is_deleted'],
  labels: (customer) => customer.currencies,
});

/** A stored person behind a business. */
export interface BeneficialOwnerRecord {
  readonly id: string;
  readonly customerId: string;
  readonly roles: BeneficialOwner['roles'];
  readonly ownershipPercentage?: number;
  readonly personalInfo: BeneficialOwner['personalInfo'];
  readonly kycStatus: KycStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const beneficialOwners = recordTable<BeneficialOwnerRecord, 'customer_id'>({
  name: 'beneficial_owners',
  columns: (owner) => ({ customer_id: owner.customerId }),
  counted: ['customer_id'],
});

/** One run of a business's verification. It never changes (D66). */
export interface VerificationRecord {
  readonly id: string;
  readonly customerId: string;
  readonly verificationStatus: VerificationStatus;
  readonly errors: readonly VerificationError[];
  readonly createdAt: number;
}

export const verifications = recordTable<VerificationRecord, 'customer_id' | 'status'>({
  name: 'verifications',
  columns: (verification) => ({ customer_id: verification.customerId, status: verification.verificationStatus }),
  counted: ['*', 'customer_id'],
});

/** The fields of a customer that the contract shows, without its owners. */
export function viewCustomer(customer: CustomerRecord | Stored<CustomerRecord>) {
  const { id, sequence: _sequence, version: _version, ...shown } = { sequence: 0, version: 0, ...customer };
  return {
    id,
    ...shown,
    createdAt: toTimestamp(shown.createdAt),
    updatedAt: toTimestamp(shown.updatedAt),
  };
}

export function viewBeneficialOwner(owner: BeneficialOwnerRecord): BeneficialOwner {
  return {
    id: owner.id,
    customerId: owner.customerId,
    roles: owner.roles,
    ...given({ ownershipPercentage: owner.ownershipPercentage }),
    personalInfo: owner.personalInfo,
    kycStatus: owner.kycStatus,
    createdAt: toTimestamp(owner.createdAt),
    updatedAt: toTimestamp(owner.updatedAt),
  };
}

export function viewVerification(verification: VerificationRecord): Verification {
  return {
    id: verification.id,
    customerId: verification.customerId,
    verificationStatus: verification.verificationStatus,
    errors: [...verification.errors],
    createdAt: toTimestamp(verification.createdAt),
    updatedAt: toTimestamp(verification.createdAt),
  };
}

/** @throws Problem 410 `CUSTOMER_DELETED` (D39). */
export function checkNotDeleted(customer: CustomerRecord): void {
  if (customer.isDeleted) throw new Problem('CUSTOMER_DELETED', `The customer ${customer.id} was deleted.`);
}

/** @throws Problem 404 `USER_NOT_FOUND`. */
export async function mustFindCustomer(unit: Unit, id: string): Promise<Stored<CustomerRecord>> {
  const customer = await customers.find(unit, id);
  if (customer === undefined) throw new Problem('USER_NOT_FOUND', `This platform has no customer ${id}.`);
  return customer;
}

/** A customer that can still be changed. @throws Problem 404 `USER_NOT_FOUND`, 410 `CUSTOMER_DELETED` (D39) */
export async function mustFindLiveCustomer(unit: Unit, id: string): Promise<Stored<CustomerRecord>> {
  const customer = await mustFindCustomer(unit, id);
  checkNotDeleted(customer);
  return customer;
}

/** @throws Problem 404 `REFERENCE_NOT_FOUND`. */
export async function mustFindOwner(unit: Unit, id: string): Promise<Stored<BeneficialOwnerRecord>> {
  const owner = await beneficialOwners.find(unit, id);
  if (owner === undefined) throw new Problem('REFERENCE_NOT_FOUND', `This platform has no beneficial owner ${id}.`);
  return owner;
}
