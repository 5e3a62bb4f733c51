import { createExternalAccount } from '../domains/accounts/createExternalAccount.ts';
import { deleteExternalAccount } from '../domains/accounts/deleteExternalAccount.ts';
import { exportInternalAccount } from '../domains/accounts/exportInternalAccount.ts';
import { getExternalAccount } from '../domains/accounts/getExternalAccount.ts';
import { listExternalAccounts } from '../domains/accounts/listExternalAccounts.ts';
import { listInternalAccounts } from '../domains/accounts/listInternalAccounts.ts';
import { listPlatformExternalAccounts } from '../domains/accounts/listPlatformExternalAccounts.ts';
import { listPlatformInternalAccounts } from '../domains/accounts/listPlatformInternalAccounts.ts';
import { updateInternalAccount } from '../domains/accounts/updateInternalAccount.ts';
import { approveAgentAction } from '../domains/agents/approveAgentAction.ts';
import { createAgent } from '../domains/agents/createAgent.ts';
import { createAgentDeviceCode } from '../domains/agents/createAgentDeviceCode.ts';
import { createAgentExternalAccount } from '../domains/agents/createAgentExternalAccount.ts';
import { createAgentQuote } from '../domains/agents/createAgentQuote.ts';
import { createAgentTransferIn } from '../domains/agents/createAgentTransferIn.ts';
import { createAgentTransferOut } from '../domains/agents/createAgentTransferOut.ts';
import { deleteAgent } from '../domains/agents/deleteAgent.ts';
import { deleteAgentExternalAccount } from '../domains/agents/deleteAgentExternalAccount.ts';
import { executeAgentQuote } from '../domains/agents/executeAgentQuote.ts';
import { getAgent } from '../domains/agents/getAgent.ts';
import { getAgentAction } from '../domains/agents/getAgentAction.ts';
import { getAgentDeviceCodeStatus } from '../domains/agents/getAgentDeviceCodeStatus.ts';
import { getAgentExternalAccount } from '../domains/agents/getAgentExternalAccount.ts';
import { getAgentQuote } from '../domains/agents/getAgentQuote.ts';
import { getAgentTransaction } from '../domains/agents/getAgentTransaction.ts';
import { getCurrentAgent } from '../domains/agents/getCurrentAgent.ts';
import { listAgentActions } from '../domains/agents/listAgentActions.ts';
import { listAgentApprovals } from '../domains/agents/listAgentApprovals.ts';
import { listAgentExternalAccounts } from '../domains/agents/listAgentExternalAccounts.ts';
import { listAgentInternalAccounts } from '../domains/agents/listAgentInternalAccounts.ts';
import { listAgents } from '../domains/agents/listAgents.ts';
import { listAgentTransactions } from '../domains/agents/listAgentTransactions.ts';
import { redeemAgentDeviceCode } from '../domains/agents/redeemAgentDeviceCode.ts';
import { rejectAgentAction } from '../domains/agents/rejectAgentAction.ts';
import { updateAgent } from '../domains/agents/updateAgent.ts';
import { updateAgentPolicy } from '../domains/agents/updateAgentPolicy.ts';
import { challengeCredential } from '../domains/auth/challengeCredential.ts';
import { createCredential } from '../domains/auth/createCredential.ts';
import { listCredentials } from '../domains/auth/listCredentials.ts';
import { listSessions } from '../domains/auth/listSessions.ts';
import { refreshSession } from '../domains/auth/refreshSession.ts';
import { revokeCredential } from '../domains/auth/revokeCredential.ts';
import { revokeSession } from '../domains/auth/revokeSession.ts';
import { verifyCredential } from '../domains/auth/verifyCredential.ts';
import { createBeneficialOwner } from '../domains/customers/createBeneficialOwner.ts';
import { createCustomer } from '../domains/customers/createCustomer.ts';
import { createVerification } from '../domains/customers/createVerification.ts';
import { deleteCustomer } from '../domains/customers/deleteCustomer.ts';
import { getBeneficialOwner } from '../domains/customers/getBeneficialOwner.ts';
import { getCustomer } from '../domains/customers/getCustomer.ts';
import { getVerification } from '../domains/customers/getVerification.ts';
import { listBeneficialOwners } from '../domains/customers/listBeneficialOwners.ts';
import { listCustomers } from '../domains/customers/listCustomers.ts';
import { listVerifications } from '../domains/customers/listVerifications.ts';
import { updateBeneficialOwner } from '../domains/customers/updateBeneficialOwner.ts';
import { updateCustomer } from '../domains/customers/updateCustomer.ts';
import type { Handlers } from '../domains/operation.ts';
import { createQuote } from '../domains/quotes/createQuote.ts';
import { executeQuote } from '../domains/quotes/executeQuote.ts';
import { getQuote } from '../domains/quotes/getQuote.ts';
import { listExchangeRates } from '../domains/quotes/listExchangeRates.ts';
import { listUmaProviders } from '../domains/quotes/listUmaProviders.ts';
import { lookUpExternalAccountReceiver } from '../domains/quotes/lookUpExternalAccountReceiver.ts';
import { lookUpUmaReceiver } from '../domains/quotes/lookUpUmaReceiver.ts';
import { fundInternalAccount } from '../domains/sandbox/fundInternalAccount.ts';
import { receiveSandboxUmaPayment } from '../domains/sandbox/receiveSandboxUmaPayment.ts';
import { sendSandboxPayment } from '../domains/sandbox/sendSandboxPayment.ts';
import { createToken } from '../domains/tokens/createToken.ts';
import { deleteToken } from '../domains/tokens/deleteToken.ts';
import { getConfig } from '../domains/tokens/getConfig.ts';
import { getToken } from '../domains/tokens/getToken.ts';
import { listTokens } from '../domains/tokens/listTokens.ts';
import { updateConfig } from '../domains/tokens/updateConfig.ts';
import { createTransferIn } from '../domains/transfers/createTransferIn.ts';
import { createTransferOut } from '../domains/transfers/createTransferOut.ts';
import { getTransaction } from '../domains/transfers/getTransaction.ts';
import { listTransactions } from '../domains/transfers/listTransactions.ts';

/** The handler of every operation of the contract. A missing one is a type error. */
export const handlers = {
  approveAgentAction,
  challengeCredential,
  createAgent,
  createAgentDeviceCode,
  createAgentExternalAccount,
  createAgentQuote,
  createAgentTransferIn,
  createAgentTransferOut,
  createBeneficialOwner,
  createCredential,
  createCustomer,
  createExternalAccount,
  createQuote,
  createToken,
  createTransferIn,
  createTransferOut,
  createVerification,
  deleteAgent,
  deleteAgentExternalAccount,
  deleteCustomer,
  deleteExternalAccount,
  deleteToken,
  executeAgentQuote,
  executeQuote,
  exportInternalAccount,
  fundInternalAccount,
  getAgent,
  getAgentAction,
  getAgentDeviceCodeStatus,
  getAgentExternalAccount,
  getAgentQuote,
  getAgentTransaction,
  getBeneficialOwner,
  getConfig,
  getCurrentAgent,
  getCustomer,
  getExternalAccount,
  getQuote,
  getToken,
  getTransaction,
  getVerification,
  listAgentActions,
  listAgentApprovals,
  listAgentExternalAccounts,
  listAgentInternalAccounts,
  listAgentTransactions,
  listAgents,
  listBeneficialOwners,
  listCredentials,
  listCustomers,
  listExchangeRates,
  listExternalAccounts,
  listInternalAccounts,
  listPlatformExternalAccounts,
  listPlatformInternalAccounts,
  listSessions,
  listTokens,
  listTransactions,
  listUmaProviders,
  listVerifications,
  lookUpExternalAccountReceiver,
  lookUpUmaReceiver,
  receiveSandboxUmaPayment,
  redeemAgentDeviceCode,
  refreshSession,
  rejectAgentAction,
  revokeCredential,
  revokeSession,
  sendSandboxPayment,
  updateAgent,
  updateAgentPolicy,
  updateBeneficialOwner,
  updateConfig,
  updateCustomer,
  updateInternalAccount,
  verifyCredential,
} satisfies Handlers;
