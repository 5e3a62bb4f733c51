/** One round of load: a fixed number of connections, each sending its next request when the last one is answered. */
import { cpus } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { BenchRequest } from './requests.ts';
import type { RunningServer } from './servers.ts';

export const connections = 32;

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per request, in microseconds; NaN where it can't be told. */
  readonly cpuMicros: number;
  /** The share of one core that the load generator itself used, 0 to 1: near 1 the server was not the limit. */
  readonly generatorBusy: number;
  /** The share of all cores that neither server nor load generator used, yet somebody did; NaN where it can't be told. */
  readonly othersBusy: number;
  /** What went wrong, or undefined when every answer was 2xx. */
  readonly failure?: string;
}

/** Loads one server with one request for that many seconds. */
export async function load(server: RunningServer, asked: BenchRequest, seconds: number): Promise<Round> {
  // Our own histogram, in microseconds: the generator's counts whole milliseconds.
  const latency = createHistogram();
  const statuses = new Map<number, number>();
  const serverCpuBefore = server.cpuMs() ?? Number.NaN;
  const machineCpuBefore = machineCpuMs();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let lastAt = startedAt;
  const { errors, timeouts } = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url: server.origin + asked.path,
      method: asked.method,
      headers: { ...asked.headers },
      ...(asked.body === undefined ? {} : { body: asked.body }),
      connections,
      duration: seconds,
      // It looks for the end of the round once per sample.
      sampleInt: 100,
    };
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    run.on('response', (_client, status, _bytes, milliseconds) => {
      lastAt = performance.now();
      latency.record(Math.max(1, Math.round(milliseconds * 1000)));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
  });
  const elapsedMs = lastAt - startedAt;
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const generatorCpuMs = (user + system) / 1000;
  const machineCpu = machineCpuMs() - machineCpuBefore;
  const serverCpuMs = (server.cpuMs() ?? Number.NaN) - serverCpuBefore;
  const refused = [...statuses].filter(([status]) => status < 200 || status > 299);
  const faults = refused.map(([status, count]) => `${count} answers ${status}`);
  if (errors > 0) faults.push(`${errors} failed connections (${timeouts} timed out)`);
  if (latency.count === 0) faults.push('no answer at all');
  return {
    requestsPerSecond: elapsedMs > 0 ? (latency.count * 1000) / elapsedMs : 0,
    p50Ms: latency.percentile(50) / 1000,
    p99Ms: latency.percentile(99) / 1000,
    cpuMicros: (serverCpuMs * 1000) / latency.count,
    generatorBusy: generatorCpuMs / wallMs,
    othersBusy: Math.max(0, machineCpu - serverCpuMs - generatorCpuMs) / (wallMs * cpus().length),
    ...(faults.length > 0 ? { failure: faults.join(', ') } : {}),
  };
}

/** Processor time that all cores together have spent on anything, in milliseconds. */
function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
