/**
 * Explains refusals: what was refused, why, what is left, and what to do. The text never suggests trying a smaller
 * part.
 */
import type { Agent } from '../generated/types.ts';
import { readable } from './amounts.ts';
import { quoteMessage, tame } from './foreignText.ts';

/** The fields of an error of the interface. Each may be absent. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly reason: string | undefined;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** What is known about the call that was refused. */
export interface Known {
  /** The agent as it is now; undefined if it can't be read. */
  readonly agent: Agent | undefined;
  /** Whether this session has already reported that the agent is paused. */
  readonly wasToldOfPause: boolean;
  /** The payment's name in this call. */
  readonly paymentKey: string | undefined;
  /** Whether this is the stored answer of an earlier call. */
  readonly isReplay: boolean;
}

/** Reads an error's body. A body of another form gives an empty result. */
export function readRefusal(body: unknown): Refusal {
  const { code, message, reason, details } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const { errors } = (typeof details === 'object' && details !== null ? details : {}) as Record<string, unknown>;
  const faults = Array.isArray(errors) ? errors.slice(0, 10) : [];
  return {
    code: word(code) ?? 'UNKNOWN',
    message: typeof message === 'string' ? message : '',
    reason: word(reason),
    faults: faults.map((one) => ({ pointer: text(one?.pointer), message: text(one?.message) })),
  };
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z_.]{1,60}$/.test(value) ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? tame(value) : '';
}

/** Writes the text of a refusal for the model. */
export function explainRefusal(status: number, refusal: Refusal, known: Known): string {
  const { code, message, reason, faults } = refusal;
  const named = reason === undefined ? code : `${code} (${reason})`;
  const head = `Refused: ${status} ${named}. Nothing has moved by this call.`;
  const told = message === '' ? [] : [`The service says: ${quoteMessage(message)}`];
  const where = faults.map((fault) => `- ${fault.pointer === '' ? '/' : fault.pointer}: ${fault.message}`);
  return [head, ...told, ...where, ...advise(status, refusal, known), ...aboutKey(known)].join('\n');
}

function advise(status: number, { code, reason, faults }: Refusal, known: Known): string[] {
  switch (code) {
    case 'POLICY_VIOLATION':
      return explainLimit(reason, known.agent);
    case 'AGENT_PAUSED':
      return known.wasToldOfPause
        ? ['The agent is still paused. Start nothing until the user says that the platform has let it go on.']
        : [
            "The platform has paused this agent. It can read, but it can't start anything until the platform resumes it.",
            'Tell the user so, and do not try again by yourself.',
          ];
    case 'FORBIDDEN':
      return ['Only the platform can give the permission. Tell the user which one is missing.'];
    case 'UNAUTHORIZED':
      return [
        'The access token, or the signature that was sent, does not count.',
        "If it is the token: ask the user for a new device code of the platform and start countersign mcp with it. If a wallet pays: its owner must sign the quote's payloadToSign, and the signature is serviceWalletSignature.",
      ];
    case 'WALLET_SIGNATURE_MISSING':
      return [
        "A wallet pays this quote. Its owner must sign the quote's payloadToSign; send it as serviceWalletSignature.",
      ];
    case 'IDEMPOTENCY_KEY_REUSED':
      return ['This paymentKey names another payment already. Use a new one for a payment that is another.'];
    case 'QUOTE_EXPIRED':
      return ['A quote is good for five minutes. Make a new one, and show the user its price before you execute it.'];
    case 'INVALID_INPUT':
      return faults.some(({ pointer }) => pointer.startsWith('/accountInfo'))
        ? ['describe_account_type returns the fields of an account type.']
        : [];
    default:
      return status >= 500 || status === 429
        ? ['Call again later with the same arguments. With the same paymentKey a payment is made once.']
        : [];
  }
}

/** Explains a limit: how much of it is left, and why a smaller part doesn't help. */
function explainLimit(reason: string | undefined, agent: Agent | undefined): string[] {
  if (agent === undefined) return [noSplitting, tellUser];
  const { policy, usage } = agent;
  const { currency, perTransactionLimit, dailyLimit, dailyTransactionLimit, monthlyLimit } = policy.spendingLimits;
  const say = (amount: number): string => readable(amount, currency);
  const left = (limit: number, used: number): string => say(Math.max(0, limit - used));
  const today = `${say(usage.dailySpend)} has moved today (UTC)`;
  const month = `${say(usage.monthlySpend)} has moved this month (UTC)`;
  const lines = [
    `At once: at most ${say(perTransactionLimit)}${reason === 'accountRules.perTransactionLimit' ? ', and less for this account' : ''}.`,
    dailyLimit === undefined
      ? `Today: no limit of the sum. ${today}.`
      : `Today: at most ${say(dailyLimit)}. ${today}, ${left(dailyLimit, usage.dailySpend)} is left. It starts again at ${usage.dailyResetDate} 00:00 UTC.`,
    ...(dailyTransactionLimit === undefined
      ? []
      : [
          `Today: at most ${dailyTransactionLimit} actions. ${usage.dailyTransactionCount} were approved, ${Math.max(0, dailyTransactionLimit - usage.dailyTransactionCount)} are left. It starts again at ${usage.dailyResetDate} 00:00 UTC.`,
        ]),
    monthlyLimit === undefined
      ? `This month: no limit of the sum. ${month}.`
      : `This month: at most ${say(monthlyLimit)}. ${month}, ${left(monthlyLimit, usage.monthlySpend)} is left. It starts again at ${usage.monthlyResetMonth}-01 00:00 UTC.`,
  ];
  if (reason === 'allowedAccountIds') {
    const allowed = policy.accountRestrictions?.allowedAccountIds ?? [];
    return [`Own accounts that the policy allows: ${allowed.slice(0, 20).map(text).join(', ') || 'none'}.`, tellUser];
  }
  return [...lines, splitting(agent), tellUser];
}

const noSplitting = 'Do not split the payment: the limit is meant for the whole of it.';
const tellUser = 'Tell the user. Only the platform can change the policy.';

function splitting({ policy }: Agent): string {
  const { dailyLimit, currency, monthlyLimit } = policy.spendingLimits;
  const whole = dailyLimit ?? monthlyLimit;
  const parts = [
    ...(whole === undefined
      ? []
      : [
          `its parts count together against ${readable(whole, currency)} ${dailyLimit === undefined ? 'a month' : 'a day'}`,
        ]),
    ...(policy.defaultExecutionMode === 'APPROVAL_REQUIRED'
      ? ['each of them waits for approval']
      : policy.approvalThresholds === undefined
        ? []
        : [
            `each above ${readable(policy.approvalThresholds.amount, policy.approvalThresholds.currency)} waits for approval`,
          ]),
  ];
  return parts.length === 0 ? noSplitting : `${noSplitting.slice(0, -1)}, and ${parts.join(', and ')}.`;
}

function aboutKey({ paymentKey, isReplay }: Known): string[] {
  if (paymentKey === undefined) return [];
  const key = JSON.stringify(paymentKey);
  if (isReplay) {
    return [
      `This is the kept answer of an earlier call with the paymentKey ${key}. Once the cause is mended, use a new one.`,
    ];
  }
  return [`paymentKey: ${key}. The refusal of an operation is kept with it: once the cause is mended, use a new one.`];
}
