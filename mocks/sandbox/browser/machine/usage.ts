import { performance } from './timers.ts';

/** The resources that the page or worker has used. A browser tells only when it started. */
export function processUsage(): { readonly startedAt: number } {
  return { startedAt: performance.timeOrigin / 1000 };
}
