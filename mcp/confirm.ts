/**
 * Asks the user before a large payment, if the client can ask. This is only an extra step on this side: the platform's
 * policy and approval decide.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { McpTool } from '../generated/mcpTools.ts';
import type { Agent, InternalAccountList, Quote } from '../generated/types.ts';
import { readable } from './amounts.ts';
import type { AgentSession } from './session.ts';

/** The result of asking, in the call that brings the user's answer. */
export type Verdict = 'go on' | 'declined' | InputRequiredResult;

/** The amount that the payment moves. */
interface Sum {
  readonly amount: number;
  readonly currency: string;
}

/** The context of this call. */
export interface Asking {
  readonly context: ServerContext;
  /** The client's capabilities from its first message, for protocol revisions that send them once. */
  readonly capabilities: ClientCapabilities | undefined;
}

const question = 'pay';

/** Returns whether a call may go on. Otherwise returns the question for the user, or that the user has declined. */
export async function confirmPayment(
  tool: McpTool,
  args: Readonly<Record<string, unknown>>,
  session: AgentSession,
  { context, capabilities }: Asking,
): Promise<Verdict> {
  if (!beginsPayment(tool) || session.askAbove === 'never' || !canAsk(context, capabilities)) return 'go on';
  const answer = context.mcpReq.inputResponses?.[question] as
    | { action?: string; content?: Record<string, unknown> }
    | undefined;
  if (answer !== undefined)
    return answer.action === 'accept' && answer.content?.['pay'] === true ? 'go on' : 'declined';
  const sum = await sumOf(tool, args, session);
  if (sum === undefined || !(await isLarge(sum, session))) return 'go on';
  const message = `The agent wants to ${verbOf(tool)} ${readable(sum.amount, sum.currency)}${accountsOf(args)}. Go on?`;
  const requestedSchema = {
    type: 'object' as const,
    required: ['pay'],
    properties: { pay: { type: 'boolean' as const, title: 'Go on with this payment' } },
  };
  return inputRequired({ inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) } });
}

/** Whether a tool starts an action of the agent that moves money. */
export function beginsPayment({ record, annotations, path }: McpTool): boolean {
  return record === 'AgentAction' && !annotations.readOnlyHint && path.startsWith('/agents/me');
}

function canAsk(context: ServerContext, capabilities: ClientCapabilities | undefined): boolean {
  const envelope = context.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const said = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? capabilities;
  const { elicitation } = said ?? {};
  // Without a mode the client supports forms: there was no other mode before.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The amount that a call moves. @returns undefined if it can't be read; the call itself then reports why */
async function sumOf(
  { name }: McpTool,
  args: Readonly<Record<string, unknown>>,
  { service }: AgentSession,
): Promise<Sum | undefined> {
  const read = async (address: string): Promise<unknown> => {
    const answered = await service.ask({ surface: 'interface', method: 'GET', address }).catch(() => undefined);
    return answered?.status === 200 ? answered.body : undefined;
  };
  if (name === 'executeAgentQuote') {
    const quote = (await read(`/agents/me/quotes/${encodeURIComponent(String(args['quoteId']))}`)) as Quote | undefined;
    return quote && { amount: quote.totalSendingAmount, currency: quote.sendingCurrency.code };
  }
  const own = args[name === 'createAgentTransferOut' ? 'source' : 'destination'] as { accountId?: string } | undefined;
  const list = (await read('/agents/me/internal-accounts?limit=100')) as InternalAccountList | undefined;
  const account = list?.data.find(({ id }) => id === own?.accountId);
  const { amount } = args;
  return account && typeof amount === 'number' ? { amount, currency: account.balance.currency.code } : undefined;
}

/** An amount in a currency other than the threshold's counts as large, because the rate isn't known here. */
async function isLarge({ amount, currency }: Sum, session: AgentSession): Promise<boolean> {
  const { askAbove, service } = session;
  const answered = await service
    .ask({ surface: 'interface', method: 'GET', address: '/agents/me' })
    .catch(() => undefined);
  if (answered?.status !== 200) return true;
  const { policy } = answered.body as Agent;
  const threshold =
    typeof askAbove === 'number'
      ? { amount: askAbove, currency: policy.spendingLimits.currency }
      : policy.approvalThresholds;
  if (threshold === undefined) return false;
  return currency !== threshold.currency || amount > threshold.amount;
}

function verbOf({ name }: McpTool): string {
  return name === 'createAgentTransferIn' ? 'collect' : 'pay';
}

function accountsOf({ source, destination, quoteId }: Readonly<Record<string, unknown>>): string {
  if (typeof quoteId === 'string') return ` with ${quoteId.slice(0, 80)}`;
  const id = (side: unknown): string => String((side as { accountId?: unknown })?.accountId).slice(0, 80);
  return ` from ${id(source)} to ${id(destination)}`;
}
