/** The figures of one round of load, however the load was made. */
import { cpus } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import type { Step } from './requests.ts';

/** How many requests are in flight at any time. */
export const connections = 32;

export interface Round {
  /** The number of answered requests. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per request, in microseconds; null if unknown. */
  readonly cpuMicros: number | null;
  /**
   * The share of one core that the load generator used, 0 to 1. Near 1, the generator was the limit, not the server.
   */
  readonly generatorBusy: number | null;
  /** The share of all cores that other processes used. */
  readonly othersBusy: number | null;
  /** The share of answers that the sandbox took from its memory, 0 to 1; absent for servers without such a memory. */
  readonly fromMemory?: number;
  /** What went wrong; undefined if every answer had the expected status. */
  readonly failure?: string;
}

/** Counts answers while a round runs. */
export class Tally {
  // Our own histogram, in microseconds, because the generator counts whole milliseconds.
  readonly #latency = createHistogram();
  readonly #unexpected = new Map<string, number>();
  readonly #startedAt = performance.now();
  #lastAt = this.#startedAt;

  answered(milliseconds: number): void {
    this.#lastAt = performance.now();
    this.#latency.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  /** Notes an answer with another status than the step expects. */
  check({ method, path, expected }: Step, status: number): void {
    if (status === expected) return;
    const what = `${status} instead of ${expected} to ${method} ${path.split('?')[0]?.replace(/:[^/]*/, ':…')}`;
    this.#unexpected.set(what, (this.#unexpected.get(what) ?? 0) + 1);
  }

  get count(): number {
    return this.#latency.count;
  }

  /** @param further faults other than answers. */
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

/** The processor time of all cores together, in milliseconds. */
export function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** The processor time of this process, in milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The share of all cores that others used, from their milliseconds. */
export function shareOfOthers(usedByOthersMs: number, wallMs: number): number {
  return Math.max(0, usedByOthersMs) / (wallMs * cpus().length);
}
