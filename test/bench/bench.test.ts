/**
 * Promise: the benchmark says which goals a run meets, saves it where readers find it, and fails only for wrong
 * answers.
 */
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from '../../cli/command/parse.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { keepOutput } from '../support/process/inProcess.ts';
import { run } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { judge } from './goals.ts';
import { keep, placeReport } from './keep.ts';
import { command } from './main.ts';
import { report } from './report.ts';
import { type Exchange, type Step, samplesOf, stepsOf } from './requests.ts';
import { failuresOf, labelOf, median, type Result, type Series } from './results.ts';
import { type Round, Tally } from './round.ts';
import { readSettings, shownCommand } from './settings.ts';
import type { Start } from './starts.ts';

const many = 1_000_000;

/** Every file of a folder with its text. */
const filesOf = (folder: string): [path: string, text: string][] =>
  globSync('**/*.*', { cwd: folder })
    .sort()
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')]);

function series(exchange: Series['exchange'], server: Series['server'], ...speeds: number[]): Series {
  const rounds = speeds.map((requestsPerSecond) => ({ requests: 1, requestsPerSecond, ...still }));
  return { exchange, server, rounds };
}
const still = { p50Ms: 1, p99Ms: 2, cpuMicros: 10, generatorBusy: 0.5, othersBusy: null } satisfies Partial<Round>;

function start(cache: Start['cache'], data: 'new' | 'existing', firstReplyMs: number, megabytes?: number): Start {
  const restBytes = megabytes === undefined ? null : megabytes * 1e6;
  return { server: 'sandbox', cache, data, readyMs: firstReplyMs - 20, firstReplyMs, restBytes };
}

const fast: Series[] = [
  series('record', 'raw', 100, 1_000, 1_000),
  series('record', 'sandbox', 400, 401, 10),
  series('record', 'prism', 300),
  series('few', 'raw', 1_000),
  series('few', 'sandbox', 450),
  series('few', 'scalar', 30),
  series('few', 'mock', 500),
  series('many', 'sandbox', 410),
  series('quote', 'raw', 1_000),
  series('quote', 'sandbox', 109),
  series('quote', 'postgres', 2_999),
  series('platforms', 'postgres', 4_500),
  { ...series('mixed', 'sandbox', 250), rounds: [{ requests: 9, requestsPerSecond: 250, ...still, fromMemory: 0.6 }] },
  series('mixed', 'raw', 1_000),
  series('signed', 'raw', 1_000),
  series('signed', 'sandbox', 199),
];
const apart: Result['apart'] = {
  sandboxes: { count: 200, ms: 1_501, bytesEach: 1.2e6 },
  stall: { ms: 8.04, workMs: 5 },
  rawStall: { ms: 6.21, workMs: 1 },
  stallSeconds: 20,
};
const starts = [start('warm', 'existing', 250, 110), start('warm', 'new', 281), start('cold', 'new', 600)];

describe('goals', () => {
  it('are judged by the medians of the rounds, each against the other figures of the same run', () => {
    expect(judge({ series: fast, starts, many, apart }).map(({ isMet, figure }) => [isMet, figure])).toEqual([
      [true, '0.40 of raw'],
      [null, 'not measured'],
      [true, '0.25 of raw'],
      [true, '60 %'],
      [true, '0.45 of raw'],
      [false, '0.11 of raw'],
      [false, '0.20 of raw'],
      [true, 'at least 1.33 × prism (GET by id)'],
      [undefined, '0.90 × mock (list, 20 of 1 000)'],
      [true, "0.91 of the smaller store's speed"],
      [false, '8.0 ms, at most 5.0 ms of it work; raw 6.2 ms'],
      [false, '1.50 s'],
      [true, '1.20 MB'],
      [false, '2 999 units/s'],
      [true, '4 500 units/s'],
      [false, '281 ms; 250 ms with an existing one; cold 600 ms'],
      [true, '110 MB (sandbox, warm cache, existing data file)'],
    ]);
  });

  it('are neither met nor missed when the run left something out', () => {
    const verdicts = judge({ series: [series('record', 'sandbox', 5)], starts: [], many });
    expect(new Set(verdicts.map(({ isMet }) => isMet))).toEqual(new Set([null, undefined]));
    expect(verdicts.filter(({ figure }) => figure !== 'not measured')).toEqual([]);
  });
});

describe('the report', () => {
  const result: Result = {
    startedAt: '2026-01-01T00:00:00.000Z',
    command: 'npm run bench',
    commit: null,
    machine: { cores: 2, processor: 'Some', memoryBytes: 2 ** 30, system: 'linux', syncMs: 0.2, versions: {} },
    many,
    starts,
    memory: [{ server: 'sandbox', afterLoadBytes: 200e6 }],
    series: [...fast, { ...series('signed', 'scalar'), note: 'answers 422' }],
    apart,
    goals: judge({ series: fast, starts, many, apart }),
  };

  it('has every figure beside its yardsticks, and what could not be measured', () => {
    const text = report(result);
    const cells = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells).toContainEqual(
      expect.arrayContaining(['GET by id', 'sandbox', '400', '10 to 401', '0.40 ×', '1.33 ×']),
    );
    expect(text).toContain(`${labelOf('signed', many)}, scalar: answers 422; not measured`);
    expect(text).toMatch(/durable POST.*\*\*not met\*\*/);
  });

  it.each([
    [[], 'npm run bench'],
    [['--record', '--beside', '/home/me/old', '--postgres'], 'npm run bench -- --record --beside DIR --postgres'],
    [['--beside=../old'], 'npm run bench -- --beside=DIR'],
  ])('names the command %j without a folder of the machine', (args, shown) => {
    expect(shownCommand(args)).toBe(shown);
  });

  it('compares with another checkout, where both were measured', () => {
    const both = [...fast, series('quote', 'beside', 54.5), series('platforms', 'beside-postgres', 1_500)];
    const text = report({
      ...result,
      series: both,
      beside: '12cc82a',
      starts: [...starts, { ...start('warm', 'new', 300), server: 'beside' }],
      apart: { ...apart, besideStall: { ms: 40.2, workMs: 12 } },
    });
    const rows = text.split('\n').map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    expect(rows).toContainEqual(['in the same run', 'before: 12cc82a', 'this commit', 'ratio']);
    expect(rows.filter((row) => row.length === 4 && / ×$/.test(row[3] ?? ''))).toEqual([
      ['POST /quotes, sandbox', '55 req/s, 0.05 of raw, 10 µs', '109 req/s, 0.11 of raw, 10 µs', '2.00 ×'],
      ['POST /quotes, 20 platforms, postgres', '1 500 req/s, 10 µs', '4 500 req/s, 10 µs', '3.00 ×'],
      ['first reply, new data file', '300 ms', '281 ms', '0.94 ×'],
      ['main thread at a stretch', '40.2 ms, work 12.0 ms', '8.0 ms, work 5.0 ms', '0.20 ×'],
    ]);
    expect(report(result)).not.toContain('in the same run');
  });

  it('goes between the markers of the README and leaves the rest alone', () => {
    const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const placed = placeReport(page, 'tables');
    expect(placed).toMatch(/^# Benchmark[\s\S]*-->\n\ntables\n\n<!-- end[\s\S]*To add a request/);
    expect(placeReport(placed, 'tables')).toBe(placed);
    expect(() => placeReport('no markers', 'tables')).toThrow('no "<!-- begin');
  });

  it('is kept in the two files that the command names, and nowhere else', () => {
    const folder = temporaryFolder();
    const [readme, latest] = ['test/bench/README.md', 'test/bench/latest.json'];
    for (const path of [readme, latest]) cpSync(join(projectRoot, path), join(folder, path));
    const recorded = JSON.parse(readFileSync(join(folder, latest), 'utf8')) as Result;
    const before = new Map(filesOf(folder));
    const other = { ...recorded, commit: 'another' };
    expect(keep(other, folder)).toEqual([readme, latest]);
    const changed = filesOf(folder).filter(([path, text]) => before.get(path) !== text);
    expect(changed.map(([path]) => path)).toEqual([readme, latest]);
    expect(JSON.parse(new Map(changed).get(latest) ?? '')).toEqual(other);
  });

  it('shows in the README what latest.json holds', () => {
    const file = new URL('latest.json', import.meta.url);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as Result;
    expect(readFileSync(new URL('README.md', import.meta.url), 'utf8')).toContain(report(recorded));
  });
});

describe('an exchange that draws', () => {
  const step = (path: string): Step => ({ method: 'GET', path, headers: {}, expected: 200 });
  const mixed: Exchange = {
    name: 'mixed',
    operationId: 'getCustomer',
    variants: [...Array.from({ length: 100 }, (_, number) => [step(`/${number}`)]), [step('/last')]],
    lastShare: 0.2,
  };

  it('gives every connection draws of its own, the last as often as it says, and the same in every run', () => {
    const [one, other] = [stepsOf(mixed, 0), stepsOf(mixed, 1)];
    expect(one).not.toEqual(other);
    expect(stepsOf(mixed, 0)).toEqual(one);
    const all = Array.from({ length: 32 }, (_, connection) => stepsOf(mixed, connection)).flat();
    expect(all.filter(({ path }) => path === '/last').length / all.length).toBeCloseTo(0.2, 1);
    expect(new Set(all.map(({ path }) => path)).size).toBe(101);
  });

  it('is tried with one of each kind', () => {
    expect(samplesOf(mixed).map(([first]) => first?.path)).toEqual(['/0', '/last']);
  });
});

describe('figures', () => {
  it('are medians; of two middle values the lower', () => {
    expect([median([3, 1, 2]), median([4, 1]), median([])]).toEqual([2, 1, 0]);
  });

  it('count an answer of another status as a failure of the round', () => {
    const tally = new Tally();
    const step = { method: 'GET', path: '/customers/Customer:1?limit=2', headers: {}, expected: 200 } as const;
    const shares = { cpuMicros: null, generatorBusy: null, othersBusy: null };
    expect(tally.round(shares).failure).toBe('no answer at all');
    tally.answered(1.5);
    tally.check(step, 200);
    expect(tally.round(shares)).toMatchObject({ p50Ms: expect.closeTo(1.5, 1) });
    expect(tally.round(shares).failure).toBeUndefined();
    tally.check(step, 401);
    const round = tally.round(shares);
    expect(round.failure).toBe('1 × 401 instead of 200 to GET /customers/Customer:…');
    const failed = failuresOf([{ ...series('record', 'sandbox', 7), rounds: [round] }, series('few', 'raw', 1)]);
    expect(failed).toEqual([`record on sandbox: ${round.failure}`]);
  });
});

describe('the command', () => {
  it('adds the servers of another checkout to those that it measures anyway', () => {
    const { output } = keepOutput();
    const namesOf = (...args: readonly string[]) =>
      readSettings((parse(command, args, {}, output) as { flags: Parameters<typeof readSettings>[0] }).flags).names;
    expect(namesOf('--beside', '.', '--only', 'raw')).toEqual(['raw', 'beside']);
    expect(namesOf('--beside', '.', '--only', 'raw', '--postgres')).toEqual([
      'raw',
      'beside',
      'postgres',
      'beside-postgres',
    ]);
    expect(namesOf()).not.toContain('beside');
    expect(namesOf('--record', '--beside', '.', '--postgres')).toContain('beside-postgres');
  });

  it.each([
    [['--only', 'raw,nothing'], /--only takes raw, sandbox, .*"nothing" is none of them/],
    [['--seconds', '0'], /--seconds takes a number above 0, not "0"/],
    [['--record', '--quick'], /--record keeps a whole run/],
    [['--beside', 'test/bench'], /--beside takes a checkout .*test\/bench isn't one/],
    [['--only', 'raw,beside'], /beside needs --beside with the folder of the other checkout/],
    [['--nonsense'], /Unknown option '--nonsense'/],
  ])('refuses %j and says what it takes', (args, message) => {
    const { output } = keepOutput();
    const read = () => {
      const { flags } = parse(command, args, {}, output) ?? {};
      return flags === undefined ? undefined : readSettings(flags);
    };
    expect(read).toThrow(message);
  });

  it.each(byLength([], ['ends with 1 when a server does not start, and shows what that one wrote']))('%s', async () => {
    const bench = run('test/bench/main.ts', ['--only', 'sandbox', '--starts', '0', '--sandbox=--nonsense']);
    expect(await bench.exit).toBe(1);
    expect(bench.output()).toMatch(
      /countersign\.mjs start .* ended with exit code 2 [\s\S]*Unknown option '--nonsense'/,
    );
  });
});
