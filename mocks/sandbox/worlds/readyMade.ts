import { sha256 } from '../kernel/bytes.ts';
import type { World } from './world.ts';

/** The platform that is there on first start (D43). */
export const defaultPlatform = { id: 'sandbox', clientId: 'sandbox', clientSecret: 'sandbox' } as const;

export const defaultToken = {
  clientId: defaultPlatform.clientId,
  secretHash: sha256(defaultPlatform.clientSecret).toString('hex'),
};

const address = { line1: '1 Harbour Street', city: 'San Francisco', state: 'CA', postalCode: '94105', country: 'US' };

// In the smallest unit of each currency: 1,000.00 USD, 500 USDC, 250 USDB.
const accounts = [
  { currency: 'USD', balance: 100_000 },
  { currency: 'USDC', balance: 500_000_000 },
  { currency: 'USDB', balance: 250_000_000 },
];

/** A small world, so that the very first request shows data: a customer of each type with funded accounts. */
export const readyMadeWorld: World = {
  customers: [
    {
      customer: {
        customerType: 'INDIVIDUAL',
        platformCustomerId: 'world-individual',
        umaAddress: '$amara@countersign.example',
        region: 'US',
        email: 'amara.okafor@example.com',
        fullName: 'Amara Okafor',
        birthDate: '1990-04-12',
        nationality: 'US',
        address,
      },
      accounts,
    },
    {
      customer: {
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
      },
      accounts,
    },
  ],
};
