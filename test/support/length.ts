/**
 * How much a test does: little in `npm test`, which a person waits for, and all of it in the long run
 * (`COUNTERSIGN_LONG=1`, `npm run test:long`).
 */

/** Whether this is the long run. */
export const isLongRun = process.env['COUNTERSIGN_LONG'] === '1';

/** `short` in `npm test`, `long` in the long run. */
export function byLength<T>(short: T, long: T): T {
  return isLongRun ? long : short;
}
