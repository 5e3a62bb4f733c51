/** Chooses the number that all random values of a test run are derived from. */
import { isLongRun } from './length.ts';

/**
 * The seed of `npm test`: every run makes the same requests at the same times, so a failure comes from a change and not
 * from chance.
 */
export const fixedSeed = 20251013;

/** fast-check takes seeds below this. */
const limit = 2 ** 31;

/**
 * COUNTERSIGN_SEED if it is set, otherwise {@link fixedSeed}, or in the long run a new one. Vitest's configuration
 * passes it to every worker, and the reporter prints it: `COUNTERSIGN_SEED=N` repeats a run.
 *
 * @throws Error if COUNTERSIGN_SEED isn't a whole number from 0 to 2147483647.
 */
export const seed = chooseSeed(process.env['COUNTERSIGN_SEED'], isLongRun);

/** {@link seed} for a run with these settings. */
export function chooseSeed(given: string | undefined, isLong: boolean): number {
  if (given === undefined || given === '') return isLong ? Math.floor(Math.random() * limit) : fixedSeed;
  const number = Number(given);
  if (!Number.isInteger(number) || number < 0 || number >= limit) {
    throw new Error(`COUNTERSIGN_SEED is "${given}". Set a whole number from 0 to ${limit - 1}.`);
  }
  return number;
}
