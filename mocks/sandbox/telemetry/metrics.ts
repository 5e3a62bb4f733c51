import type { RequestCounts } from './observe.ts';

/** Counts of one process, and their text for Prometheus (exposition format 0.0.4). */
export interface Metrics extends RequestCounts {
  /** @param gauges values that are read at each call: name without prefix, help, kind, and value or values. */
  write(gauges: readonly Gauge[]): string;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  /** Several have labels. */
  readonly value: number | readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Upper bounds in seconds, from the time of a read to that of a planted delay. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Series {
  readonly operation: string;
  /** The number of requests in each interval between two bounds. The last counts all longer ones. */
  readonly buckets: number[];
  sum: number;
  readonly answers: Map<string, { readonly status: number; readonly code: string; count: number }>;
}

/**
 * Labels of requests are only operations, statuses and codes. Their number is limited by the contract, whatever clients send. The
 * format is written by hand, because it is a page long, and a client library would cost a request more than all other
 * counting.
 */
export function createMetrics(): Metrics {
  const all = new Map<string, Series>();
  let inFlight = 0;
  const seriesOf = (operation: string): Series => {
    let found = all.get(operation);
    if (found === undefined) {
      found = { operation, buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0, answers: new Map() };
      all.set(operation, found);
    }
    return found;
  };
  return {
    begin() {
      inFlight += 1;
    },
    end(operation, status, code, seconds) {
      inFlight -= 1;
      const series = seriesOf(operation ?? 'none');
      const bucket = bounds.findIndex((bound) => seconds <= bound);
      const index = bucket < 0 ? bounds.length : bucket;
      series.buckets[index] = (series.buckets[index] ?? 0) + 1;
      series.sum += seconds;
      const key = `${status} ${code}`;
      const answer = series.answers.get(key);
      if (answer === undefined) series.answers.set(key, { status, code: code ?? '', count: 1 });
      else answer.count += 1;
    },
    write(gauges) {
      const series = [...all.values()].sort((one, other) => (one.operation < other.operation ? -1 : 1));
      const lines = [
        ...head('requests_total', 'counter', 'Requests answered, by operation, status and error code.'),
        ...series.flatMap(({ operation, answers }) =>
          [...answers.values()].map(
            ({ status, code, count }) => `${prefix}requests_total${labels({ operation, status, code })} ${count}`,
          ),
        ),
        ...head('request_duration_seconds', 'histogram', 'From the arrival of a request to its answer, by operation.'),
        ...series.flatMap(histogramLines),
      ];
      const inFlightNow: Gauge = {
        name: 'requests_in_flight',
        help: 'Requests not answered yet.',
        kind: 'gauge',
        value: inFlight,
      };
      for (const { name, help, kind, value } of [inFlightNow, ...gauges]) {
        lines.push(...head(name, kind, help));
        if (typeof value === 'number') lines.push(`${prefixed(name)} ${value}`);
        else for (const one of value) lines.push(`${prefixed(name)}${labels(one.labels)} ${one.value}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

const prefix = 'countersign_';

/** Keeps names that Prometheus defines itself. */
function prefixed(name: string): string {
  return name.startsWith('process_') ? name : prefix + name;
}

function head(name: string, kind: string, help: string): string[] {
  return [`# HELP ${prefixed(name)} ${help}`, `# TYPE ${prefixed(name)} ${kind}`];
}

function histogramLines({ operation, buckets, sum }: Series): string[] {
  const name = `${prefix}request_duration_seconds`;
  let count = 0;
  const lines = buckets.map((inBucket, index) => {
    count += inBucket;
    return `${name}_bucket${labels({ operation, le: bounds[index] ?? '+Inf' })} ${count}`;
  });
  return [...lines, `${name}_sum${labels({ operation })} ${sum}`, `${name}_count${labels({ operation })} ${count}`];
}

function labels(values: Readonly<Record<string, string | number>>): string {
  const escaped = Object.entries(values).map(
    ([name, value]) =>
      `${name}="${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return `{${escaped.join(',')}}`;
}
