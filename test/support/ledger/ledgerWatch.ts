/**
 * Watches a sandbox's requests and replies, and notes the names of the contract in them (ledgerNames.ts).
 *
 * A property or parameter of a request must be sent in a request that succeeds, and must be answered:
 * - A property of a body is answered if this or a later reply of the same platform has a property with the same name
 *   and an equal value. An object is answered through its inner properties.
 * - A query parameter is answered if two requests of the same caller differ only in it, nothing has changed between
 *   them, and they get different replies.
 * - The path and its ids are answered by the 404 that the ledger of codes requires.
 *
 * Other ways to be answered are listed in ledgerExceptions.ts.
 *
 * It can't tell whether an equal value came back by chance: for a flag or a currency that a reply always has, it only
 * sees that the reply has it. It reliably finds properties that nobody sends, properties that no reply has, and
 * parameters that a filter ignores.
 */
import type { Handlers } from '../../../mocks/sandbox/domains/operation.ts';
import { Problem } from '../../../mocks/sandbox/tools/problem.ts';
import type { Answerable, Field, LedgerNames, Outline } from './ledgerNames.ts';

/** A watched sandbox. */
export interface Watched {
  /** The handlers, wrapped so that each call is noted. */
  readonly handlers: Handlers;
  /** Call this after a change that no handler sees: replies before and after it may differ for that reason. */
  changed(): void;
}

/** Is called with each name that was seen, possibly several times. */
type See = (key: string) => void;

/** What was sent to and returned by one platform. */
interface Traces {
  /** Sent values that have not come back: by name, then by value. */
  readonly sent: Map<string, Map<string, Set<Answerable>>>;
  /** For each request without one of its parameters: the first reply, and the parameter's value. */
  readonly replies: Map<string, { readonly value: string; readonly reply: string }>;
}

/** Wraps the handlers of a sandbox so that their calls are noted. */
export function watchHandlers(names: LedgerNames, handlers: Handlers, see: See): Watched {
  const platforms = new Map<string, Traces>();
  const tracesOf = (platformId: string): Traces => {
    let traces = platforms.get(platformId);
    if (traces === undefined) {
      traces = { sent: new Map(), replies: new Map() };
      platforms.set(platformId, traces);
    }
    return traces;
  };
  const changed = (): void => {
    for (const { replies } of platforms.values()) replies.clear();
  };
  const look = (call: AnyCall, reply: AnyReply | Problem): void => {
    const traces = tracesOf(call.requester.platformId);
    if (call.operation.method === 'GET') compareReplies(names, call, reply, traces, see);
    else changed();
    if (reply instanceof Problem) return;
    seeRequest(names, call, traces.sent, see);
    seeReply(names.reply(call.operation.id, reply.status), reply.body, see);
    findAnswers(reply.body, traces.sent, see);
  };
  const watch = (handle: AnyHandle): AnyHandle => {
    return async (call, unit, prepared) => {
      let reply: AnyReply | Problem;
      try {
        reply = await handle(call, unit, prepared);
      } catch (error) {
        if (error instanceof Problem) look(call, error);
        throw error;
      }
      look(call, reply);
      return reply;
    };
  };
  const watched = Object.entries(handlers).map(([id, handler]) => {
    const { handle } = handler as unknown as { readonly handle: AnyHandle };
    return [id, { ...handler, handle: watch(handle) }];
  });
  return { handlers: Object.fromEntries(watched) as Handlers, changed };
}

type AnyHandle = (call: AnyCall, unit: unknown, prepared: unknown) => Promise<AnyReply | Problem>;

type Values = Readonly<Record<string, unknown>>;

/** The parts of an operation's call that are read here. */
interface AnyCall {
  readonly operation: { readonly id: string; readonly method: string };
  readonly requester: { readonly platformId: string; readonly actorId: string };
  readonly path: Values;
  readonly query: Values;
  readonly headers: Values;
  readonly body: unknown;
}

interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
}

/** Notes the names in the body of a reply. */
export function seeReply(outline: Outline | undefined, body: unknown, see: See): void {
  if (outline !== undefined && body !== undefined) visit(outline, body, see, () => {});
}

function seeRequest(names: LedgerNames, call: AnyCall, sent: Traces['sent'], see: See): void {
  const outlines = names.request(call.operation.id);
  if (outlines === undefined) return;
  visit(outlines.path, call.path, see, () => {});
  visit(outlines.query, call.query, see, () => {});
  visit(outlines.headers, call.headers, see, () => {});
  if (outlines.body === undefined || call.body === undefined) return;
  visit(outlines.body, call.body, see, ({ name, answer }, value) => {
    if (answer === undefined || answer.isSeen || !answer.canComeBack || value === null) return;
    remember(sent, name, canonical(value), answer);
  });
}

/** The most values kept per name. A name whose values never come back would collect more and more. */
const mostWaiting = 64;

function remember(sent: Traces['sent'], name: string, value: string, answer: Answerable): void {
  const values = sent.get(name) ?? new Map<string, Set<Answerable>>();
  sent.set(name, values);
  const waiting = values.get(value);
  if (waiting !== undefined) waiting.add(answer);
  else if (values.size < mostWaiting) values.set(value, new Set([answer]));
}

/** Finds values in a reply that were sent before. */
function findAnswers(value: unknown, sent: Traces['sent'], see: See): void {
  if (sent.size === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) findAnswers(item, sent, see);
    return;
  }
  for (const [name, one] of Object.entries(value)) {
    const values = sent.get(name);
    const text = values === undefined ? '' : canonical(one);
    for (const answer of values?.get(text) ?? []) {
      answer.isSeen = true;
      see(answer.key);
    }
    values?.delete(text);
    if (values?.size === 0) sent.delete(name);
    findAnswers(one, sent, see);
  }
}

/** Compares two requests that differ in one parameter. If their replies differ, the parameter has an effect. */
function compareReplies(names: LedgerNames, call: AnyCall, reply: AnyReply | Problem, traces: Traces, see: See): void {
  const open = (names.request(call.operation.id)?.filters ?? []).filter(({ answer }) => !answer.isSeen);
  if (open.length === 0) return;
  const text = reply instanceof Problem ? reply.code : JSON.stringify(reply.body);
  for (const { name, answer } of open) {
    const { [name]: given, ...others } = call.query;
    const request = JSON.stringify([call.operation.id, call.requester.actorId, name, call.path, others]);
    const value = JSON.stringify(given) ?? '';
    const known = traces.replies.get(request);
    if (known === undefined) traces.replies.set(request, { value, reply: text });
    else if (known.value !== value && known.reply !== text) {
      answer.isSeen = true;
      see(answer.key);
    }
  }
}

/** Notes the names of an outline that a value has. `onSent` is called for each property that must still be answered. */
function visit(outline: Outline, value: unknown, see: See, onSent: (field: Field, value: unknown) => void): void {
  if (outline.isDone) return;
  const key = outline.values.get(value);
  if (key !== undefined) {
    see(key);
    outline.values.delete(value);
  }
  if (Array.isArray(value)) {
    if (outline.items !== undefined) for (const item of value) visit(outline.items, item, see, onSent);
  } else if (typeof value === 'object' && value !== null) {
    visitFields(outline, value as Values, see, onSent);
    for (const part of outline.parts) visit(part, value, see, onSent);
    const member = outline.choose?.(value as Values);
    if (member !== undefined) visit(member, value, see, onSent);
  }
  outline.isDone =
    outline.values.size + outline.fields.length === 0 &&
    outline.items?.isDone !== false &&
    outline.parts.every(({ isDone }) => isDone) &&
    outline.members.every(({ isDone }) => isDone);
}

function visitFields(outline: Outline, value: Values, see: See, onSent: (field: Field, value: unknown) => void): void {
  let hasDone = false;
  for (const field of outline.fields) {
    const one = value[field.name];
    if (one === undefined) continue;
    if (!field.isSeen) {
      field.isSeen = true;
      see(field.key);
    }
    onSent(field, one);
    visit(field.outline, one, see, onSent);
    hasDone ||= isDone(field);
  }
  if (hasDone) outline.fields = outline.fields.filter((field) => !isDone(field));
}

function isDone({ isSeen, outline, answer }: Field): boolean {
  return isSeen && outline.isDone && (answer === undefined || answer.isSeen || !answer.canComeBack);
}

/** A text that is equal for equal values; the order of a list doesn't matter. */
function canonical(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value);
}
