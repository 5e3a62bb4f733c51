/** Promise: only an approved customer can send money, and the error names the missing check. */
import { expect, test } from 'vitest';
import { checkMaySend } from '../../mocks/sandbox/domains/transfers/rules.ts';

test.each([
  [{ id: 'Customer:1', kycStatus: 'PENDING' }, 'its KYC status is PENDING.'],
  [{ id: 'Customer:2', kybStatus: 'REJECTED' }, 'its KYB status is REJECTED.'],
])('%j can not', (customer, says) => {
  expect(() => checkMaySend(customer)).toThrow(`The customer ${customer.id} can't send money: ${says}`);
});

test.each([
  { id: 'Customer:1', kycStatus: 'APPROVED' },
  { id: 'Customer:2', kybStatus: 'APPROVED' },
])('%j can', (customer) => {
  expect(() => checkMaySend(customer)).not.toThrow();
});
