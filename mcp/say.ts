/** Writes the short text beside a tool's structured output. It marks text from outside. */
import type { McpTool } from '../generated/mcpTools.ts';
import type { ShownAmount } from './amounts.ts';
import { quote } from './foreignText.ts';
import type { Output } from './project.ts';

/** The maximum number of list items that are shown. */
const maxLines = 25;
const longestValue = 200;

/** The text for a successful call. */
export function sayOutput(tool: McpTool, output: Output): string {
  const lines = tool.shape === 'page' ? sayPage(output) : [...sayVerdict(tool, output), sayRecord(output)];
  return [...lines, ...sayPayment(output)].join('\n');
}

function sayPage({ items, totalCount, hasMore, nextCursor }: Output): string[] {
  const records = items as readonly Output[];
  const shown = records.slice(0, maxLines).map((record) => `- ${sayRecord(record)}`);
  const rest = records.length > maxLines ? [`… and ${records.length - maxLines} more in the structured output`] : [];
  const next = hasMore === true ? [`There are more: cursor ${JSON.stringify(nextCursor)}`] : [];
  return [`${String(totalCount)} in all`, ...shown, ...rest, ...next];
}

/** Says how an action ended, and what to do now. */
function sayVerdict({ record }: McpTool, { id, status, amount }: Output): string[] {
  if (record !== 'AgentAction') return [];
  const sum = (amount as ShownAmount | undefined)?.readable ?? 'The payment';
  switch (status) {
    case 'APPROVED':
      return [`${sum}: approved, and it has begun.`];
    case 'PENDING_APPROVAL':
      return [
        `${sum}: waits for approval. A person at the platform decides; nothing has moved.`,
        `Tell the user, and look again with getAgentAction, actionId ${JSON.stringify(id)}. Do not submit it again.`,
      ];
    case 'REJECTED':
      return [`${sum}: the platform has rejected it; nothing has moved. Tell the user, and do not submit it again.`];
    default:
      return [`${sum}: failed. Nothing more happens by itself.`];
  }
}

function sayRecord(record: Output): string {
  return Object.entries(record)
    .filter(([name]) => name !== 'paymentKey' && name !== 'replayed')
    .map(([name, value]) => `${name}: ${sayValue(value)}`)
    .join('; ');
}

function sayValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  if ('readable' in value) return String(value.readable);
  if ('untrustedText' in value) return quote(String(value.untrustedText));
  const text = JSON.stringify(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}… (see the structured output)`;
}

function sayPayment({ paymentKey, replayed }: Output): string[] {
  if (paymentKey === undefined) return [];
  const key = `paymentKey: ${JSON.stringify(paymentKey)}.`;
  return replayed === true
    ? [`${key} This is the answer of an earlier call with it: nothing was started again. It may have changed since.`]
    : [`${key} To repeat this very call, use it again; another payment needs a new one.`];
}
