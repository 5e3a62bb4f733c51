import { type JsonBounds, maxFaults } from './bounds.ts';
import type { Fault, FoundFault } from './faults.ts';
import { endOfNumber, isKept } from './numbers.ts';
import { pointerSegment } from './pointer.ts';

/** The value of a text, or why the text is refused. */
export type JsonReading = { readonly value: unknown } | { readonly faults: readonly FoundFault[] };

/** A parsed text, and its values that reading changes. */
export interface ParsedJson {
  readonly value: unknown;
  /** Numbers that a double can't hold (D08), strings that aren't text (D51). */
  readonly unkept: readonly FoundFault[];
}

/**
 * Reads a JSON text from outside. Its value can be stored, hashed and sent again unchanged: its numbers are finite and
 * exactly those that were written (D08), its strings are text (D51). Everything else is a fault: text that isn't JSON
 * or exceeds the limits, a number that a double can't hold, NUL and unpaired surrogates.
 */
export function readJson(text: string, bounds: JsonBounds): JsonReading {
  const reading = parseJson(text, bounds);
  if ('faults' in reading) return reading;
  return reading.unkept.length === 0 ? { value: reading.value } : { faults: reading.unkept };
}

/** Parses a JSON text within the limits, for a caller that judges it and passes nothing on. */
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
 * Scans the text before any recursive or quadratic code sees the value. A body of a million brackets must not overflow
 * the stack, and a body of a million numbers must not block other requests. If the text isn't JSON, the counts may be
 * wrong, and the parser then reports it.
 * @returns whether every number is kept exactly, and which limits are exceeded.
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
 * Finds each number that a double can't hold. Otherwise a different number would replace it, perhaps a whole number
 * instead of a fraction (D08), or one that JSON can't express: 1e400 is read as Infinity.
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
  // The number is the whole text, or a later field of the same name has replaced it.
  return [wholeBody(typeof value === 'number' ? describeInexact(value) : 'holds a number that can not be kept')];
}

/** What is wrong with a number that isn't kept, by the value that it would become. */
export function describeInexact(value: number): string {
  if (!Number.isFinite(value)) return 'is a number too large to be kept';
  return value === 0 ? 'is a number too small to be kept' : 'is a number with more digits than can be kept exactly';
}

/** Only the position, because the parser's own message quotes the body. */
function whereIn(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (at position ${position})`;
}

/**
 * Finds the first string that isn't text. NUL and unpaired surrogates can only appear as escapes, and no store keeps
 * them unchanged (D51). So the walk is needed only if the text has such an escape.
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

/** True if the value isn't a string, or is a string that can be kept. */
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

/** Every value inside a value. */
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
