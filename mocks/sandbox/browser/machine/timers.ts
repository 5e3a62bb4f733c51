/** The timers of a page or a worker, taken once when this module loads. node/machine/timers.ts says why. */

type Timer = (work: () => void, milliseconds?: number) => number;

export const setTimeout: Timer = unfaked('setTimeout', globalThis.setTimeout).bind(globalThis);
export const clearTimeout = unfaked('clearTimeout', globalThis.clearTimeout).bind(globalThis);
export const setInterval: Timer = unfaked('setInterval', globalThis.setInterval).bind(globalThis);
export const clearInterval = unfaked('clearInterval', globalThis.clearInterval).bind(globalThis);
export const performance = globalThis.performance;

/** Runs the work in the next turn of the event loop. Browsers delay nested timers of 0 ms to four milliseconds. */
export const setImmediate = createTurns();

function createTurns(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => void waiting.shift()?.();
  return (work) => {
    waiting.push(work);
    port2.postMessage(null);
  };
}

/** Waits for a number of milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Returns the original timer if a test has faked it. Fake timers carry their clock, which keeps the originals. */
function unfaked<Timer>(name: string, given: Timer): Timer {
  const { clock } = given as { readonly clock?: Readonly<Record<string, Timer>> };
  return clock?.[`_${name}`] ?? given;
}
