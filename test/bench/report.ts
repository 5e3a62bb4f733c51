/** What the benchmark says at its end: facts of the machine, and tables that read the same in a terminal and on a page. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { connections, type Round } from './load.ts';

/** All rounds of one operation on one server. */
export interface Series {
  readonly operationId: string;
  readonly server: string;
  readonly rounds: readonly Round[];
}

/** The middle value; of an even number of values the lower of the two. Zero when there is none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/**
 * Requests per second per operation and server: the median of the rounds, and how it compares with two yardsticks.
 * @param yardsticks names of servers; one that was not run leaves its column empty.
 */
export function loadTable(series: readonly Series[], yardsticks: readonly string[]): string {
  const of = ({ rounds }: Series, key: Exclude<keyof Round, 'failure'>): number =>
    median(rounds.map((round) => round[key]));
  const rows = series.map((one) => {
    const speeds = one.rounds.map((round) => round.requestsPerSecond);
    const perSecond = of(one, 'requestsPerSecond');
    const ratios = yardsticks.map((name) => {
      const other = series.find(({ operationId, server }) => operationId === one.operationId && server === name);
      return other === undefined ? '' : `${(perSecond / of(other, 'requestsPerSecond')).toFixed(2)} ×`;
    });
    return [
      one.operationId,
      one.server,
      whole(perSecond),
      `${whole(Math.min(...speeds))} to ${whole(Math.max(...speeds))}`,
      ...ratios,
      of(one, 'p50Ms').toFixed(2),
      of(one, 'p99Ms').toFixed(2),
      Number.isNaN(of(one, 'cpuMicros')) ? '' : whole(of(one, 'cpuMicros')),
      `${(of(one, 'generatorBusy') * 100).toFixed(0)} %`,
    ];
  });
  const against = yardsticks.map((name) => `to ${name}`);
  return table(['operation', 'server', 'req/s', 'rounds', ...against, 'p50 ms', 'p99 ms', 'CPU µs', 'generator'], rows);
}

/** Start-up times in milliseconds, per kind of start. */
export function startTable(starts: Readonly<Record<string, readonly number[]>>): string {
  const rows = Object.entries(starts).map(([kind, times]) => [
    kind,
    String(times.length),
    whole(median(times)),
    `${whole(Math.min(...times))} to ${whole(Math.max(...times))}`,
  ]);
  return table(['start to ready line', 'starts', 'median ms', 'range ms'], rows);
}

/**
 * What the figures depend on, one fact a line.
 * @param syncMs see `measureSync`.
 */
export function machineFacts(syncMs: number, series: readonly Series[]): string[] {
  const cores = cpus();
  const others = series.flatMap(({ rounds }) => rounds.map(({ othersBusy }) => othersBusy));
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `${cores.length} cores (${cores[0]?.model.trim() || 'model unknown'}), ${(totalmem() / 2 ** 30).toFixed(1)} GiB memory, ${platform()} ${release()}`,
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}`,
    `one fsync of the temporary folder takes ${syncMs.toFixed(2)} ms (median)`,
    others.some(Number.isNaN)
      ? 'whether other work used the machine meanwhile is unknown'
      : `other work used ${percent(median(others))} of the machine in the median round, ${percent(Math.max(...others))} in the worst`,
    `${connections} connections, one request at a time on each`,
  ];
}

/** The median time in milliseconds that a small write to a new file needs to reach the disk. */
export function measureSync(file: string): number {
  const descriptor = openSync(file, 'w');
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now();
    writeSync(descriptor, Buffer.alloc(4096));
    fsyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  return median(times);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  // Names to the left, figures to the right.
  const isName = (column: number): boolean => rows.some((cells) => /^[a-z]{3}/i.test(cells[column] ?? ''));
  const draw = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) =>
      isName(column) ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (isName(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [draw(head), `| ${rule.join(' | ')} |`, ...rows.map(draw)].join('\n');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}
