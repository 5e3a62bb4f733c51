import { exportInternalAccount } from './domains/accounts/exportInternalAccount.ts';
import { listInternalAccounts } from './domains/accounts/listInternalAccounts.ts';
import { updateInternalAccount } from './domains/accounts/updateInternalAccount.ts';
import { challengeCredential } from './domains/auth/challengeCredential.ts';
import { createCredential } from './domains/auth/createCredential.ts';
import { listCredentials } from './domains/auth/listCredentials.ts';
import { listSessions } from './domains/auth/listSessions.ts';
import { refreshSession } from './domains/auth/refreshSession.ts';
import { revokeCredential } from './domains/auth/revokeCredential.ts';
import { revokeSession } from './domains/auth/revokeSession.ts';
import { verifyCredential } from './domains/auth/verifyCredential.ts';
import { createCustomer } from './domains/customers/createCustomer.ts';
import { getCustomer } from './domains/customers/getCustomer.ts';
import { listCustomers } from './domains/customers/listCustomers.ts';
import { updateCustomer } from './domains/customers/updateCustomer.ts';
import type { Handlers } from './domains/operation.ts';
import { fundInternalAccount } from './domains/sandbox/fundInternalAccount.ts';
import { createToken } from './domains/tokens/createToken.ts';

/** Every operation of the contract and what it does; one that is missing is a type error. */
export const handlers = {
  challengeCredential,
  createCredential,
  createCustomer,
  createToken,
  exportInternalAccount,
  fundInternalAccount,
  getCustomer,
  listCredentials,
  listCustomers,
  listInternalAccounts,
  listSessions,
  refreshSession,
  revokeCredential,
  revokeSession,
  updateCustomer,
  updateInternalAccount,
  verifyCredential,
} satisfies Handlers;
