/** Makes a tool's output from a reply by the tool's projection, and checks it against the tool's output schema. */
import { pointTo } from '../contract/pointer.ts';
import type { McpField, McpTool } from '../generated/mcpTools.ts';
import { showAmount } from './amounts.ts';
import type { Json } from './compact.ts';
import { tame } from './foreignText.ts';

/** A tool's output. Its properties are those of the output schema. */
export type Output = Readonly<Record<string, unknown>>;

/** The reply doesn't fit the contract, so nothing of it is shown. */
export class UnreadableReply extends Error {}

/**
 * Makes the output for the body of a successful reply.
 * @throws UnreadableReply for a body that the contract doesn't allow
 */
export function projectReply(tool: McpTool, body: unknown, more: Output = {}): Output {
  const output = { ...projectBody(tool, body), ...more };
  const fault = findFault(tool.outputSchema, output, '');
  if (fault !== undefined) throw new UnreadableReply(`The reply doesn't fit the contract at ${fault}.`);
  return output;
}

function projectBody({ shape, projection }: McpTool, body: unknown): Output {
  if (shape === 'none') return { done: true };
  if (typeof body !== 'object' || body === null) throw new UnreadableReply('The reply has no JSON object.');
  if (shape === 'whole' || projection === null) return body as Output;
  if (shape === 'one') return projectRecord(projection, body);
  const { data, hasMore, nextCursor, totalCount } = body as Output;
  if (!Array.isArray(data)) throw new UnreadableReply('The reply has no list.');
  const items = data.map((record) => projectRecord(projection, record));
  return { items, hasMore, ...(nextCursor === undefined ? {} : { nextCursor }), totalCount };
}

/** The fields of one record. Absent fields are left out. */
export function projectRecord(projection: Readonly<Record<string, McpField>>, record: unknown): Output {
  const fields = Object.entries(projection).map(([name, field]) => [name, fieldOf(field, record)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function fieldOf(field: McpField, record: unknown): unknown {
  const value = firstOf(record, field.at);
  switch (field.kind) {
    case 'value':
      return value;
    case 'text':
      return typeof value === 'string' ? { untrustedText: tame(value) } : undefined;
    case 'ending':
      return typeof value === 'string' ? `…${tame(value).slice(-4)}` : undefined;
    case 'money': {
      const currency = firstOf(record, field.currencyAt);
      return typeof value === 'number' && typeof currency === 'string' ? showAmount(value, currency) : undefined;
    }
  }
}

function firstOf(record: unknown, pointers: readonly string[]): unknown {
  for (const pointer of pointers) {
    const found = pointTo(record, pointer);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** Returns where a value doesn't fit. It handles only the few keywords that our own output schemas use. */
export function findFault(schema: Json, value: unknown, at: string): string | undefined {
  const { type, enum: words, maxLength, required, properties, items } = schema;
  if (!isOfType(type, value)) return at === '' ? '/' : at;
  if (Array.isArray(words) && !words.includes(value)) return at;
  if (typeof maxLength === 'number' && typeof value === 'string' && value.length > maxLength) return at;
  if (Array.isArray(value) && items !== undefined) {
    for (const [index, item] of value.entries()) {
      const fault = findFault(items as Json, item, `${at}/${index}`);
      if (fault !== undefined) return fault;
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const missing = ((required ?? []) as string[]).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}/${missing}`;
  for (const [name, one] of Object.entries((properties ?? {}) as Readonly<Record<string, Json>>)) {
    const held = (value as Output)[name];
    const fault = held === undefined ? undefined : findFault(one, held, `${at}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isOfType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(one, value));
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}
