/** Makes external accounts for tests. */
import { expect } from 'vitest';
import type { ExternalAccount } from '../../../generated/types.ts';
import { type Answer, openSandbox, type TestSandbox } from '../sandbox/harness.ts';

export const externalAccountsPath = '/customers/external-accounts';

/** A person as the owner of an account. */
export const person = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' };

/** The body that adds a US bank account. Another number gives another account. */
export function usdRequest(accountNumber: string, change: object = {}, info: object = {}) {
  const accountInfo = {
    accountType: 'USD_ACCOUNT',
    accountNumber,
    routingNumber: '021000021',
    beneficiary: person,
    ...info,
  };
  return { currency: 'USD', ...change, accountInfo };
}

/** The body that adds a wallet in USDC: the account with the fewest fields. */
export function usdcRequest(address: string, change: object = {}) {
  return { currency: 'USDC', ...change, accountInfo: { accountType: 'SOLANA_WALLET', address } };
}

export function addExternalAccount(sandbox: TestSandbox, body: object): Promise<Answer> {
  return sandbox.send('POST', externalAccountsPath, { body });
}

/** Adds an account and returns it. The request must succeed. */
export async function mustAdd(sandbox: TestSandbox, body: object): Promise<ExternalAccount> {
  const answer = await addExternalAccount(sandbox, body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** The newest hundred external accounts of customers that a query finds. No test has more. */
export function listOfCustomers(sandbox: TestSandbox, query = ''): Promise<ExternalAccount[]> {
  return readList(sandbox, externalAccountsPath, query);
}

/** The same for the platform's own external accounts. */
export function listOfPlatform(sandbox: TestSandbox, query = ''): Promise<ExternalAccount[]> {
  return readList(sandbox, '/platform/external-accounts', query);
}

/** Those of customers, then those of the platform. */
export async function listExternal(sandbox: TestSandbox, query = ''): Promise<ExternalAccount[]> {
  const ofCustomers = await listOfCustomers(sandbox, query);
  return query.includes('customerId') ? ofCustomers : [...ofCustomers, ...(await listOfPlatform(sandbox, query))];
}

async function readList(sandbox: TestSandbox, path: string, query: string): Promise<ExternalAccount[]> {
  const answer = await sandbox.send('GET', `${path}?limit=100&${query}`);
  expect([answer.status, answer.body?.totalCount]).toEqual([200, answer.body?.data?.length]);
  return answer.body.data;
}

/** Creates a customer and returns its id. */
export async function newCustomer(sandbox: TestSandbox, fields: object = {}): Promise<string> {
  const answer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', ...fields } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** A sandbox whose ready-made customer has no external account, so that the test's accounts are the only ones. */
export async function openBareSandbox(parts: Parameters<typeof openSandbox>[0] = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox(parts);
  for (const { id } of await listExternal(sandbox)) {
    expect((await sandbox.send('DELETE', `${externalAccountsPath}/${id}`)).status).toBe(204);
  }
  return sandbox;
}
