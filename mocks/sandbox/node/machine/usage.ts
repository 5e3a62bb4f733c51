import { performance } from './timers.ts';

/** The resources that the sandbox's process has used. */
export interface ProcessUsage {
  /** Some runtimes don't have these two. */
  readonly memoryBytes?: number;
  readonly cpuSeconds?: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
}

/** The usage of this process. */
export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return {
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    startedAt: performance.timeOrigin / 1000,
  };
}
