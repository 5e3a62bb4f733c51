import { setImmediate } from '../../node/machine/timers.ts';
import type { Stopwatch } from '../../tools/clock.ts';

/** After this time a group begins, even if units keep arriving. In milliseconds. */
const longestMs = 2;
/** A group begins when this number of turns of the event loop brought no unit. Without load, they take microseconds. */
const quietTurns = 3;

/**
 * Waits as long as units arrive, because a commit costs many times what a unit does, and those that wait together share
 * one.
 * @param count the number of units that wait now
 */
export async function gather(count: () => number, stopwatch: Stopwatch): Promise<void> {
  const end = stopwatch() + longestMs;
  let before = count();
  for (let quiet = 0; quiet < quietTurns && stopwatch() < end; ) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const now = count();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}
