/**
 * The machine's timers, taken once when this module loads. Test frameworks replace the globals, and some replace the
 * exports of `node:timers` as well, while a test runs: what waits inside the sandbox would then never go on. So what the
 * package ships takes its timers from here; `npm run check` refuses any other (scripts/check/boundaries.ts).
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

/** Waits so many milliseconds. */
export function pause(milliseconds: number, { ref = true } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    if (!ref) timer.unref();
  });
}

/**
 * If a test had faked the timers before it imported the sandbox, what stands in their place is a fake. Those of
 * `@sinonjs/fake-timers`, which Vitest, Jest and Sinon use, name their clock, and that has the original.
 */
function unfaked<Timer>(name: string, given: Timer): Timer {
  const { clock } = given as { readonly clock?: Readonly<Record<string, Timer>> };
  return clock?.[`_${name}`] ?? given;
}
