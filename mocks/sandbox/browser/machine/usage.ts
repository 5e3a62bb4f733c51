import { performance } from './timers.ts';

/** What the page or worker has used: a browser only says since when it is there. */
export function processUsage(): { readonly startedAt: number } {
  return { startedAt: performance.timeOrigin / 1000 };
}
