import { parse } from 'content-type';
import { pointerSegment } from '../kernel/pointer.ts';
import { invalid, Problem } from '../kernel/problem.ts';

/** The largest request body, in bytes. */
export const bodyLimit = 1024 * 1024;

/** How large a body may be. */
export interface BodyBounds {
  /** In bytes. */
  readonly size: number;
  /** How deep objects and arrays may stand in one another. */
  readonly depth: number;
  /** How many values it may hold in all. */
  readonly values: number;
}

/** What holds for every operation (D56). */
const contractBounds: BodyBounds = { size: bodyLimit, depth: 64, values: 10_000 };

/**
 * Reads a JSON body: bounded, UTF-8, and of JSON's media type.
 * @param note is told the bytes, whatever becomes of them.
 * @param bounds those of the contract when absent.
 * @returns undefined when there is none (no bytes), whatever the Content-Type says.
 * @throws Problem 413 beyond the bounds' size, 415 for another type or a content coding, 400 for what is not JSON or too
 * unwieldy.
 */
export async function readBody(
  request: Request,
  note?: (bytes: Uint8Array) => void,
  bounds: BodyBounds = contractBounds,
): Promise<unknown> {
  const bytes = await readBounded(request, bounds.size);
  note?.(bytes);
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid([{ in: 'body', pointer: '', message: 'is not valid UTF-8' }]);
  }
  refuseUnwieldy(text, bounds);
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid([{ in: 'body', pointer: '', message: `is not valid JSON${whereIn(error)}` }]);
  }
  refuseUnstorable(text, value);
  refuseRounded(text);
  return value;
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > limit) throw tooLarge(limit);
  let bytes: Uint8Array;
  try {
    // A stream per request costs as much as all the rest, so only a body of unknown length is read as one.
    bytes = announced === null ? await readStream(request, limit) : new Uint8Array(await request.arrayBuffer());
  } catch {
    // The client went away in the middle, which is no fault of ours; nobody will read the answer.
    throw invalid([{ in: 'body', pointer: '', message: 'ended before it was complete' }]);
  }
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

/** Stops soon after the limit. */
async function readStream(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `A request body may have at most ${limit} bytes.`);
}

function requireJson(headers: Headers): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    const message = 'Send the body as it is: no Content-Encoding is understood.';
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'Accept-Encoding': 'identity' } });
  }
  try {
    const { type, parameters } = parse(headers.get('content-type') ?? '');
    const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
    if (type === 'application/json' && charset === 'utf-8') return;
  } catch {
    // Not a media type at all: the same answer as for a wrong one.
  }
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json (UTF-8).');
}

/**
 * Counted on the text, before anything that recurses or compares pairs sees the value: no body of a million brackets may
 * end the stack, none of a million numbers hold up everybody. In what is no JSON the counts may be off, and the parser
 * then says so.
 * @throws Problem 400.
 */
function refuseUnwieldy(text: string, bounds: BodyBounds): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') inString = !inString;
    else if (inString) index += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') values += 1;
    if (depth > bounds.depth) throw unwieldy(`is nested more than ${bounds.depth} levels deep`);
    if (values > bounds.values) throw unwieldy(`holds more than ${bounds.values} values`);
  }
}

function unwieldy(message: string): Problem {
  return invalid([{ in: 'body', pointer: '', message }]);
}

/** The position alone: the parser's own message quotes the body. */
function whereIn(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (at position ${position})`;
}

/**
 * NUL and unpaired surrogates can only come as escapes, and no store keeps them as they are (D51); the walk is needed
 * only where such an escape stands in the text.
 * @throws Problem 400.
 */
function refuseUnstorable(text: string, value: unknown): void {
  if (!/\\u(0000|[dD][89abAB])/.test(text) && !/\\u[dD][c-fC-F]/.test(text)) return;
  const stack: [pointer: string, value: unknown][] = [['', value]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [pointer, node] = next;
    if (typeof node === 'string' && (node.includes('\u0000') || !node.isWellFormed())) {
      const message = 'holds a NUL character or an unpaired surrogate, which is not text';
      throw invalid([{ in: 'body', pointer, message }]);
    }
    if (typeof node === 'object' && node !== null) {
      for (const [key, child] of Object.entries(node)) {
        stack.push([`${pointer}/${pointerSegment(key)}`, child]);
        stack.push([pointer, key]);
      }
    }
  }
}

/**
 * A fraction with more digits than JSON.parse keeps would be another number than was sent, perhaps a whole one (D08).
 * Whole numbers that are too long fail their bounds by themselves.
 * @throws Problem 400.
 */
function refuseRounded(text: string): void {
  if (!/\d[\d.]{15,}/.test(text)) return;
  const check = (_key: string, value: unknown, { source }: { source?: string }): unknown => {
    if (typeof value === 'number' && source !== undefined && isRounded(source, value)) {
      throw invalid([{ in: 'body', pointer: '', message: 'has a number with more digits than can be kept exactly' }]);
    }
    return value;
  };
  JSON.parse(text, check as Parameters<typeof JSON.parse>[1]);
}

function isRounded(source: string, value: number): boolean {
  return !/^-?\d+$/.test(source) && significantDigits(source) !== significantDigits(value.toExponential());
}

/** Counted from the ends: a pattern for the zeros at the end would try each run of zeros anew, for minutes in a long number. */
function significantDigits(decimal: string): string {
  const digits = decimal.replace(/e.*$/i, '').replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}
