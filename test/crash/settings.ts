/** Sets the length of the crash tests. */
import { byLength } from '../support/run/length.ts';

/** Whether COUNTERSIGN_ROUNDS requests a separate run, on a machine with no other work. */
export const isLong = process.env['COUNTERSIGN_ROUNDS'] !== undefined;
/** How many times a process is killed. */
export const rounds = Number(process.env['COUNTERSIGN_ROUNDS'] ?? byLength(1, 10));

/** How many payers work at the same time. */
export const clients = byLength(8, 16);

/** Waits for this many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
