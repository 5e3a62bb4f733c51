import type {
  BusinessCustomerCreateRequest,
  Customer,
  IndividualCustomerCreateRequest,
  KybStatus,
  KycStatus,
} from '../../../../generated/types.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { recordTable, type Stored } from '../../store/table.ts';

interface Settled {
  readonly id: string;
  readonly platformCustomerId: string;
  readonly umaAddress: string;
  readonly currencies: string[];
  readonly isDeleted: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A customer as it is kept: what was sent, byte for byte, and what the service settled. */
export type CustomerRecord =
  | (Omit<IndividualCustomerCreateRequest, keyof Settled | 'kycStatus'> & Settled & { readonly kycStatus: KycStatus })
  | (Omit<BusinessCustomerCreateRequest, keyof Settled | 'kybStatus'> & Settled & { readonly kybStatus: KybStatus });

type Column = 'platform_customer_id' | 'customer_type' | 'region' | 'uma_address';

export const customers = recordTable<CustomerRecord, Column>({
  name: 'customers',
  columns: (customer) => ({
    platform_customer_id: customer.platformCustomerId,
    customer_type: customer.customerType,
    region: customer.region ?? null,
    uma_address: customer.umaAddress.toLowerCase(),
  }),
  counted: ['*'],
});

/** The customer as the contract shows it. */
export function viewCustomer(customer: CustomerRecord | Stored<CustomerRecord>): Customer {
  const { id, sequence: _sequence, version: _version, ...shown } = { sequence: 0, version: 0, ...customer };
  return {
    id,
    ...shown,
    createdAt: toTimestamp(shown.createdAt),
    updatedAt: toTimestamp(shown.updatedAt),
  };
}
