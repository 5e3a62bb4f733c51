/** The timers of a page or a worker, taken once when this module loads, for the reason that node/machine/timers.ts gives. */

type Timer = (work: () => void, milliseconds?: number) => number;

export const setTimeout: Timer = unfaked('setTimeout', globalThis.setTimeout).bind(globalThis);
export const clearTimeout = unfaked('clearTimeout', globalThis.clearTimeout).bind(globalThis);
export const setInterval: Timer = unfaked('setInterval', globalThis.setInterval).bind(globalThis);
export const clearInterval = unfaked('clearInterval', globalThis.clearInterval).bind(globalThis);
export const performance = globalThis.performance;

/** Does the work in the next turn of the event loop. A timer of no milliseconds would wait four once some are nested. */
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

/** Waits so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Fake timers name their clock, which has the originals. */
function unfaked<Timer>(name: string, given: Timer): Timer {
  const { clock } = given as { readonly clock?: Readonly<Record<string, Timer>> };
  return clock?.[`_${name}`] ?? given;
}
