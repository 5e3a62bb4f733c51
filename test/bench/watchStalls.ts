/**
 * Loaded before the sandbox by apart.ts. It measures the longest time that the main thread was busy without a break,
 * from the signal SIGUSR2 to the end of the process. The histogram's own resolution is 1 ms.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
process.on('SIGUSR2', () => {
  delays.reset();
  delays.enable();
});
process.once('exit', () => {
  const longestMs = Math.max(0, delays.max / 1e6 - resolutionMs);
  writeFileSync(process.env['BENCH_STALLS'] ?? '', JSON.stringify({ longestMs, p99Ms: delays.percentile(99) / 1e6 }));
});
