import type { Thing } from './read.ts';

/** Things that the examples refer to but that no example shows, with the facts that must match. */
export const neverShown: readonly Thing[] = [
  ...['25', '26', '27', '30'].map((end) => ({
    id: `ExternalAccount:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e${end}`,
    customerId: 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01',
    currency: 'EUR',
    accountInfo: { beneficiary: { legalName: 'Lindenhof GmbH' } },
  })),
  ...['28', '29'].map((end) => ({
    id: `ExternalAccount:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e${end}`,
    customerId: 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01',
    currency: 'USD',
    accountInfo: { beneficiary: { fullName: 'Amara Okafor' } },
  })),
  // Businesses whose registration numbers end in 001 and 002, and one without a registration number.
  { id: 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e03' },
  { id: 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e04' },
  { id: 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e05' },
  // Open signed retries, one for each operation, because each can be used once.
  ...['01', '02', '03', '04', '05', '06', '07'].map((end) => ({
    id: `Request:7d3e51b8-0f26-4c9a-b1d4-9ac0b1f27e${end}`,
  })),
  { id: 'Lookup:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e44' },
  {
    id: 'Quote:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e56',
    transactionId: 'Transaction:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e66',
    totalSendingAmount: 10_000,
    totalReceivingAmount: 8_562,
    feesIncluded: 50,
  },
];
