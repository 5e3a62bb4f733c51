/**
 * The rules that the contract states in words, because no schema can: all reasons to refuse a valid request with 400.
 * If none of them explains a refusal, the validation has a fault.
 */
import type { ErrorCode, OperationId } from '../../generated/operations.ts';

export interface WordRule {
  readonly operations: readonly OperationId[];
  readonly code: ErrorCode;
  /** The place of the fault, as `in pointer`; empty for a code without a field. */
  readonly place: RegExp;
  readonly message: RegExp;
  /** Its number in openapi/DECISIONS.md; `given` if the interface states it. */
  readonly decision: string;
}

/** An entry of `details.errors`. */
export interface RefusedField {
  readonly in: string;
  readonly pointer: string;
  readonly message: string;
}

const lists: readonly OperationId[] = [
  'listAgentActions',
  'listAgentApprovals',
  'listAgentExternalAccounts',
  'listAgentInternalAccounts',
  'listAgentTransactions',
  'listAgents',
  'listBeneficialOwners',
  'listCustomers',
  'listExchangeRates',
  'listExternalAccounts',
  'listInternalAccounts',
  'listPlatformExternalAccounts',
  'listPlatformInternalAccounts',
  'listSessions',
  'listTokens',
  'listTransactions',
  'listUmaProviders',
  'listVerifications',
];
const quotes: readonly OperationId[] = ['createQuote', 'createAgentQuote'];
const executions: readonly OperationId[] = ['executeQuote', 'executeAgentQuote'];
const transfersIn: readonly OperationId[] = ['createTransferIn', 'createAgentTransferIn'];
const transfersOut: readonly OperationId[] = ['createTransferOut', 'createAgentTransferOut'];
const transfers = [...transfersIn, ...transfersOut];
const accounts: readonly OperationId[] = ['createExternalAccount', 'createAgentExternalAccount'];
const customers: readonly OperationId[] = ['createCustomer', 'updateCustomer'];
const policies: readonly OperationId[] = ['createAgent', 'updateAgentPolicy'];
const anything = /^/;
const nowhere = /^$/;
const unknownCurrency = /^[A-Z]{3,5} is not a currency of the service$/;

type Row = readonly [WordRule['operations'], ErrorCode, place: RegExp, message: RegExp, decision: string];

const rows: readonly Row[] = [
  [lists, 'INVALID_INPUT', /^query \/cursor$/, /^is not a cursor of this list/, 'D07'],
  [
    ['listExchangeRates'],
    'AMOUNT_OUT_OF_RANGE',
    /^query \/sendingAmount$/,
    /^must be at most .+ would be too large in/,
    'D08',
  ],
  [['lookUpUmaReceiver'], 'INVALID_UMA_ADDRESS', /^path \/receiverUmaAddress$/, anything, 'D65'],

  [accounts, 'INVALID_CURRENCY', /^body \/currency$/, unknownCurrency, 'D03'],
  [accounts, 'INVALID_CURRENCY', /^body \/currency$/, /^must be .+, the currency of \w+$/, 'D03'],
  [accounts, 'INVALID_INPUT', /^body \/accountInfo$/, /^lacks the fields of its payment rail: /, 'D64'],
  [accounts, 'INVALID_BANK_ACCOUNT', /^body \/accountInfo$/, anything, 'D40'],
  [['createExternalAccount'], 'INVALID_INPUT', /^body \/defaultUmaDepositAccount$/, /customers/, 'D40'],
  [
    ['updateInternalAccount', 'exportInternalAccount'],
    'INVALID_INPUT',
    /^path \/id$/,
    /only an EMBEDDED_WALLET/,
    'D62',
  ],
  [['updateInternalAccount', 'exportInternalAccount'], 'INVALID_INPUT', /^path \/id$/, /^is closed/, 'D67'],

  [customers, 'INVALID_CURRENCY', /^body \/currencies\/\d+$/, unknownCurrency, 'D23'],
  [customers, 'INVALID_CURRENCY', /^body \/currencies$/, /^KES and NGN can't be enabled/, 'D23'],
  [['updateCustomer'], 'INVALID_INPUT', /^body \/customerType$/, /the type of this customer$/, 'D23'],
  [
    ['updateCustomer'],
    'INVALID_INPUT',
    /^body \/businessInfo\/legalName$/,
    /^is required, because the business/,
    'D52',
  ],
  [['createBeneficialOwner', 'createVerification'], 'INVALID_INPUT', /^body \/customerId$/, /^is an individual/, 'D35'],
  [['createBeneficialOwner', 'updateBeneficialOwner'], 'INVALID_INPUT', /^body \/ownershipPercentage$/, /UBO$/, 'D35'],

  [['updateConfig'], 'INVALID_CURRENCY', /^body \/supportedCurrencies\/\d+\/currencyCode$/, unknownCurrency, 'D68'],
  [['updateConfig'], 'INVALID_INPUT', /^body \/supportedCurrencies\/\d+\/currencyCode$/, /twice$/, 'D68'],
  [['updateConfig'], 'INVALID_INPUT', /^body \/supportedCurrencies\/\d+\/maxAmount$/, /less than minAmount$/, 'D68'],
  [['deleteToken'], 'INVALID_INPUT', /^path \/tokenId$/, /last token with MANAGE/, 'D11'],

  [policies, 'INVALID_CURRENCY', /\/(spendingLimits|approvalThresholds)\/currency$/, unknownCurrency, 'D25'],
  [policies, 'INVALID_INPUT', /\/accountRules\/\d+\/accountId$/, /^already has a rule in this list$/, 'D32'],
  [['updateAgentPolicy'], 'INVALID_INPUT', /^body \/approvalThresholds\/(amount|currency)$/, /^is required/, 'D78'],
  [
    ['updateAgentPolicy'],
    'AMOUNT_OUT_OF_RANGE',
    /^body \/spendingLimits\/currency$/,
    /^this month's actions would count as more/,
    'D78',
  ],
  [['redeemAgentDeviceCode'], 'DEVICE_CODE_INVALID', nowhere, anything, 'D34'],

  [['createCredential'], 'INVALID_INPUT', /^body \/accountId$/, /only an EMBEDDED_WALLET/, 'D12'],
  [['createCredential'], 'INVALID_INPUT', /^body \/accountId$/, /^is closed/, 'D67'],
  [['createCredential'], 'INVALID_INPUT', /^body \/accountId$/, /without an e-mail address/, 'D12'],
  [['createCredential'], 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS', nowhere, anything, 'D12'],
  [['createCredential'], 'PASSKEY_CREDENTIAL_ALREADY_EXISTS', nowhere, anything, 'D12'],
  [['revokeCredential'], 'LAST_CREDENTIAL', nowhere, anything, 'given'],
  [['verifyCredential'], 'INVALID_INPUT', /^body \/type$/, /the type of this credential$/, 'D12'],
  [['challengeCredential'], 'INVALID_INPUT', /^path \/id$/, /^is an OAUTH credential/, 'D12'],
  [['challengeCredential'], 'INVALID_INPUT', /^body \/clientPublicKey$/, /^is required for a PASSKEY/, 'D19'],

  [quotes, 'INVALID_CURRENCY', /^body \/(source|destination)\/currency$/, unknownCurrency, 'D25'],
  [quotes, 'INVALID_CURRENCY', /^body \/(source|destination)\/currency$/, /the account's currency$/, 'D77'],
  [
    quotes,
    'INVALID_CURRENCY',
    /^body \/destination\/currency$/,
    /^must be a currency that the receiver takes: /,
    'D31',
  ],
  [quotes, 'INVALID_INPUT', /^body \/(source|destination)\/customerId$/, /^is not the account's owner$/, 'D77'],
  [quotes, 'INVALID_INPUT', /^body \/lookupId$/, /^is required for a UMA address/, 'D77'],
  [quotes, 'INVALID_INPUT', /^body \/lookupId$/, /^is a lookup of another receiver/, 'D77'],
  [quotes, 'INVALID_INPUT', /^body \/destination(\/accountId)?$/, /the account that pays$/, 'D28'],
  [quotes, 'INVALID_INPUT', /^body \/immediatelyExecute$/, /^is not possible /, 'D28'],
  [quotes, 'MISSING_MANDATORY_USER_INFO', /^body \/(purposeOfPayment|senderCustomerInfo\/\w+)$/, /^is required/, 'D28'],
  [quotes, 'AMOUNT_OUT_OF_RANGE', /^body \/lockedCurrencyAmount$/, /^must be (at most|from) .+ too large in/, 'D08'],
  [[...quotes, ...transfers], 'INVALID_INPUT', /\/paymentRail$/, /^the account has (no|the) payment rails/, 'D77'],
  [executions, 'INVALID_INPUT', /^path \/quoteId$/, /^can't be executed, because/, 'D72'],
  [['createQuote', ...executions, ...transfersOut], 'INSUFFICIENT_FUNDS', nowhere, anything, 'D28'],

  [transfers, 'INVALID_CURRENCY', /^body \/destination\/accountId$/, /create a quote to convert the money$/, 'D73'],
  [transfers, 'INVALID_INPUT', /^body \/destination\/accountId$/, /^belongs to another customer/, 'D73'],
  [transfers, 'INVALID_INPUT', /\/accountId$/, /^is closed/, 'D67'],
  [transfersOut, 'INVALID_INPUT', /^body \/source\/accountId$/, /^is a wallet/, 'D42'],
  [transfersIn, 'AMOUNT_OUT_OF_RANGE', /^body \/amount$/, /^would raise the balance above/, 'D08'],

  [['fundInternalAccount'], 'AMOUNT_OUT_OF_RANGE', /^body \/amount$/, /^would raise the balance above/, 'D08'],
  [['fundInternalAccount'], 'INVALID_INPUT', /^path \/accountId$/, /^is closed/, 'D67'],
  [['sendSandboxPayment'], 'INVALID_INPUT', /^body \/quoteId$/, /whose source is an account/, 'D76'],
  [['sendSandboxPayment'], 'INVALID_CURRENCY', /^body \/currencyCode$/, /^must be /, 'D76'],
  [['sendSandboxPayment'], 'INVALID_AMOUNT', /^body \/currencyAmount$/, /^must be /, 'D76'],
  [['receiveSandboxUmaPayment'], 'INVALID_INPUT', /^body $/, /^must have exactly one of/, 'D31'],
  [['receiveSandboxUmaPayment'], 'INVALID_CURRENCY', /^body \/receivingCurrencyCode$/, anything, 'D31'],
  [['receiveSandboxUmaPayment'], 'SELF_PAYMENT', /^body \/senderUmaAddress$/, anything, 'D31'],
  [['receiveSandboxUmaPayment'], 'AMOUNT_OUT_OF_RANGE', /^body \/receivingCurrencyAmount$/, anything, 'D08'],
];

export const wordRules: readonly WordRule[] = rows.map(([operations, code, place, message, decision]) => ({
  operations,
  code,
  place,
  message,
  decision,
}));

/** The rule that explains a refusal; `field` is undefined if the refusal names none. */
export function ruleOf(id: OperationId, code: string, field: RefusedField | undefined): WordRule | undefined {
  const place = field === undefined ? '' : `${field.in} ${field.pointer}`;
  return wordRules.find(
    (rule) =>
      rule.operations.includes(id) &&
      rule.code === code &&
      rule.place.test(place) &&
      rule.message.test(field?.message ?? ''),
  );
}

/** The rule in one line, for a report. */
export function describeRule({ operations, code, place, message, decision }: WordRule): string {
  return `${decision} ${code} ${place.source} ${message.source} (${operations.join(', ')})`;
}
