/**
 * Promise: only an approved customer can send money, and the error names the missing check. A UMA address selects its
 * outcome by its name, in any case, on any host.
 */
import { expect, test } from 'vitest';
import { checkMaySend, umaOutcome } from '../../mocks/sandbox/domains/transfers/rules.ts';

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

test.each([
  ['$success.usd@vasp.example', 'COMPLETED'],
  ['$pending.long.usd@vasp.example', 'PROCESSING'],
  ['$Pending.LONG.usd@Elsewhere.example', 'PROCESSING'],
  ['$fail.compliance.usd@vasp.example', 'FAILED'],
  ['$ada.byron@pay.example', 'COMPLETED'],
])('a payment to %s is %s', (address, status) => {
  expect(umaOutcome(address).status).toBe(status);
});
