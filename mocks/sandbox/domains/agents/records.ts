import type {
  Agent,
  AgentAction,
  AgentActionFailure,
  AgentExecutionMode,
  AgentPermission,
  AgentPolicy,
  AgentTransferDetails,
  TransferInRequest,
  TransferOutRequest,
} from '../../../../generated/types.ts';
import { sha256Hex } from '../../node/machine/crypto.ts';
import type { Money } from '../../payments/money.ts';
import { firstRow, query } from '../../store/query.ts';
import { recordTable } from '../../store/records/table.ts';
import type { Reader } from '../../store/store.ts';
import { readStored } from '../../store/storedJson.ts';
import { platformOf } from '../../store/units/rows.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { quotes, viewQuote } from '../quotes/records.ts';
import { transactions, viewIncoming, viewOutgoing } from '../transfers/records.ts';

/** A stored policy. An absent limit doesn't limit anything (D78). */
export interface Policy {
  readonly permissions: readonly AgentPermission[];
  readonly defaultExecutionMode: AgentExecutionMode;
  readonly spendingLimits: AgentPolicy['spendingLimits'];
  readonly allowedAccountIds?: readonly string[] | undefined;
  readonly accountRules: readonly AccountRule[];
  readonly approvalThresholds?: Money | undefined;
}

/** The rules for one account. They replace those of the policy. */
export interface AccountRule {
  readonly accountId: string;
  readonly executionMode?: AgentExecutionMode;
  readonly perTransactionLimit?: number;
}

/** What was approved in one UTC day and one UTC month, in the currency of the policy's limits (D78). */
export interface Usage {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly dailyCount: number;
  readonly dailySpend: number;
  /** YYYY-MM. */
  readonly month: string;
  readonly monthlySpend: number;
}

/** A stored agent. Only the SHA-256 of its access token is stored, in hex (D11). */
export interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly customerId: string;
  readonly isPaused: boolean;
  readonly policy: Policy;
  readonly usage: Usage;
  /** Absent until a device code was redeemed. */
  readonly tokenHash?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type AgentColumn = 'customer_id' | 'is_paused' | 'is_connected' | 'created_at' | 'updated_at';

export const agents = recordTable<AgentRecord, AgentColumn>({
  name: 'agents',
  columns: (agent) => ({
    customer_id: agent.customerId,
    is_paused: String(agent.isPaused),
    is_connected: String(agent.tokenHash !== undefined),
    token_hash: agent.tokenHash ?? null,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  }),
  counted: ['*', 'customer_id'],
});

const byTokenHash = query<{ tokenHash: string }>((db, p) =>
  db.selectFrom('agents').select(['platform_id', 'body']).where('token_hash', '=', p.tokenHash),
);

/** The agent of an access token, on any platform. `tokenHash` is the token's SHA-256 in hex. */
export async function findAgentByToken(
  reader: Reader,
  tokenHash: string,
): Promise<{ platformId: string; actorId: string; customerId: string } | undefined> {
  const row = firstRow(await byTokenHash(reader, { tokenHash }));
  if (row === undefined) return undefined;
  const { id, customerId } = readStored<AgentRecord>(row, 'body', 'An agent');
  return { platformId: platformOf(String(row['platform_id'])), actorId: id, customerId };
}

/** A stored device code. Only the SHA-256 of the code is stored, in hex. */
export interface DeviceCodeRecord {
  readonly id: string;
  readonly agentId: string;
  readonly codeHash: string;
  readonly expiresAt: number;
  /** Why it ended, except by time. */
  readonly ended?: 'redeemed' | 'replaced';
}

export const deviceCodes = recordTable<DeviceCodeRecord, 'agent_id' | 'code_hash'>({
  name: 'device_codes',
  columns: (code) => ({ agent_id: code.agentId, code_hash: code.codeHash }),
});

const byCodeHash = query<{ codeHash: string }>((db, p) =>
  db.selectFrom('device_codes').select('platform_id').where('code_hash', '=', p.codeHash),
);

/** The platform of a device code. A redemption finds its platform with this. */
export function findPlatformByCode(reader: Reader, code: string): Promise<string | undefined> {
  return findPlatformByHash(reader, hashCode(code));
}

/** The same with the stored hash of the code. */
export async function findPlatformByHash(reader: Reader, codeHash: string): Promise<string | undefined> {
  const row = firstRow(await byCodeHash(reader, { codeHash }));
  return row === undefined ? undefined : platformOf(String(row['platform_id']));
}

/**
 * Whether a code is of another platform, or of another agent of this unit. What the platform had before its content is
 * replaced doesn't count.
 */
export async function isCodeTaken(unit: Unit, codeHash: string): Promise<boolean> {
  if (await isCodeOfAnother(unit, codeHash)) return true;
  return (await deviceCodes.where(unit, 'code_hash', codeHash)).length > 0;
}

/** Whether a code is of another platform. */
export async function isCodeOfAnother(unit: Unit, codeHash: string): Promise<boolean> {
  const platformId = await findPlatformByHash(unit, codeHash);
  return platformId !== undefined && platformId !== unit.platformId;
}

/** Whether an access token is of an agent of another platform. */
export async function isTokenOfAnother(unit: Unit, tokenHash: string): Promise<boolean> {
  const found = await findAgentByToken(unit, tokenHash);
  return found !== undefined && found.platformId !== unit.platformId;
}

export function hashCode(code: string): string {
  return sha256Hex(code);
}

/** What an agent requested, unchanged: an approval checks it again. */
export type ActionRequest =
  | { readonly type: 'EXECUTE_QUOTE'; readonly quoteId: string }
  | { readonly type: 'TRANSFER_OUT'; readonly transfer: TransferOutRequest; readonly currency: string }
  | { readonly type: 'TRANSFER_IN'; readonly transfer: TransferInRequest; readonly currency: string };

/** A stored action. */
export interface ActionRecord {
  readonly id: string;
  readonly agentId: string;
  readonly customerId: string;
  readonly platformCustomerId: string;
  readonly status: AgentAction['status'];
  readonly request: ActionRequest;
  /** The debit of its source. This amount counts against the limits. */
  readonly sum: Money;
  readonly transactionId?: string;
  /** Why the action never started (D85). */
  readonly failure?: AgentActionFailure;
  /** When it was approved. Present while it counts against the limits (D78). */
  readonly countedAt?: number | undefined;
  readonly rejectionReason?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type ActionColumn =
  | 'agent_id'
  | 'customer_id'
  | 'status'
  | 'waiting_quote_id'
  | 'transaction_id'
  | 'counted_at'
  | 'created_at';

export const actions = recordTable<ActionRecord, ActionColumn>({
  name: 'agent_actions',
  columns: (action) => ({
    agent_id: action.agentId,
    customer_id: action.customerId,
    status: action.status,
    waiting_quote_id:
      action.status === 'PENDING_APPROVAL' && action.request.type === 'EXECUTE_QUOTE' ? action.request.quoteId : null,
    transaction_id: action.transactionId ?? null,
    counted_at: action.countedAt ?? null,
    created_at: action.createdAt,
  }),
  counted: [
    'agent_id',
    'status',
    ['agent_id', 'status'],
    ['customer_id', 'status'],
    ['agent_id', 'customer_id', 'status'],
  ],
});

/** The policy as the contract shows it. */
export function viewPolicy(policy: Policy): AgentPolicy {
  const { allowedAccountIds, accountRules, approvalThresholds } = policy;
  const isRestricted = allowedAccountIds !== undefined || accountRules.length > 0;
  return {
    permissions: [...policy.permissions],
    defaultExecutionMode: policy.defaultExecutionMode,
    spendingLimits: { ...policy.spendingLimits },
    ...(isRestricted
      ? {
          accountRestrictions: {
            ...(allowedAccountIds === undefined ? {} : { allowedAccountIds: [...allowedAccountIds] }),
            accountRules: accountRules.map((rule) => ({ ...rule })),
          },
        }
      : {}),
    ...(approvalThresholds === undefined ? {} : { approvalThresholds: { ...approvalThresholds } }),
  };
}

/** The agent as the contract shows it. `usage` is that of the current day and month. */
export function viewAgent(agent: AgentRecord, usage: Usage): Agent {
  return {
    id: agent.id,
    name: agent.name,
    customerId: agent.customerId,
    isPaused: agent.isPaused,
    isConnected: agent.tokenHash !== undefined,
    policy: viewPolicy(agent.policy),
    usage: {
      dailyTransactionCount: usage.dailyCount,
      dailySpend: usage.dailySpend,
      dailyResetDate: nextDay(usage.day),
      monthlySpend: usage.monthlySpend,
      monthlyResetMonth: nextMonth(usage.month),
    },
    createdAt: toTimestamp(agent.createdAt),
    updatedAt: toTimestamp(agent.updatedAt),
  };
}

/** When the counters of a UTC day restart (D78). */
function nextDay(day: string): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + 1);
  return toTimestamp(date.getTime()).slice(0, 10);
}

/** When the counters of a UTC month restart (D78). */
function nextMonth(month: string): string {
  const date = new Date(month);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return toTimestamp(date.getTime()).slice(0, 7);
}

/** The action as the contract shows it, with the current state of its quote and transaction. */
export async function showAction(unit: Unit, action: ActionRecord): Promise<AgentAction> {
  const { request, transactionId, failure, rejectionReason } = action;
  const shared = {
    id: action.id,
    agentId: action.agentId,
    customerId: action.customerId,
    platformCustomerId: action.platformCustomerId,
    status: action.status,
    ...given({ rejectionReason, failure }),
    createdAt: toTimestamp(action.createdAt),
    updatedAt: toTimestamp(action.updatedAt),
  };
  const transaction = transactionId === undefined ? undefined : await transactions.find(unit, transactionId);
  if (request.type === 'TRANSFER_IN') {
    const moved = transaction === undefined ? {} : { transaction: viewIncoming(transaction) };
    return { ...shared, type: request.type, transferDetails: viewDetails(request), ...moved };
  }
  const moved = transaction === undefined ? {} : { transaction: viewOutgoing(transaction) };
  if (request.type === 'TRANSFER_OUT') {
    return { ...shared, type: request.type, transferDetails: viewDetails(request), ...moved };
  }
  const quote = await quotes.find(unit, request.quoteId);
  if (quote === undefined) throw new Error(`The quote ${request.quoteId} of ${action.id} is gone`);
  return { ...shared, type: request.type, quote: viewQuote(quote), ...moved };
}

function viewDetails({ transfer, currency }: Exclude<ActionRequest, { type: 'EXECUTE_QUOTE' }>): AgentTransferDetails {
  return {
    amount: transfer.amount,
    currency,
    sourceAccountId: transfer.source.accountId,
    destinationAccountId: transfer.destination.accountId,
  };
}
