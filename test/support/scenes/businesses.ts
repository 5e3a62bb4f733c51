/** Makes businesses and their owners, and verifies them. */
import { expect } from 'vitest';
import { openStore } from '../sandbox/database.ts';
import { type Answer, openSandbox, type TestSandbox } from '../sandbox/harness.ts';

/** The fields that the verification of a business requires, and no others. */
export const neededInfo = { legalName: 'Engines Ltd', taxId: 'GB 1', incorporatedOn: '2016-02-29' };

export const ownerAddress = { line1: '1 Old Road', city: 'Leeds', state: 'ENG', postalCode: 'LS1', country: 'GB' };

/** The person of {@link ownerRequest}, with the required fields only. */
export const ownerPerson = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  birthDate: '1990-12-10',
  nationality: 'GB',
  address: ownerAddress,
};

/** The body that adds a director; `person` replaces fields of the person, `change` others. */
export function ownerRequest(customerId: string, person: object = {}, change: object = {}) {
  return { customerId, roles: ['DIRECTOR'], personalInfo: { ...ownerPerson, ...person }, ...change };
}

/** Creates a business with these fields and returns its id. */
export async function openBusiness(sandbox: TestSandbox, fields: object = {}): Promise<string> {
  const body = { customerType: 'BUSINESS', currencies: ['USD'], ...fields };
  return mustMake(await sandbox.send('POST', '/customers', { body })).id;
}

/** Adds an owner to a business and returns it. */
export async function addOwner(sandbox: TestSandbox, customerId: string, person: object = {}, change: object = {}) {
  const body = ownerRequest(customerId, person, change);
  return mustMake(await sandbox.send('POST', '/beneficial-owners', { body }));
}

/** Runs the verification of a business. */
export function verify(sandbox: TestSandbox, customerId: string): Promise<Answer> {
  return sandbox.send('POST', '/verifications', { body: { customerId } });
}

/** Deletes a customer; the request must succeed. */
export async function deleteCustomer(sandbox: TestSandbox, customerId: string): Promise<void> {
  expect((await sandbox.send('DELETE', `/customers/${customerId}`)).status).toBe(200);
}

/** The id of the ready-made business. It is the same in every sandbox of the harness, because they are seeded. */
export async function readyMadeBusiness(): Promise<string> {
  const store = await openStore();
  try {
    const sandbox = await openSandbox({ store });
    return (await sandbox.send('GET', '/customers?customerType=BUSINESS')).body.data[0].id;
  } finally {
    await store.close();
  }
}

function mustMake({ status, body }: Answer) {
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}
