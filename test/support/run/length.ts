/**
 * Decides how much a test does: little in `npm test`, which a person waits for, and everything in the long run
 * (`COUNTERSIGN_LONG=1`, `npm run test:long`).
 */

/** Whether this is the long run. */
export const isLongRun = process.env['COUNTERSIGN_LONG'] === '1';

/** `short` in `npm test`, `long` in the long run. */
export function byLength<T>(short: T, long: T): T {
  return isLongRun ? long : short;
}

/**
 * Rows of a table in which every row tests the same promise: `count` rows in `npm test`, spread evenly from the first
 * to the last, and all rows in the long run.
 */
export function sample<T>(rows: readonly T[], count: number): readonly T[] {
  if (isLongRun || count >= rows.length) return rows;
  const step = (rows.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => rows[Math.round(index * step)] as T);
}

/** How many times a property is tried: a quarter of `count` in `npm test`. */
export function runs(count: number): number {
  return byLength(Math.ceil(count / 4), count);
}
