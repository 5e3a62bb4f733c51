/** Writes JSON and addresses with content that no JavaScript value has: numbers by their text, lone surrogates. */
import fc from 'fast-check';
import { pointerSegment } from '../../../contract/pointer.ts';
import type { Json } from './targets.ts';

/** Numbers that a double can't represent exactly. A body with one is refused (D08). */
export const unkeptNumbers: readonly string[] = [
  '1e400',
  '-1e400',
  '1e999999999',
  `1${'0'.repeat(309)}`,
  '1e-400',
  '-1e-999999999',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
];
/** Other numbers that look odd but are accepted. */
export const keptNumbers: readonly string[] = [
  '-0',
  '-0.0',
  '0e400',
  '0e-999999999',
  '1E+2',
  '1e300',
  '-1e300',
  '5e-324',
];
/** Strings that aren't valid text. */
export const brokenTexts: readonly string[] = ['\ud800', 'a\udc00', '\udc00\ud800', '\u0000'];

// Private-use characters, so that no other text begins and ends like this.
const [open, close] = ['\ue000', '\ue001'];
const form = /^\ue000(.*)\ue001$/;

/** A placeholder for a number that {@link writeJson} writes as this text. */
export function literal(text: string): string {
  return open + text + close;
}

/** The body's JSON text, with placeholders replaced. */
export function writeJson(body: Json): string {
  return JSON.stringify(body).replaceAll(/"\ue000([^"]*)\ue001"/g, '$1');
}

/** The value that a reader of {@link writeJson}'s text gets. */
export function readLiterals(body: Json): Json {
  if (typeof body === 'string') return form.test(body) ? Number(form.exec(body)?.[1]) : body;
  if (Array.isArray(body)) return body.map(readLiterals);
  if (typeof body !== 'object' || body === null) return body;
  // Defined, not assigned, because a field may be named __proto__.
  return Object.fromEntries(Object.entries(body).map(([name, inside]) => [name, readLiterals(inside)]));
}

/** Faults that are errors for every schema: pointers of numbers that aren't exact and strings that aren't text. */
export function literalFaults(body: Json, pointer = ''): string[] {
  if (typeof body === 'string') {
    const number = form.exec(body)?.[1];
    if (number !== undefined) return unkeptNumbers.includes(number) ? [`${pointer} is not kept`] : [];
    return isText(body) ? [] : [`${pointer} isn't text`];
  }
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, inside]) => {
    const below = `${pointer}/${pointerSegment(name)}`;
    return isText(name) ? literalFaults(inside as Json, below) : [`${pointer} isn't text`];
  });
}

export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Any of the odd values above. */
export const oddValues: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...unkeptNumbers.map(literal)),
  fc.constantFrom<Json>(...keptNumbers.map(literal)),
  fc.constantFrom<Json>(...brokenTexts),
);

/**
 * Every way to put a value into a body: instead of each value, at the end of each list, as a new field of each object.
 */
export function withEverywhere(body: Json, value: Json): { readonly pointer: string; readonly body: Json }[] {
  const replaced = { pointer: '', body: value };
  if (Array.isArray(body)) {
    const inside = body.flatMap((item, index) =>
      below(String(index), withEverywhere(item, value), (changed) => body.with(index, changed)),
    );
    return [replaced, ...inside, { pointer: `/${body.length}`, body: [...body, value] }];
  }
  if (typeof body !== 'object' || body === null) return [replaced];
  const inside = Object.entries(body).flatMap(([name, child]) =>
    below(name, withEverywhere(child, value), (changed) => ({ ...body, [name]: changed })),
  );
  return [replaced, ...inside, { pointer: '/surprise', body: { ...body, surprise: value } }];
}

type Placed = ReturnType<typeof withEverywhere>;

function below(name: string, placed: Placed, put: (changed: Json) => Json): Placed {
  return placed.map(({ pointer, body }) => ({
    pointer: `/${pointerSegment(name)}${pointer}`,
    body: put(body),
  }));
}

/** Percent-encodes a text. A lone surrogate becomes the three bytes of its code point in UTF-8. */
export function encodeText(text: string): string {
  return [...text]
    .map((one) => {
      if (one.isWellFormed()) return encodeURIComponent(one);
      const unit = one.charCodeAt(0);
      return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
        .map((byte) => `%${byte.toString(16).toUpperCase()}`)
        .join('');
    })
    .join('');
}
