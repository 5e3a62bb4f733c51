import { operations } from '../../../../../generated/operations.ts';
import type { AgentPermission, QuoteCreateRequest } from '../../../../../generated/types.ts';
import type { Stored } from '../../../store/records/table.ts';
import type { Unit } from '../../../store/units/unit.ts';
import { invalidField, Problem } from '../../../tools/problem.ts';
import type { Received } from '../../../tools/received.ts';
import { mustFindOwnAccount } from '../../accounts/records.ts';
import { mustFindCustomer } from '../../customers/records.ts';
import { openQuote } from '../../quotes/procedures/opening.ts';
import { checkExecutable, checkSignature, executePayment } from '../../quotes/procedures/payments.ts';
import { checkNamed } from '../../quotes/procedures/sourceAndDestination.ts';
import { mustFindQuote, type QuoteRecord } from '../../quotes/records.ts';
import {
  carryOutTransfer,
  planTransferIn,
  planTransferOut,
  type TransferPlan,
} from '../../transfers/procedures/transfers.ts';
import type { TransactionRecord } from '../../transfers/records.ts';
import { unfunded } from '../../transfers/rules.ts';
import { type ActionRecord, type ActionRequest, type AgentRecord, actions, agents } from '../records.ts';
import { type Attempt, changeUsage, checkIsWaiting, checkMayBeApproved, examine, failed, usageAt } from '../rules.ts';

/** What an agent requests: an {@link ActionRequest} before the currency of its accounts is known. */
export type WantedAction =
  | Extract<ActionRequest, { type: 'EXECUTE_QUOTE' }>
  | { readonly type: 'TRANSFER_OUT'; readonly transfer: Extract<ActionRequest, { type: 'TRANSFER_OUT' }>['transfer'] }
  | { readonly type: 'TRANSFER_IN'; readonly transfer: Extract<ActionRequest, { type: 'TRANSFER_IN' }>['transfer'] };

/** The operation for each type of action. An approval needs the same permission as the operation. */
const operationOf = {
  EXECUTE_QUOTE: 'executeAgentQuote',
  TRANSFER_OUT: 'createAgentTransferOut',
  TRANSFER_IN: 'createAgentTransferIn',
} as const;

function permissionFor(type: WantedAction['type']): AgentPermission | null {
  const operation = operations.find(({ id }) => id === operationOf[type]);
  // Without this, an unknown operation would need no permission.
  if (operation === undefined) throw new Error(`The contract has no operation ${operationOf[type]}`);
  return operation.agentPermission;
}

/** What carries an action out. All that can be checked before the money moves has passed. */
type Payment =
  | { readonly kind: 'TRANSFER'; readonly plan: TransferPlan }
  | { readonly kind: 'QUOTE'; readonly quote: Stored<QuoteRecord> };

type Findings = Pick<Attempt, 'missing' | 'unfit' | 'unsigned' | 'accountIds' | 'sum'> & { readonly payment?: Payment };

/**
 * Starts an agent's action. It is carried out at once, or waits for the platform (D32, D33).
 * @param signature the `Service-Wallet-Signature`, if one was sent.
 * @throws Problem the first fault in the order of D32. Nothing is stored then.
 */
export async function startAction(
  unit: Unit,
  agent: Stored<AgentRecord>,
  wanted: WantedAction,
  signature?: string,
): Promise<ActionRecord> {
  const found =
    wanted.type === 'EXECUTE_QUOTE'
      ? await findQuote(unit, agent, wanted, { signature })
      : await findTransfer(unit, agent, wanted);
  const verdict = examine({ ...attemptOf(unit, agent, wanted), ...found, isApproved: false });
  if (verdict instanceof Problem) throw verdict;
  const { payment, sum } = foundAll(found);
  const request = requestOf(wanted, sum.currency);
  const { platformCustomerId } = await mustFindCustomer(unit, agent.customerId);
  const shared = { agentId: agent.id, customerId: agent.customerId, platformCustomerId, request, sum };
  const fate =
    verdict === 'WAIT' ? ({ status: 'PENDING_APPROVAL' } as const) : await carryOutAction(unit, agent, payment, sum);
  const id = unit.newId('AgentAction');
  return actions.insert(unit, { id, ...shared, ...fate, createdAt: unit.now(), updatedAt: unit.now() });
}

/**
 * Approves an action for the platform. Everything is checked again, except ownership and signature. If a check fails
 * now, the action is FAILED and says why (D32, D33, D85).
 * @throws Problem 409 `ACTION_NOT_PENDING`, 409 `CONFLICT` while the agent is paused.
 */
export async function approveAction(
  unit: Unit,
  agent: Stored<AgentRecord>,
  action: Stored<ActionRecord>,
): Promise<ActionRecord> {
  checkIsWaiting(action);
  checkMayBeApproved(agent);
  const { request } = action;
  const found =
    request.type === 'EXECUTE_QUOTE'
      ? await findQuote(unit, agent, request, { waitingId: action.id })
      : await findTransfer(unit, agent, request);
  const { missing, ...rest } = found;
  const verdict = examine({
    ...attemptOf(unit, agent, request),
    ...rest,
    unfit: missing ?? found.unfit,
    isApproved: true,
  });
  const fate =
    verdict instanceof Problem
      ? failed(verdict)
      : await carryOutAction(unit, agent, foundAll(found).payment, action.sum);
  return actions.replace(unit, action, { ...action, ...fate, updatedAt: unit.now() });
}

/**
 * Creates an agent's quote. Permission, pause and accounts are checked now, the limits when the quote is executed
 * (D80).
 * @throws Problem the first fault in the order of D32. The unit must not continue then.
 */
export async function openAgentQuote(
  unit: Unit,
  agent: AgentRecord,
  permission: AgentPermission | null,
  request: Received<QuoteCreateRequest>,
): Promise<QuoteRecord> {
  const missing =
    faultOf(await unit.attempt(() => checkOwnSides(unit, agent.customerId, request))) ??
    // A deleted customer (410) breaks a rule of the payment. An unknown UMA address or lookup counts as missing.
    notFound(await unit.attempt(() => checkNamed(unit, request)));
  const quote = missing ?? (await unit.attempt(() => openOwnQuote(unit, agent, request)));
  const verdict = examine({
    missing,
    isPaused: agent.isPaused,
    permission,
    unfit: faultOf(quote),
    accountIds: [...accountOf(request.source), ...accountOf(request.destination)],
    policy: agent.policy,
    usage: agent.usage,
    isApproved: false,
  });
  if (verdict instanceof Problem) throw verdict;
  return quote as QuoteRecord;
}

function openOwnQuote(unit: Unit, agent: AgentRecord, request: Received<QuoteCreateRequest>): Promise<QuoteRecord> {
  if (request.immediatelyExecute === true) {
    const message = 'is not possible for an agent; create the quote, then execute it';
    throw invalidField('/immediatelyExecute', message);
  }
  const { source } = request;
  const paid = source.sourceType === 'REALTIME_FUNDING' ? { ...source, customerId: agent.customerId } : source;
  return openQuote(unit, { ...request, source: paid }, agent.id);
}

/** @throws Problem 404 for an account or customer that the agent can't see (D79) */
async function checkOwnSides(
  unit: Unit,
  customerId: string,
  { source, destination }: QuoteCreateRequest,
): Promise<void> {
  if (source.sourceType === 'ACCOUNT') await mustFindOwnAccount(unit, source.accountId, customerId);
  else if (source.customerId !== undefined && source.customerId !== customerId) {
    throw new Problem('USER_NOT_FOUND', `The agent has no customer ${source.customerId}.`);
  }
  if (destination.destinationType === 'ACCOUNT') await mustFindOwnAccount(unit, destination.accountId, customerId);
}

/** The account of one side of a payment; none for a UMA address or for money from outside (D80). */
function accountOf(
  side: QuoteCreateRequest['source'] | QuoteCreateRequest['destination'] | QuoteRecord['source'],
): readonly string[] {
  return 'accountId' in side ? [side.accountId] : [];
}

function attemptOf(unit: Unit, agent: AgentRecord, { type }: WantedAction) {
  const { isPaused, policy } = agent;
  return { isPaused, permission: permissionFor(type), policy, usage: usageAt(agent.usage, unit.now()) };
}

async function findTransfer(
  unit: Unit,
  { customerId }: AgentRecord,
  wanted: Exclude<WantedAction, { type: 'EXECUTE_QUOTE' }>,
): Promise<Findings> {
  const accountIds = [wanted.transfer.source.accountId, wanted.transfer.destination.accountId];
  for (const id of accountIds) {
    const missing = faultOf(await unit.attempt(() => mustFindOwnAccount(unit, id, customerId)));
    if (missing !== undefined) return { missing, accountIds };
  }
  const plan = await unit.attempt(() =>
    wanted.type === 'TRANSFER_OUT' ? planTransferOut(unit, wanted.transfer) : planTransferIn(unit, wanted.transfer),
  );
  if (plan instanceof Problem) return { unfit: plan, accountIds };
  return { accountIds, sum: plan.draft.payment.sending, payment: { kind: 'TRANSFER', plan } };
}

async function findQuote(
  unit: Unit,
  agent: AgentRecord,
  { quoteId }: { readonly quoteId: string },
  { signature, waitingId }: { readonly signature?: string | undefined; readonly waitingId?: string },
): Promise<Findings> {
  const quote = await unit.attempt(() => mustFindOwnQuote(unit, agent, quoteId));
  if (quote instanceof Problem) return { missing: quote, accountIds: [] };
  const accountIds = [...accountOf(quote.source), ...accountOf(quote.destination)];
  return {
    accountIds,
    sum: quote.payment.sending,
    unfit:
      faultOf(await unit.attempt(() => checkIsFree(unit, quote, waitingId))) ??
      faultOf(await unit.attempt(() => checkExecutable(unit, quote))),
    // An action that waits for approval was signed when it was requested.
    unsigned:
      waitingId === undefined ? faultOf(await unit.attempt(() => checkSignature(unit, quote, signature))) : undefined,
    payment: { kind: 'QUOTE', quote },
  };
}

/** @throws Problem 409 `CONFLICT` if another action on the quote waits for approval (D33) */
async function checkIsFree(unit: Unit, { id, status }: QuoteRecord, waitingId: string | undefined): Promise<void> {
  if (status !== 'PENDING') return;
  const waiting = (await actions.where(unit, 'waiting_quote_id', id)).find((action) => action.id !== waitingId);
  if (waiting === undefined) return;
  throw new Problem('CONFLICT', `This quote already waits for approval, as ${waiting.id}.`);
}

/** A quote that the agent itself made. @throws Problem 404 `QUOTE_NOT_FOUND` (D79). */
export async function mustFindOwnQuote(
  unit: Unit,
  agent: Pick<AgentRecord, 'id'>,
  quoteId: string,
): Promise<Stored<QuoteRecord>> {
  const quote = await mustFindQuote(unit, quoteId);
  if (quote.agentId !== agent.id) throw new Problem('QUOTE_NOT_FOUND', `This agent has created no quote ${quoteId}.`);
  return quote;
}

/** The payment and the sum. An attempt without a fault always has them. */
function foundAll({ payment, sum }: Findings): { payment: Payment; sum: NonNullable<Findings['sum']> } {
  if (payment === undefined || sum === undefined)
    throw new Error('An attempt without a fault has nothing to carry out');
  return { payment, sum };
}

function requestOf(wanted: WantedAction, currency: string): ActionRequest {
  return wanted.type === 'EXECUTE_QUOTE' ? wanted : { ...wanted, currency };
}

/**
 * Moves the money of an action with the procedures of quotes and transfers. If that fails, the action is FAILED. If it
 * starts, the action counts against the limits (D33, D78).
 */
async function carryOutAction(
  unit: Unit,
  agent: Stored<AgentRecord>,
  payment: Payment,
  sum: ActionRecord['sum'],
): Promise<Fate & Pick<ActionRecord, 'countedAt'>> {
  const paid = await payForAction(unit, agent.id, payment);
  if (paid.status === 'FAILED') return paid;
  const { currency } = agent.policy.spendingLimits;
  const usage = changeUsage(usageAt(agent.usage, unit.now()), sum, unit.now(), currency, 1);
  await agents.replace(unit, agent, { ...agent, usage });
  return { ...paid, countedAt: unit.now() };
}

/** How the work on an action ended. If it is FAILED without a transaction, `failure` says why. */
type Fate = Pick<ActionRecord, 'transactionId' | 'failure'> & { readonly status: 'APPROVED' | 'FAILED' };

async function payForAction(unit: Unit, agentId: string, payment: Payment): Promise<Fate> {
  if (payment.kind === 'QUOTE') {
    const executed = await unit.attempt(() => executePayment(unit, payment.quote));
    return executed instanceof Problem ? failed(executed) : begun(executed.status, executed.transactionId);
  }
  const { draft, outcome } = payment.plan;
  const plan = { draft: { ...draft, agentId }, outcome };
  const made = await unit.attempt(() => carryOutTransfer(unit, plan));
  if (!(made instanceof Problem)) return begun(made.status, made.id);
  if (made.code !== 'INSUFFICIENT_FUNDS') return failed(made);
  const { id } = await carryOutTransfer(unit, { ...plan, outcome: unfunded });
  return begun('FAILED', id);
}

function begun(status: TransactionRecord['status'], transactionId: string): Fate {
  return { status: status === 'FAILED' ? 'FAILED' : 'APPROVED', transactionId };
}

function notFound(value: unknown): Problem | undefined {
  return value instanceof Problem && value.status === 404 ? value : undefined;
}

function faultOf(value: unknown): Problem | undefined {
  return value instanceof Problem ? value : undefined;
}
