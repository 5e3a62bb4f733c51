/**
 * Loaded before the sandbox by apart.ts. It measures the longest time that the main thread was busy without a break, from
 * the first signal SIGUSR2 to the second one, which is before the process closes its store. The histogram's own
 * resolution is 1 ms.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
let isMeasuring = false;
process.on('SIGUSR2', () => {
  isMeasuring = !isMeasuring;
  if (isMeasuring) {
    delays.reset();
    delays.enable();
    return;
  }
  delays.disable();
  const longestMs = Math.max(0, delays.max / 1e6 - resolutionMs);
  writeFileSync(process.env['BENCH_STALLS'] ?? '', JSON.stringify({ longestMs, p99Ms: delays.percentile(99) / 1e6 }));
});
