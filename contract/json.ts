import { type JsonBounds, maxFaults } from './bounds.ts';
import type { Fault, FoundFault } from './faults.ts';
import { endOfNumber, isKept } from './numbers.ts';
import { pointerSegment } from './pointer.ts';

/** What a text says, or why it is not taken. */
export type JsonReading = { readonly value: unknown } | { readonly faults: readonly FoundFault[] };

/** A parsed text, and what in it isn't read as it is written. */
export interface ParsedJson {
  readonly value: unknown;
  /** Numbers that a double doesn't keep (D08), strings that aren't text (D51). */
  readonly unkept: readonly FoundFault[];
}

/**
 * Reads a JSON text that comes from outside. Whatever is read here can be stored, hashed and sent again as the same: its
 * numbers are finite and the ones that were written (D08), its strings are text (D51). Anything else is a fault: text that
 * is not JSON or is too unwieldy, a number that a double doesn't keep, NUL and unpaired surrogates.
 */
export function readJson(text: string, bounds: JsonBounds): JsonReading {
  const reading = parseJson(text, bounds);
  if ('faults' in reading) return reading;
  return reading.unkept.length === 0 ? { value: reading.value } : { faults: reading.unkept };
}

/** Parses a JSON text within the bounds: for a caller that judges it and passes nothing on. */
export function parseJson(text: string, bounds: JsonBounds): ParsedJson | { readonly faults: readonly FoundFault[] } {
  const { isExact, excess } = scan(text, bounds);
  if (excess !== undefined) return notJson(excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return notJson(`is not valid JSON${whereIn(error)}`);
  }
  const unstorable = findUnstorable(text, value);
  if (unstorable !== undefined) return { value, unkept: [unkept(unstorable)] };
  return { value, unkept: isExact ? none : findInexact(text, value).slice(0, maxFaults).map(unkept) };
}

const none: readonly FoundFault[] = [];

function notJson(message: string): { readonly faults: readonly FoundFault[] } {
  return { faults: [{ ...wholeBody(message), rule: 'not-json' }] };
}

function unkept(fault: Fault): FoundFault {
  return { ...fault, rule: 'unkept-value' };
}

function wholeBody(message: string): Fault {
  return { in: 'body', pointer: '', message };
}

/**
 * Looks at the text before anything that recurses or compares pairs sees the value: no body of a million brackets may end
 * the stack, none of a million numbers hold up everybody. In text that isn't JSON the counts may be off, and the parser then
 * says so.
 * @returns whether every number is one that is kept as it is written, and what goes beyond the bounds.
 */
function scan(text: string, bounds: JsonBounds): { readonly isExact: boolean; readonly excess?: string } {
  let depth = 0;
  let values = 1;
  let inString = false;
  let isExact = true;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === signs.quote) inString = !inString;
    else if (inString) index += character === signs.backslash ? 1 : 0;
    else if (character === signs.openList || character === signs.openObject) depth += 1;
    else if (character === signs.closeList || character === signs.closeObject) depth -= 1;
    else if (character === signs.comma) values += 1;
    else if (character >= signs.zero && character <= signs.nine) {
      const end = endOfNumber(text, index);
      isExact &&= isKept(text.slice(index, end));
      index = end - 1;
    }
    if (depth > bounds.depth) return { isExact, excess: `is nested more than ${bounds.depth} levels deep` };
    if (values > bounds.values) return { isExact, excess: `holds more than ${bounds.values} values` };
  }
  return { isExact };
}

const signs = {
  quote: 0x22,
  comma: 0x2c,
  zero: 0x30,
  nine: 0x39,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/**
 * Each number that is not kept. Another one than was sent would be taken for it, perhaps a whole one for a fraction (D08),
 * or one that no JSON can say: 1e400 is read as Infinity.
 */
function findInexact(text: string, value: unknown): Fault[] {
  const found = new Map<object, Map<string, string>>();
  const note = function (this: object, key: string, inside: unknown, { source }: { source?: string }): unknown {
    if (typeof inside === 'number' && source !== undefined && !isKept(source)) {
      const ofHolder = found.get(this) ?? new Map<string, string>();
      found.set(this, ofHolder.set(key, source));
    }
    return inside;
  };
  const read = JSON.parse(text, note as Parameters<typeof JSON.parse>[1]) as unknown;
  const faults: Fault[] = [];
  for (const { pointer, key, holder } of walk(read)) {
    const source = found.get(holder)?.get(key);
    if (source !== undefined) faults.push({ in: 'body', pointer, message: describeInexact(Number(source)) });
  }
  if (faults.length > 0) return faults;
  // A number alone, or one that a later field of the same name has replaced.
  return [wholeBody(typeof value === 'number' ? describeInexact(value) : 'holds a number that can not be kept')];
}

function describeInexact(value: number): string {
  if (!Number.isFinite(value)) return 'is a number too large to be kept';
  return value === 0 ? 'is a number too small to be kept' : 'is a number with more digits than can be kept exactly';
}

/** The position alone: the parser's own message quotes the body. */
function whereIn(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (at position ${position})`;
}

/**
 * The first string that is not text. NUL and unpaired surrogates can only come as escapes, and no store keeps them as they
 * are (D51); the walk is needed only where such an escape stands in the text.
 */
function findUnstorable(text: string, value: unknown): Fault | undefined {
  if (!/\\u(0000|[dD][89abAB])/.test(text) && !/\\u[dD][c-fC-F]/.test(text)) return undefined;
  const message = 'holds a NUL character or an unpaired surrogate, which is not text';
  if (!isText(value)) return wholeBody(message);
  for (const { pointer, holderPointer, key, child } of walk(value)) {
    // A key that isn't valid text can't be named in a reply.
    if (!isText(key)) return { in: 'body', pointer: holderPointer, message };
    if (!isText(child)) return { in: 'body', pointer, message };
  }
  return undefined;
}

/** Whether the value isn't a string, or is one that can be kept. */
function isText(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000'));
}

interface Place {
  readonly pointer: string;
  readonly holderPointer: string;
  readonly key: string;
  readonly holder: object;
  readonly child: unknown;
}

/** Every value inside. */
function* walk(value: unknown): Generator<Place> {
  const stack: [pointer: string, value: unknown][] = [['', value]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [holderPointer, holder] = next;
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [key, child] of Object.entries(holder)) {
      const pointer = `${holderPointer}/${pointerSegment(key)}`;
      yield { pointer, holderPointer, key, holder, child };
      stack.push([pointer, child]);
    }
  }
}
