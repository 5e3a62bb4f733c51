/** Formats the benchmark's report: tables that are readable in a terminal and on a page. */
import { type Goal, labelOf, type Memory, median, medianOf, type Result, type Series, whole } from './results.ts';

import { connections } from './round.ts';
import { isOf, kindsOf, nameOf, type Start } from './starts.ts';
import { besides } from './targets.ts';

const yardsticks = ['raw', 'mock', 'prism', 'scalar'] as const;

/** The whole report, in Markdown. */
export function report(result: Result): string {
  const { goals, series, starts, memory, many } = result;
  const sections = [
    goalTable(goals),
    loadTable(series, many),
    noteList(series, many),
    besideTable(result),
    startTable(starts),
    memoryTable(starts, memory),
    machineFacts(result),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function goalTable(goals: readonly Goal[]): string {
  const verdict = ({ isMet }: Goal): string =>
    isMet === undefined ? 'no goal' : isMet === null ? 'not measured' : isMet ? 'met' : '**not met**';
  return table(
    ['goal', 'verdict', 'figure'],
    goals.map((goal) => [goal.goal, verdict(goal), goal.figure]),
  );
}

/** Requests per second, the median of the rounds, compared with the yardsticks. */
function loadTable(series: readonly Series[], many: number): string {
  const measured = series.filter(({ rounds }) => rounds.length > 0);
  const rows = measured.map((one) => {
    const speeds = one.rounds.map((round) => round.requestsPerSecond);
    const perSecond = medianOf(one, 'requestsPerSecond');
    const ratios = yardsticks.map((name) => {
      const other = measured.find(({ exchange, server }) => exchange === one.exchange && server === name);
      return other === undefined ? '' : `${(perSecond / medianOf(other, 'requestsPerSecond')).toFixed(2)} ×`;
    });
    const [cpu, generator] = [medianOf(one, 'cpuMicros'), medianOf(one, 'generatorBusy')];
    const fromMemory = medianOf(one, 'fromMemory');
    return [
      labelOf(one.exchange, many),
      one.server,
      whole(perSecond),
      `${whole(Math.min(...speeds))} to ${whole(Math.max(...speeds))}`,
      ...ratios,
      medianOf(one, 'p50Ms').toFixed(2),
      medianOf(one, 'p99Ms').toFixed(2),
      Number.isNaN(cpu) ? '' : whole(cpu),
      Number.isNaN(generator) ? '' : percent(generator),
      Number.isNaN(fromMemory) ? '' : percent(fromMemory),
    ];
  });
  const against = yardsticks.map((name) => `to ${name}`);
  return table(
    ['what', 'server', 'req/s', 'rounds', ...against, 'p50 ms', 'p99 ms', 'CPU µs', 'generator', 'from memory'],
    rows,
  );
}

function noteList(series: readonly Series[], many: number): string {
  return series
    .flatMap(({ exchange, server, note, rounds }) => {
      if (note === undefined) return [];
      return [`- ${labelOf(exchange, many)}, ${server}: ${note}${rounds.length === 0 ? '; not measured' : ''}`];
    })
    .join('\n');
}

/** What this checkout and the other one did in the same run. */
function besideTable({ series, starts, apart, many, beside }: Result): string {
  if (beside === undefined) return '';
  const find = (exchange: Series['exchange'], server: Series['server']) =>
    series.find((one) => one.exchange === exchange && one.server === server && one.rounds.length > 0);
  const loads = series.flatMap((now) => {
    const name = besides[now.server];
    const before = name === undefined ? undefined : find(now.exchange, name);
    if (before === undefined || now.rounds.length === 0) return [];
    const raw = find(now.exchange, 'raw');
    const [speed, other] = [medianOf(now, 'requestsPerSecond'), medianOf(before, 'requestsPerSecond')];
    const toRaw = (value: number) =>
      raw === undefined ? '' : `${(value / medianOf(raw, 'requestsPerSecond')).toFixed(2)} of raw`;
    const cells = [before, now].map((one, index) => {
      const cpu = medianOf(one, 'cpuMicros');
      const parts = [`${whole([other, speed][index] as number)} req/s`, toRaw([other, speed][index] as number)];
      return [...parts, Number.isNaN(cpu) ? '' : `${whole(cpu)} µs`].filter((part) => part !== '').join(', ');
    });
    return [[`${labelOf(now.exchange, many)}, ${now.server}`, ...cells, `${(speed / other).toFixed(2)} ×`]];
  });
  const firstReply = (server: Start['server']) =>
    median(
      starts.filter((one) => isOf(one, { server, cache: 'warm', data: 'new' })).map(({ firstReplyMs }) => firstReplyMs),
    );
  const [before, now] = [firstReply('beside'), firstReply('sandbox')];
  const rows = [...loads];
  if (before > 0 && now > 0) {
    rows.push([
      'first reply, new data file',
      `${whole(before)} ms`,
      `${whole(now)} ms`,
      `${(now / before).toFixed(2)} ×`,
    ]);
  }
  const { besideStall, stall = null } = apart ?? {};
  if (besideStall !== undefined && stall !== null) {
    const cells = [besideStall, stall].map(({ ms, workMs }) => `${ms.toFixed(1)} ms, work ${workMs.toFixed(1)} ms`);
    rows.push(['main thread at a stretch', ...cells, `${(stall.ms / besideStall.ms).toFixed(2)} ×`]);
  }
  return table(['in the same run', `before: ${beside ?? 'no commit'}`, 'this commit', 'ratio'], rows);
}

function startTable(starts: readonly Start[]): string {
  if (starts.length === 0) return '';
  const rows = kindsOf(starts).map((kind) => {
    const those = starts.filter((start) => isOf(start, kind));
    const first = those.map(({ firstReplyMs }) => firstReplyMs);
    return [
      nameOf(kind),
      String(those.length),
      whole(median(those.map(({ readyMs }) => readyMs))),
      whole(median(first)),
      `${whole(Math.min(...first))} to ${whole(Math.max(...first))}`,
    ];
  });
  return table(['start', 'starts', 'ready line ms', 'first reply ms', 'range ms'], rows);
}

function memoryTable(starts: readonly Start[], memory: readonly Memory[]): string {
  const names = [...new Set([...memory.map(({ server }) => server), ...starts.map(({ server }) => server)])];
  const rows = names.map((name) => {
    const rest = starts.flatMap(({ server, restBytes }) => (server === name && restBytes !== null ? [restBytes] : []));
    const after = memory.find(({ server }) => server === name)?.afterLoadBytes ?? null;
    return [
      name,
      rest.length === 0 ? '' : (Math.max(...rest) / 1e6).toFixed(0),
      after === null ? '' : (after / 1e6).toFixed(0),
    ];
  });
  return rows.length === 0 ? '' : table(['memory', 'at rest MB', 'after the load MB'], rows);
}

function machineFacts({ machine, series, startedAt, commit, command }: Result): string {
  const others = series.flatMap(({ rounds }) => rounds.map(({ othersBusy }) => othersBusy));
  const known = others.filter((share) => share !== null);
  const { node, sqlite, ...packages } = machine.versions;
  const rest = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return [
    `${startedAt}, \`${command}\`, commit ${commit ?? 'unknown'}`,
    `${machine.cores} cores (${machine.processor}), ${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB memory, ${machine.system}`,
    `Node ${node}, SQLite ${sqlite}; ${rest.join(', ')}`,
    `one fsync of the temporary folder takes ${machine.syncMs.toFixed(2)} ms (median)`,
    known.length === 0
      ? 'whether other work used the machine meanwhile is unknown'
      : `other work used ${percent(median(known))} of the machine in the median round, ${percent(Math.max(...known))} in the worst`,
    `${connections} connections, one request at a time on each`,
  ]
    .map((fact) => `- ${fact}`)
    .join('\n');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A table with aligned columns: names to the left, figures to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const isName = (column: number): boolean => rows.some((cells) => /[a-z]{3}/i.test(cells[column] ?? ''));
  const draw = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) =>
      isName(column) ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (isName(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [draw(head), `| ${rule.join(' | ')} |`, ...rows.map(draw)].join('\n');
}
