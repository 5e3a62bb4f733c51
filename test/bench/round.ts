/** What one round of load says, however the load was made. */
import { cpus } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import type { Step } from './requests.ts';

/** So many requests are on their way at any time. */
export const connections = 32;

export interface Round {
  /** The number of answered requests. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per request, in microseconds; null where it can't be told. */
  readonly cpuMicros: number | null;
  /** The share of one core that the load generator itself used, 0 to 1: near 1 the server was not the limit. */
  readonly generatorBusy: number | null;
  /** The share of all cores that neither server nor load generator used, yet somebody did. */
  readonly othersBusy: number | null;
  /** The share of answers that the sandbox had given before and gave again, 0 to 1; absent where there is no such thing. */
  readonly fromMemory?: number;
  /** What went wrong, or undefined when every answer had the status that it should. */
  readonly failure?: string;
}

/** Counts answers while a round runs. */
export class Tally {
  // Our own histogram, in microseconds: the generator's counts whole milliseconds.
  readonly #latency = createHistogram();
  readonly #unexpected = new Map<string, number>();
  readonly #startedAt = performance.now();
  #lastAt = this.#startedAt;

  answered(milliseconds: number): void {
    this.#lastAt = performance.now();
    this.#latency.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  /** Takes note of an answer that is not what the step expects. */
  check({ method, path, expected }: Step, status: number): void {
    if (status === expected) return;
    const what = `${status} instead of ${expected} to ${method} ${path.split('?')[0]?.replace(/:[^/]*/, ':…')}`;
    this.#unexpected.set(what, (this.#unexpected.get(what) ?? 0) + 1);
  }

  get count(): number {
    return this.#latency.count;
  }

  /** @param further faults that aren't answers. */
  round(shares: Pick<Round, 'cpuMicros' | 'generatorBusy' | 'othersBusy'>, further: readonly string[] = []): Round {
    const faults = [...[...this.#unexpected].map(([what, count]) => `${count} × ${what}`), ...further];
    if (this.count === 0) faults.push('no answer at all');
    const elapsedMs = this.#lastAt - this.#startedAt;
    return {
      requests: this.count,
      requestsPerSecond: elapsedMs > 0 ? (this.count * 1000) / elapsedMs : 0,
      p50Ms: this.#latency.percentile(50) / 1000,
      p99Ms: this.#latency.percentile(99) / 1000,
      ...shares,
      ...(faults.length > 0 ? { failure: faults.join(', ') } : {}),
    };
  }
}

/** Processor time that all cores together have spent on anything, in milliseconds. */
export function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Processor time that this process has spent, in milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The share of all cores that was used by others, of a number of milliseconds. */
export function shareOfOthers(usedByOthersMs: number, wallMs: number): number {
  return Math.max(0, usedByOthersMs) / (wallMs * cpus().length);
}
