import type { PlatformLoad } from '../store/units/load.ts';
import type { Gauge } from '../telemetry/metrics.ts';
import { StorageUnavailable } from '../tools/problem.ts';
import type { ControlHandlers, ControlParts } from './route.ts';

/** What this process has answered and what it holds, for Prometheus. */
export const metricsHandlers = {
  getMetrics: {
    handle: async ({ parts }) => ({
      status: 200,
      text: parts.metrics.write([...gaugesOf(parts), ...(await gaugesOfPlatforms(parts))]),
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    }),
  },
} satisfies Pick<ControlHandlers, 'getMetrics'>;

function gaugesOf({ store, journal, replies, events, usage }: ControlParts): Gauge[] {
  const { memoryBytes, cpuSeconds, startedAt } = usage();
  const gauge = (name: string, help: string, value: number): Gauge => ({ name, help, kind: 'gauge', value });
  const counter = (name: string, help: string, value: number): Gauge => ({ name, help, kind: 'counter', value });
  const { units, commits, failures, waiting } = store.counts();
  return [
    counter('units_total', 'Units of work that were carried out, kept or not.', units),
    counter('commits_total', 'Commits that kept them; on SQLite several units share one.', commits),
    counter('storage_failures_total', 'Units of work that the storage engine refused.', failures),
    gauge('units_waiting', 'Units of work that wait for their turn.', waiting),
    counter('reply_cache_hits_total', 'Reads that were answered with a reply given before.', replies.hits()),
    gauge(
      'journal_bytes',
      'Memory that the journals of all platforms hold, addresses, headers and bodies included.',
      journal.bytes(),
    ),
    gauge('event_listeners', 'Clients that listen to events.', events.count()),
    // A browser has no figures for these.
    ...(memoryBytes === undefined
      ? []
      : [gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', memoryBytes)]),
    ...(cpuSeconds === undefined
      ? []
      : [counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', cpuSeconds)]),
    gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', startedAt),
  ];
}

/** The ten heaviest platforms. Their ids are ours, so no caller decides what a label says. */
async function gaugesOfPlatforms({ units, events }: ControlParts): Promise<Gauge[]> {
  // Without its storage, the process still tells everything else.
  const heaviest = await units.heaviest().catch((error: unknown) => {
    if (error instanceof StorageUnavailable) return [];
    throw error;
  });
  const of = (value: (load: PlatformLoad) => number) =>
    heaviest.map((load) => ({ labels: { platform: load.platformId }, value: value(load) }));
  return [
    {
      name: 'platform_bytes',
      help: 'The size of the records of the ten heaviest platforms.',
      kind: 'gauge',
      value: of(({ bytes }) => bytes),
    },
    {
      name: 'platform_event_listeners',
      help: 'Their clients that listen to events.',
      kind: 'gauge',
      value: of(({ platformId }) => events.count(platformId)),
    },
    {
      name: 'platform_units_waiting',
      help: 'Their units of work that wait for their turn.',
      kind: 'gauge',
      value: of(({ waiting }) => waiting),
    },
    {
      name: 'platform_unit_seconds_total',
      help: 'How long their units of work took. On PostgreSQL, with the waits for its answers.',
      kind: 'counter',
      value: of(({ busyMs }) => busyMs / 1000),
    },
  ];
}
