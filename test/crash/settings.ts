/** How long the crash tests are, and from which seed their moments follow. */

import { engine } from '../support/database.ts';

/** COUNTERSIGN_ROUNDS, or few enough for every run of the tests. */
export const isLong = process.env['COUNTERSIGN_ROUNDS'] !== undefined;
export const rounds = Number(process.env['COUNTERSIGN_ROUNDS'] ?? (engine() === 'SQLite' ? 3 : 2));
export const seed = Number(process.env['COUNTERSIGN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Lets the event loop turn so many times. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
