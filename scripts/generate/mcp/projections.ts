/**
 * Lists the fields of a reply that a tool returns: the few that a model needs for decisions, by their places in the
 * contract. The whole reply is a resource. mcp/project.ts applies these lists.
 */

/** How a field is made. If it has several places, the first that is present counts. */
export type FieldPlan =
  | { readonly kind: 'value'; readonly at: readonly string[] }
  /** Text that somebody outside wrote. */
  | { readonly kind: 'text'; readonly at: readonly string[] }
  /** The last characters of an account's number or address. */
  | { readonly kind: 'ending'; readonly at: readonly string[] }
  | { readonly kind: 'money'; readonly at: readonly string[]; readonly currencyAt: readonly string[] };

export type ProjectionPlan = Readonly<Record<string, FieldPlan>>;

const value = (...at: string[]): FieldPlan => ({ kind: 'value', at });
const text = (...at: string[]): FieldPlan => ({ kind: 'text', at });
const money = (at: string | string[], currencyAt: string | string[]): FieldPlan => ({
  kind: 'money',
  at: [at].flat(),
  currencyAt: [currencyAt].flat(),
});

const limits = '/policy/spendingLimits';
const limitsCurrency = `${limits}/currency`;

/** Projections by the name of the schema. */
export const projections: Readonly<Record<string, (identifiers: readonly string[]) => ProjectionPlan>> = {
  Agent: () => ({
    id: value('/id'),
    name: text('/name'),
    customerId: value('/customerId'),
    isPaused: value('/isPaused'),
    permissions: value('/policy/permissions'),
    executionMode: value('/policy/defaultExecutionMode'),
    perTransactionLimit: money(`${limits}/perTransactionLimit`, limitsCurrency),
    dailyLimit: money(`${limits}/dailyLimit`, limitsCurrency),
    dailyTransactionLimit: value(`${limits}/dailyTransactionLimit`),
    monthlyLimit: money(`${limits}/monthlyLimit`, limitsCurrency),
    approvalAbove: money('/policy/approvalThresholds/amount', '/policy/approvalThresholds/currency'),
    allowedAccountIds: value('/policy/accountRestrictions/allowedAccountIds'),
    movedToday: money('/usage/dailySpend', limitsCurrency),
    actionsToday: value('/usage/dailyTransactionCount'),
    dayStartsAgain: value('/usage/dailyResetDate'),
    movedThisMonth: money('/usage/monthlySpend', limitsCurrency),
    monthStartsAgain: value('/usage/monthlyResetMonth'),
  }),
  AgentAction: () => ({
    id: value('/id'),
    type: value('/type'),
    status: value('/status'),
    amount: money(
      ['/transferDetails/amount', '/quote/totalSendingAmount'],
      ['/transferDetails/currency', '/quote/sendingCurrency/code'],
    ),
    from: value('/transferDetails/sourceAccountId', '/quote/source/accountId'),
    to: value('/transferDetails/destinationAccountId', '/quote/destination/accountId', '/quote/destination/umaAddress'),
    quoteId: value('/quote/id'),
    transactionId: value('/transaction/id'),
    transactionStatus: value('/transaction/status'),
    failureCode: value('/failure/code', '/transaction/failureReason'),
    policyField: value('/failure/reason'),
    reason: text('/rejectionReason', '/failure/message'),
    createdAt: value('/createdAt'),
  }),
  Quote: () => ({
    id: value('/id'),
    status: value('/status'),
    sends: money('/totalSendingAmount', '/sendingCurrency/code'),
    arrives: money('/totalReceivingAmount', '/receivingCurrency/code'),
    fees: money('/feesIncluded', '/sendingCurrency/code'),
    from: value('/source/accountId'),
    to: value('/destination/accountId', '/destination/umaAddress'),
    payloadToSign: value('/paymentInstructions/0/accountOrWalletInfo/payloadToSign'),
    transactionId: value('/transactionId'),
    note: text('/description'),
    expiresAt: value('/expiresAt'),
  }),
  Transaction: () => ({
    id: value('/id'),
    type: value('/type'),
    status: value('/status'),
    sent: money('/sentAmount/amount', '/sentAmount/currency/code'),
    received: money('/receivedAmount/amount', '/receivedAmount/currency/code'),
    from: value('/source/accountId', '/source/umaAddress'),
    to: value('/destination/accountId', '/destination/umaAddress'),
    agentId: value('/agentId'),
    failureReason: value('/failureReason'),
    note: text('/description'),
    createdAt: value('/createdAt'),
  }),
  InternalAccount: () => ({
    id: value('/id'),
    type: value('/type'),
    status: value('/status'),
    balance: money('/balance/amount', '/balance/currency/code'),
  }),
  ExternalAccount: (identifiers) => ({
    id: value('/id'),
    status: value('/status'),
    currency: value('/currency'),
    accountType: value('/accountInfo/accountType'),
    identifierEnding: { kind: 'ending', at: identifiers.map((name) => `/accountInfo/${name}`) },
    holder: text('/accountInfo/beneficiary/fullName', '/accountInfo/beneficiary/legalName'),
    ownName: text('/platformAccountId'),
    nameCheck: value('/beneficiaryVerificationStatus'),
  }),
};
