/**
 * Finds numbers in a JSON text that a double can't hold: `9000000000000000.4` would become another number, and `1e400`
 * Infinity (D08). This module imports nothing, because the generator copies it beside the generated client.
 */

/** The first number of a JSON text that a double can't hold, as it is written. Undefined if there is none. */
export function findUnkeptNumber(text: string): string | undefined {
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs)) {
    if (!token.startsWith('"') && !isKept(token)) return token;
  }
  return undefined;
}

/** The end of the number that begins at `start` in a JSON text. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end] as string)) end += 1;
  return end;
}

/**
 * Whether a double holds a number exactly as it is written. It always does up to fifteen digits without an exponent.
 */
export function isKept(source: string): boolean {
  if (source.length <= 15 && !/e/i.test(source)) return true;
  const value = Number(source);
  return Number.isFinite(value) && significantDigits(source) === significantDigits(value.toExponential());
}

/**
 * Counts from both ends. A regular expression for the final zeros would try every run of zeros, which takes minutes for
 * a long number.
 */
function significantDigits(decimal: string): string {
  const digits = decimal.replace(/e.*$/i, '').replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}
