/**
 * Numbers of a JSON text, which are read into doubles: `9000000000000000.4` would be taken for another one, and `1e400`
 * for Infinity (D08). This module imports nothing: the generator copies it beside the generated client.
 */

/** The first number of a JSON text that is not kept, as it is written; undefined where each is. */
export function findUnkeptNumber(text: string): string | undefined {
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs)) {
    if (!token.startsWith('"') && !isKept(token)) return token;
  }
  return undefined;
}

/** Where the number ends that begins at `start` of a JSON text. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end] as string)) end += 1;
  return end;
}

/**
 * Whether a number that is written so is kept as it is written when it's read into a double. What has at most fifteen
 * digits and no exponent always is.
 */
export function isKept(source: string): boolean {
  if (source.length <= 15 && !/e/i.test(source)) return true;
  const value = Number(source);
  return Number.isFinite(value) && significantDigits(source) === significantDigits(value.toExponential());
}

/** Counted from the ends: a pattern for the final zeros would try every run of zeros, which takes minutes in a long number. */
function significantDigits(decimal: string): string {
  const digits = decimal.replace(/e.*$/i, '').replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}
