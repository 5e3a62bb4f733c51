/**
 * The machine's timers, taken once when this module loads. While a test runs, its framework may replace the globals,
 * and some also the exports of `node:timers`. A wait inside the sandbox would then never end. So all code of the
 * package takes its timers from here. `npm run check` refuses any others (scripts/check/boundaries.ts).
 */
import { performance as machine } from 'node:perf_hooks';
import timers from 'node:timers';

export const setTimeout = unfaked('setTimeout', timers.setTimeout);
export const clearTimeout = unfaked('clearTimeout', timers.clearTimeout);
export const setInterval = unfaked('setInterval', timers.setInterval);
export const clearInterval = unfaked('clearInterval', timers.clearInterval);
export const setImmediate = unfaked('setImmediate', timers.setImmediate);

/** Frameworks replace the global of this name, not the object behind it. */
export const performance = machine;

/** Waits for a number of milliseconds. */
export function pause(milliseconds: number, { ref = true } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    if (!ref) timer.unref();
  });
}

/**
 * Returns the original timer. If a test has faked the timers before it imports the sandbox, `given` is a fake. The
 * fakes of `@sinonjs/fake-timers`, which Vitest, Jest and Sinon use, carry their clock, and that has the original.
 */
function unfaked<Timer>(name: string, given: Timer): Timer {
  const { clock } = given as { readonly clock?: Readonly<Record<string, Timer>> };
  return clock?.[`_${name}`] ?? given;
}
