/** Finds statements about a thing that contradict another example. */
import type { Thing } from './read.ts';

/** What a rule uses to look things up and to report faults. */
interface Look {
  /** The thing with this id; empty if no example shows it. */
  at(id: unknown): Thing;
  /** The currency of an internal or external account. */
  currencyOf(id: unknown): unknown;
  /** The name of an external account's holder. */
  holderOf(id: unknown): unknown;
  /** Reports a fault if both are known and different. */
  same(what: string, said: unknown, is: unknown): void;
}

/** Compares an object with the other examples, and returns a phrase for each contradiction. */
export function findDisagreements(node: Thing, things: ReadonlyMap<string, Thing>): string[] {
  const faults: string[] = [];
  const at = (id: unknown): Thing => things.get(id as string) ?? {};
  const look: Look = {
    at,
    currencyOf: (id) => at(id).balance?.currency.code ?? at(id).currency,
    holderOf(id) {
      const { fullName, legalName } = at(id).accountInfo?.beneficiary ?? {};
      return fullName ?? legalName;
    },
    same(what, said, is) {
      if (said !== undefined && is !== undefined && said !== is) faults.push(`${what} is ${is}, not ${said}`);
    },
  };
  compareOwners(node, look);
  if (node.transactionId !== undefined && node.totalSendingAmount !== undefined) compareQuote(node, look);
  if (/^Transaction:/.test(node.id)) compareTransaction(node, look);
  if (/^AgentAction:/.test(node.id)) compareEnd(node, look);
  if (/^AgentAction:/.test(node.id) && node.transaction !== undefined) compareAction(node, look);
  if (node.agent !== undefined && node.deviceCode !== undefined) compareFirstCode(node, look);
  if (node.payloadToSign !== undefined && node.requestId !== undefined) compareChallenge(node, look);
  if (Array.isArray(node.data) && typeof node.hasMore === 'boolean') comparePage(node, look);
  return faults;
}

function compareOwners(node: Thing, { at, currencyOf, same }: Look): void {
  const { id, customerId, accountId, sourceAccountId, agentId, currency, platformCustomerId } = node;
  same(`the owner of ${accountId}`, customerId, at(accountId).customerId);
  same(`the currency of ${accountId}`, currency, currencyOf(accountId));
  same(`the currency of ${sourceAccountId}`, currency, currencyOf(sourceAccountId));
  same(`the customer of ${agentId}`, customerId, at(agentId).customerId);
  same(`the platform's name of ${customerId}`, platformCustomerId, at(customerId).platformCustomerId);
  // Only wallets have credentials and sessions.
  if (/^(AuthMethod|Session):/.test(id)) same('the type of the account', 'EMBEDDED_WALLET', at(accountId).type);
  const { allowedAccountIds = [], accountRules = [] } = node.policy?.accountRestrictions ?? {};
  for (const account of [...allowedAccountIds, ...accountRules.map((rule: Thing) => rule.accountId)]) {
    same(`the owner of ${account}, which the policy names,`, customerId, at(account).customerId);
  }
}

function compareQuote(quote: Thing, { holderOf, same }: Look): void {
  const { source, destination } = quote;
  same('the currency of the source', quote.sendingCurrency?.code, source.currency);
  same('the currency of the destination', quote.receivingCurrency?.code, destination.currency);
  same('the holder of the destination', quote.counterpartyInformation?.FULL_NAME, holderOf(destination.accountId));
  for (const { accountOrWalletInfo } of quote.paymentInstructions ?? []) {
    if (accountOrWalletInfo.payloadToSign === undefined) continue;
    const { quoteId, parameters, expiresAt } = JSON.parse(accountOrWalletInfo.payloadToSign);
    same('the quote to sign', quoteId, quote.id);
    same('the total to sign', parameters?.sending?.amount, quote.totalSendingAmount);
    same('what arrives, as signed,', parameters?.receiving?.amount, quote.totalReceivingAmount);
    same('the fee to sign', parameters?.fee, quote.feesIncluded);
    same('the end of what is signed', expiresAt, quote.expiresAt);
  }
}

function compareTransaction(transaction: Thing, { at, holderOf, same }: Look): void {
  const { source, destination, sentAmount, receivedAmount, counterpartyInformation } = transaction;
  const [own, other] = transaction.type === 'OUTGOING' ? [source, destination] : [destination, source];
  same('the owner of the money', transaction.customerId, at(own.accountId).customerId ?? own.customerId);
  same('the holder of the other account', counterpartyInformation?.FULL_NAME, holderOf(other.accountId));
  same('the currency of the source', sentAmount?.currency.code, source.currency);
  same('the currency of the destination', receivedAmount?.currency.code, destination.currency);
  const quote = at(transaction.quoteId);
  same('the transaction of the quote', transaction.id, quote.transactionId);
  same('the total of the quote', sentAmount?.amount, quote.totalSendingAmount);
  same('what the quote lets arrive', receivedAmount?.amount, quote.totalReceivingAmount);
  same('the fee of the quote', transaction.fees, quote.feesIncluded);
  same('the description of the quote', transaction.description, quote.description);
}

function compareAction({ agentId, transaction, transferDetails = {}, quote = {} }: Thing, { same }: Look): void {
  same('the agent of the transaction', agentId, transaction.agentId);
  same('the amount', transferDetails.amount, (transaction.sentAmount ?? transaction.receivedAmount).amount);
  same('the source', transferDetails.sourceAccountId, transaction.source.accountId);
  same('the destination', transferDetails.destinationAccountId, transaction.destination.accountId);
  same('the quote', quote.id, transaction.quoteId);
}

/** A FAILED action has a reason: in its transaction, or in the action itself if nothing was started (D85). */
function compareEnd({ status, transaction, failure }: Thing, { same }: Look): void {
  same(
    'whether the action says why it failed',
    failure !== undefined,
    status === 'FAILED' && transaction === undefined,
  );
}

/** A signed retry is valid for five minutes (D13). */
function compareChallenge({ payloadToSign, requestId, expiresAt }: Thing, { same }: Look): void {
  const signed = JSON.parse(payloadToSign);
  same('the request to sign', signed.requestId, requestId);
  same('the lifetime of the challenge in minutes', (Date.parse(expiresAt) - Date.parse(signed.issuedAt)) / 60_000, 5);
}

/** Creating an agent creates its first code, which is valid for one day (D34). */
function compareFirstCode({ agent, deviceCode }: Thing, { same }: Look): void {
  const hours = (Date.parse(deviceCode.expiresAt) - Date.parse(agent.createdAt)) / 3_600_000;
  same('the lifetime of the device code in hours', hours, 24);
}

function comparePage({ data, hasMore, totalCount, nextCursor }: Thing, { same }: Look): void {
  same('whether there are more than the total', hasMore, totalCount > data.length);
  same('whether there is a cursor', nextCursor !== undefined, hasMore);
  const times = data.map((one: Thing) => one.createdAt);
  same('the order', times.join(), times.toSorted().reverse().join());
}
