/** How long the crash tests are. */
import { byLength } from '../support/run/length.ts';

/** Whether COUNTERSIGN_ROUNDS asks for a run of its own, on a machine with nothing else to do. */
export const isLong = process.env['COUNTERSIGN_ROUNDS'] !== undefined;
/** How often a process is killed. */
export const rounds = Number(process.env['COUNTERSIGN_ROUNDS'] ?? byLength(1, 10));

/** How many pay at the same time. */
export const clients = byLength(8, 16);

/** Lets the event loop turn so many times. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
