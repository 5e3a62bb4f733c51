/**
 * Names that the ledger doesn't require, each with the reason and the decision. An entry that isn't needed any more
 * fails the run.
 */
import type { LedgerExceptions } from './ledgerGaps.ts';

/** Gives several names the same reason. */
function each(reason: string, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const replies = (reason: string, ...names: readonly string[]): Readonly<Record<string, string>> =>
  each(reason, ...names.map((name) => `replies have ${name}`));

export const ledgerExceptions: LedgerExceptions = {
  answered: {
    // Fields that come back under another name, or only through an effect.
    ...each(
      'The side says which of the two totals of the quote is the amount: test/quotes/figures.test.ts.',
      'QuoteCreateRequest.lockedCurrencySide',
      'QuoteCreateRequest.lockedCurrencyAmount',
    ),
    'QuoteCreateRequest.lookupId': 'It comes from a reply; one of another receiver is refused (D27).',
    'QuoteCreateRequest.immediatelyExecute':
      'The quote is executed, which its status says: test/quotes/createQuote.test.ts.',
    'QuoteCreateRequest.senderCustomerInfo': 'Without it 400 MISSING_MANDATORY_USER_INFO (D31).',
    'SendPaymentRequest.currencyAmount':
      'What must be the amount of the quote, or is refused: test/sandbox/sendSandboxPayment.test.ts.',
    ...each(
      'Both ends and the amount of the transaction, under its own names: test/sandbox/receiveSandboxUmaPayment.test.ts.',
      'ReceiveUmaPaymentRequest.senderUmaAddress',
      'ReceiveUmaPaymentRequest.receiverUmaAddress',
      'ReceiveUmaPaymentRequest.receivingCurrencyCode',
      'ReceiveUmaPaymentRequest.receivingCurrencyAmount',
    ),
    'AgentActionRejectRequest.reason': 'It is the `rejectionReason` of the action (D84).',
    ...each(
      'A proof: another one is refused with 401 (test/auth), and the sealed key opens with it alone (test/client/walk.test.ts).',
      'WalletExportRequest.clientPublicKey',
      'CredentialChallengeRequest.clientPublicKey',
      'EmailOtpCredentialVerifyRequest.clientPublicKey',
      'OauthCredentialVerifyRequest.clientPublicKey',
      'SessionRefreshRequest.clientPublicKey',
      'EmailOtpCredentialVerifyRequest.otp',
      'OauthCredentialCreateRequest.oidcToken',
      'OauthCredentialVerifyRequest.oidcToken',
      'PasskeyCredentialCreateRequest.challenge',
      'PasskeyAttestation.clientDataJson',
      'PasskeyAttestation.attestationObject',
      'PasskeyAssertion.clientDataJson',
      'PasskeyAssertion.authenticatorData',
      'PasskeyAssertion.signature',
      'PasskeyAssertion.userHandle',
    ),
    'PasskeyAttestation.transports': 'A hint for the browser; the sandbox keeps it and no reply shows it (D57).',
    'header Idempotency-Key': 'A repetition has the header Idempotency-Replayed, which is counted by operation (D10).',
    ...each(
      'Without it another status, and a wrong one is refused: the ledger of statuses and codes (D12).',
      'header Service-Wallet-Signature',
      'header Request-Id',
    ),
  },
  unreachable: {
    ...replies(
      'The sandbox knows ACTIVE and CLOSED only (D36, D67).',
      'InternalAccount.status = PENDING',
      'InternalAccount.status = FROZEN',
    ),
    ...replies(
      'In the sandbox every external account is ACTIVE (D40).',
      'ExternalAccount.status = PENDING',
      'ExternalAccount.status = UNDER_REVIEW',
      'ExternalAccount.status = INACTIVE',
    ),
    ...replies('The check of a person begins when the owner is added (D38).', 'BeneficialOwner.kycStatus = UNVERIFIED'),
    ...replies(
      'A check that begins and ends in one call never waits (D66).',
      'Verification.verificationStatus = READY_FOR_VERIFICATION',
      'Verification.verificationStatus = PENDING_MANUAL_REVIEW',
    ),
    ...replies(
      'The sandbox never produces these (D70).',
      'IncomingTransaction.status = CREATED',
      'IncomingTransaction.status = REJECTED',
      'IncomingTransaction.status = REFUNDED',
    ),
    ...replies(
      'A quote has an OUTGOING transaction; money that comes in is PENDING, COMPLETED or FAILED (D70).',
      'IncomingTransaction.status = PROCESSING',
      'IncomingTransaction.status = EXPIRED',
    ),
    ...replies(
      'In the sandbox money is never on its way back, and never goes back for lack of time (D70).',
      'Refund.status = PENDING',
      'Refund.reason = TIMEOUT',
    ),
    ...replies(
      "A dropped currency closes its accounts, which the accounts' own check names first (D67).",
      'AgentActionFailure.code = INVALID_CURRENCY',
    ),
    ...replies(
      "While an action waits, its quote can't be submitted again (D33).",
      'AgentActionFailure.code = CONFLICT',
    ),
    ...replies('The service sets it, and the sandbox has none (D41).', 'PlatformConfig.proxyUmaSubdomain'),
    ...replies(
      'The sandbox gives one kind of account for each currency (D36).',
      'BdtPaymentAccountInfo.branchCode',
      'BdtPaymentAccountInfo.swiftCode',
      'BdtPaymentAccountInfo.phoneNumber',
      'BdtPaymentAccountInfo.paymentRails = MOBILE_MONEY',
      'EgpPaymentAccountInfo.phoneNumber',
      'EgpPaymentAccountInfo.paymentRails = MOBILE_MONEY',
      'GhsPaymentAccountInfo.phoneNumber',
      'GhsPaymentAccountInfo.paymentRails = MOBILE_MONEY',
      'GtqPaymentAccountInfo.bankAccountType = SAVINGS',
      'JmdPaymentAccountInfo.bankAccountType = SAVINGS',
      'PkrPaymentAccountInfo.iban',
      'PkrPaymentAccountInfo.phoneNumber',
      'PkrPaymentAccountInfo.paymentRails = MOBILE_MONEY',
      'SgdPaymentAccountInfo.paymentRails = PAYNOW',
      'SgdPaymentAccountInfo.paymentRails = FAST',
      'XafPaymentAccountInfo.region = CG',
      'XofPaymentAccountInfo.region = BJ',
      'XofPaymentAccountInfo.region = CI',
      'XofPaymentAccountInfo.region = TG',
      'SwiftPaymentAccountInfo.iban',
      'EthereumPaymentAccountInfo.accountType',
      'EthereumPaymentAccountInfo.accountType = ETHEREUM_WALLET',
      'EthereumPaymentAccountInfo.assetType',
      'EthereumPaymentAccountInfo.assetType = USDC',
      'EthereumPaymentAccountInfo.address',
      'PolygonPaymentAccountInfo.accountType',
      'PolygonPaymentAccountInfo.accountType = POLYGON_WALLET',
      'PolygonPaymentAccountInfo.assetType',
      'PolygonPaymentAccountInfo.assetType = USDC',
      'PolygonPaymentAccountInfo.address',
      'SolanaPaymentAccountInfo.assetType = USDT',
    ),
  },
};
