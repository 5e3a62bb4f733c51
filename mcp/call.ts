/**
 * Carries out a call of a tool: turns arguments into a request, and the reply into an output or a refusal that
 * explains.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpTool } from '../generated/mcpTools.ts';
import { tame } from './foreignText.ts';
import { idempotencyKeyOf, newPaymentKey } from './identity.ts';
import { type Output, projectReply, UnreadableReply } from './project.ts';
import { explainRefusal, readRefusal } from './refusals.ts';
import { uriOfReply } from './resources.ts';
import { sayOutput } from './say.ts';
import { type Answered, type Asked, NoAnswer } from './service.ts';
import { type AgentSession, readAgent } from './session.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Never rejects because of what was sent or answered: that is a result too. */
export async function callTool(
  tool: McpTool,
  args: Arguments,
  session: AgentSession,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const request = readArguments(tool, args);
  if (typeof request === 'string') return refused(request);
  const paymentKey = tool.idempotent ? readKey(args['paymentKey']) : undefined;
  if (paymentKey === null) return refused('paymentKey is a text of 1 to 200 characters.');
  const keyed = paymentKey === undefined ? {} : { 'Idempotency-Key': await idempotencyKeyOf(paymentKey) };
  let answered: Answered;
  try {
    answered = await session.service.ask({
      ...request,
      headers: { ...request.headers, ...keyed },
      // A payment is made even if the caller goes away.
      signal: tool.annotations.readOnlyHint ? signal : undefined,
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return refused(lost(tool, paymentKey));
  }
  return answered.status === tool.status
    ? succeed(tool, answered, { session, args, paymentKey })
    : explain(answered, session, paymentKey);
}

interface Called {
  readonly session: AgentSession;
  readonly args: Arguments;
  readonly paymentKey: string | undefined;
}

function succeed(tool: McpTool, { body, isReplay }: Answered, { session, args, paymentKey }: Called): CallToolResult {
  try {
    const output = projectReply(tool, body, paymentKey === undefined ? {} : { paymentKey, replayed: isReplay });
    if (tool.record === 'Agent' && output['isPaused'] === false) session.memory.wasToldOfPause = false;
    return {
      structuredContent: { ...output },
      content: [{ type: 'text', text: sayOutput(tool, output) }, ...linkTo(tool, args, output)],
    };
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error;
    const done = tool.annotations.readOnlyHint ? '' : ` It was carried out. ${repeatWith(paymentKey)}`;
    return refused(`${error.message}${done}`);
  }
}

function linkTo(tool: McpTool, args: Arguments, output: Output): NonNullable<CallToolResult['content']> {
  const uri = uriOfReply(tool, args, output);
  if (uri === undefined) return [];
  return [{ type: 'resource_link', uri, name: 'The whole reply', mimeType: 'application/json' }];
}

async function explain(
  { status, body, isReplay }: Answered,
  session: AgentSession,
  paymentKey: string | undefined,
): Promise<CallToolResult> {
  const refusal = readRefusal(body);
  const agent = refusal.code === 'POLICY_VIOLATION' ? await readAgent(session) : undefined;
  const { wasToldOfPause } = session.memory;
  if (refusal.code === 'AGENT_PAUSED') session.memory.wasToldOfPause = true;
  return refused(explainRefusal(status, refusal, { agent, wasToldOfPause, paymentKey, isReplay }));
}

/** Explains that the outcome is unknown, and how to find out without paying twice. */
function lost(tool: McpTool, paymentKey: string | undefined): string {
  if (tool.annotations.readOnlyHint) return 'No answer has come. Call again.';
  const unknown = 'No answer has come, so it is unknown whether this was carried out.';
  return paymentKey === undefined
    ? `${unknown} Look first, before you call again.`
    : `${unknown} ${repeatWith(paymentKey)}`;
}

function repeatWith(paymentKey: string | undefined): string {
  if (paymentKey === undefined) return 'Look first, before you call again.';
  return `Call again with the same arguments and paymentKey ${JSON.stringify(paymentKey)}: then it is made once, and you get its answer.`;
}

/** An error result with this text for the model. */
export function refused(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Reads the `paymentKey` argument, or makes one if it is absent. @returns null if it isn't valid */
function readKey(given: unknown): string | null {
  if (given === undefined) return newPaymentKey();
  return typeof given === 'string' && given.length >= 1 && given.length <= 200 ? given : null;
}

/** Reads the arguments. @returns the request, or what is wrong. The service checks the values. */
function readArguments(tool: McpTool, args: Arguments): Asked | string {
  const { inputs, inputSchema, method, path, surface, idempotent } = tool;
  const names = [...Object.keys(inputs), ...(idempotent ? ['paymentKey'] : [])];
  const unknown = Object.keys(args).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const takes = names.length === 0 ? 'no arguments' : names.join(', ');
    return `${tool.name} has no argument ${unknown
      .slice(0, 5)
      .map((name) => JSON.stringify(tame(name, 60)))
      .join(', ')}. It takes ${takes}.`;
  }
  const given = Object.entries(inputs).filter(([name]) => args[name] !== undefined);
  const needed = ((inputSchema['required'] ?? []) as string[]).filter((name) => name !== 'paymentKey');
  const missing = needed.filter((name) => args[name] === undefined);
  if (missing.length > 0) return `${tool.name} needs ${missing.join(', ')}.`;
  let address = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, { in: place, name: target }] of given) {
    const value = args[name];
    if (place === 'body') {
      body[target] = value;
      continue;
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) return `${name} is a single value.`;
    const text = String(value);
    // An empty segment or one of dots would lead to another path.
    if (place === 'path' && /^\.{0,2}$/.test(text)) return `${name} is an id.`;
    if (place === 'header' && !/^[\x21-\x7e]{1,4000}$/.test(text))
      return `${name} is a text without spaces and line ends.`;
    if (!text.isWellFormed()) return `${name} is not text.`;
    if (place === 'path') address = address.replace(`{${target}}`, () => encodeURIComponent(text));
    else if (place === 'query') query.append(target, text);
    else headers[target] = text;
  }
  const hasBody = Object.values(inputs).some(({ in: place }) => place === 'body');
  return {
    surface,
    method,
    address: query.size === 0 ? address : `${address}?${query}`,
    headers,
    ...(hasBody ? { body } : {}),
  };
}
