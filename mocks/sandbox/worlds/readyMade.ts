import { credit } from '../domains/accounts/procedures.ts';
import { internalAccounts } from '../domains/accounts/records.ts';
import { openCustomer } from '../domains/customers/procedures.ts';
import { storeToken } from '../domains/tokens/procedures.ts';
import type { Unit } from '../store/unit.ts';

/** The platform that is there on first start, and its credentials (ARCHITECTURE, Platforms). */
export const defaultPlatform = { id: 'sandbox', clientId: 'sandbox', clientSecret: 'sandbox' } as const;

// In the smallest unit of each currency: 1,000.00 USD, 500 USDC, 250 USDB.
const funds: Readonly<Record<string, number>> = { USD: 100_000, USDC: 500_000_000, USDB: 250_000_000 };

/** A small world, so that the very first request shows data: a customer of each type with funded accounts. */
export async function fillReadyMadeWorld(unit: Unit): Promise<void> {
  await storeToken(unit, {
    name: 'Sandbox token',
    permissions: ['VIEW', 'TRANSACT', 'MANAGE'],
    clientId: defaultPlatform.clientId,
    clientSecret: defaultPlatform.clientSecret,
  });
  const address = { line1: '1 Harbour Street', city: 'San Francisco', state: 'CA', postalCode: '94105', country: 'US' };
  const individual = await openCustomer(unit, {
    customerType: 'INDIVIDUAL',
    platformCustomerId: 'world-individual',
    umaAddress: '$amara@countersign.example',
    region: 'US',
    email: 'amara.okafor@example.com',
    fullName: 'Amara Okafor',
    birthDate: '1990-04-12',
    nationality: 'US',
    address,
  });
  const business = await openCustomer(unit, {
    customerType: 'BUSINESS',
    platformCustomerId: 'world-business',
    umaAddress: '$tideline@countersign.example',
    region: 'US',
    email: 'finance@tideline.example',
    kybStatus: 'APPROVED',
    address,
    businessInfo: {
      legalName: 'Tideline Supplies LLC',
      taxId: '12-3456789',
      incorporatedOn: '2015-06-01',
      registrationNumber: 'TL-2015-777',
      country: 'US',
      entityType: 'LLC',
    },
  });
  for (const customer of [individual, business]) {
    for (const account of await internalAccounts.where(unit, 'customer_id', customer.id)) {
      const amount = funds[account.currency];
      if (amount !== undefined) await credit(unit, account, amount);
    }
  }
}
