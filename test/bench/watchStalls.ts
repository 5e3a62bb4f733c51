/**
 * Loaded before a server by apart.ts. It measures the longest time that the main thread was busy without a break, from
 * the first signal SIGUSR2 to the second one, which is before the sandbox closes its store. It also measures how much the
 * thread itself worked at a stretch, because a machine whose cores are busy lets it wait in between. Both have a
 * resolution of 1 ms.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Stall } from './results.ts';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
let watching: NodeJS.Timeout | undefined;
let longestWorkMs = 0;

function watchWork(): NodeJS.Timeout {
  let before = process.threadCpuUsage();
  return setInterval(() => {
    const now = process.threadCpuUsage();
    longestWorkMs = Math.max(longestWorkMs, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }, resolutionMs);
}

process.on('SIGUSR2', () => {
  if (watching === undefined) {
    delays.reset();
    delays.enable();
    watching = watchWork();
    return;
  }
  clearInterval(watching);
  delays.disable();
  const stall: Stall = { ms: Math.max(0, delays.max / 1e6 - resolutionMs), workMs: longestWorkMs };
  writeFileSync(process.env['BENCH_STALLS'] ?? '', JSON.stringify(stall));
});
