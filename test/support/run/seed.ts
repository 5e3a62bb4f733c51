/** The one number that everything drawn in a test run follows from. */
import { isLongRun } from './length.ts';

/** Of `npm test`: the same requests and moments in every run, so that a gate fails for a change and not by chance. */
export const fixedSeed = 20251013;

/** fast-check takes seeds below this. */
const limit = 2 ** 31;

/**
 * COUNTERSIGN_SEED, else {@link fixedSeed}, else a fresh one in the long run. Vitest's configuration hands it to every
 * worker, and the reporter prints it: `COUNTERSIGN_SEED=N` repeats a run.
 *
 * @throws Error when COUNTERSIGN_SEED isn't a whole number from 0 to 2147483647.
 */
export const seed = chooseSeed(process.env['COUNTERSIGN_SEED'], isLongRun);

/** {@link seed} of a run with these settings. */
export function chooseSeed(given: string | undefined, isLong: boolean): number {
  if (given === undefined || given === '') return isLong ? Math.floor(Math.random() * limit) : fixedSeed;
  const number = Number(given);
  if (!Number.isInteger(number) || number < 0 || number >= limit) {
    throw new Error(`COUNTERSIGN_SEED is "${given}". Set a whole number from 0 to ${limit - 1}.`);
  }
  return number;
}
