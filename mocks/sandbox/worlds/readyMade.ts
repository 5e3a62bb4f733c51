import { sha256Hex } from '../node/machine/crypto.ts';
import type { World } from './shape.ts';

/** The platform that exists after the first start (D43). */
export const defaultPlatform = { id: 'sandbox', clientId: 'sandbox', clientSecret: 'sandbox' } as const;

export const defaultToken = {
  clientId: defaultPlatform.clientId,
  secretHash: sha256Hex(defaultPlatform.clientSecret),
};

const address = { line1: '1 Harbour Street', city: 'San Francisco', state: 'CA', postalCode: '94105', country: 'US' };

// In the smallest unit of each currency: 1,000.00 USD, 500 USDC, 250 USDB.
const accounts = [
  { currency: 'USD', balance: 100_000 },
  { currency: 'USDC', balance: 500_000_000 },
  { currency: 'USDB', balance: 250_000_000 },
];

/**
 * A small world, so that the first request already shows data: a customer of each type with funded accounts, a bank
 * account to pay, and an agent that isn't connected yet.
 */
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
      externalAccounts: [
        {
          currency: 'USD',
          accountInfo: {
            accountType: 'USD_ACCOUNT',
            accountNumber: '021000021777',
            routingNumber: '021000021',
            beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Amara Okafor' },
          },
        },
      ],
      agents: [
        {
          name: 'Bill payer',
          policy: {
            permissions: [
              'VIEW_TRANSACTIONS',
              'CREATE_TRANSFERS',
              'CREATE_QUOTES',
              'EXECUTE_QUOTES',
              'MANAGE_EXTERNAL_ACCOUNTS',
            ],
            // In cents: 500.00 per transaction, 1,000.00 a day. Above 100.00 an approval is needed.
            spendingLimits: { currency: 'USD', perTransactionLimit: 50_000, dailyLimit: 100_000 },
            approvalThresholds: { currency: 'USD', amount: 10_000 },
          },
        },
      ],
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

/** Connects a program to the default platform's agent, once. */
export const defaultDeviceCode = 'AGENT-DEMO-2025';

/** The same with a fixed device code. Only one platform can have a code. */
export const defaultWorld: World = {
  customers: readyMadeWorld.customers.map(({ agents = [], ...customer }) => ({
    ...customer,
    agents: agents.map((agent) => ({ ...agent, deviceCode: defaultDeviceCode })),
  })),
};
