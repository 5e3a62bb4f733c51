/** The goals of the benchmark, and whether a run meets them. */
import { type Goal, labelOf, median, medianOf, type Result, type Series, whole } from './results.ts';
import { nameOf, type Start } from './starts.ts';

/** A difference of this share between two servers in one run is noise. */
const noise = 0.1;
const megabyte = 1e6;

/** Judges a run. */
export function judge({ series, starts, many, apart }: Pick<Result, 'series' | 'starts' | 'many' | 'apart'>): Goal[] {
  return [
    ratioGoal(series, 'record', 'GET by id at least 0.4 of raw', 0.4),
    ratioGoal(series, 'records', 'GET by id, 1 000 random addresses, at least 0.4 of raw', 0.4),
    ratioGoal(series, 'mixed', '80 % of those and 20 % POST /quotes at least 0.25 of raw', 0.25),
    memoryShareGoal(series),
    ratioGoal(series, 'few', 'list of 20 among 1 000 at least 0.4 of raw', 0.4),
    ratioGoal(series, 'quote', 'durable POST /quotes at least 0.11 of raw, under 32 connections', 0.11),
    ratioGoal(series, 'signed', 'signed retry at least 0.2 of raw', 0.2),
    aheadGoal(series, many, ['prism', 'scalar'], 'ahead of every other mock measured, while they keep no state'),
    withoutGoal(aheadGoal(series, many, ['mock'], 'beside `npm run mock` (examples of Prism behind our own front)')),
    listGoal(series),
    stallGoal(apart),
    ...sandboxGoals(apart),
    speedGoal(series, 'quote', 'PostgreSQL, one hot platform, 32 connections, at least 3 000 units/s', 3_000),
    speedGoal(series, 'platforms', 'PostgreSQL, twenty platforms, at least 4 500 units/s', 4_500),
    startGoal(starts),
    memoryGoal(starts),
  ];
}

/** For a figure that is shown but not judged. */
function withoutGoal({ goal, figure }: Goal): Goal {
  return { goal, figure };
}

function memoryShareGoal(series: readonly Series[]): Goal {
  const goal = 'at least 60 % of that mixture from memory';
  const own = series.find((one) => one.exchange === 'mixed' && one.server === 'sandbox');
  const share = own === undefined ? Number.NaN : medianOf(own, 'fromMemory');
  if (Number.isNaN(share)) return notMeasured(goal);
  return { goal, isMet: share >= 0.6, figure: `${Math.round(share * 100)} %` };
}

/** Requests per second of the sandbox on PostgreSQL. Each request is one unit of work. */
function speedGoal(series: readonly Series[], exchange: Series['exchange'], goal: string, least: number): Goal {
  const own = find(series, exchange, 'postgres');
  if (own === undefined) return notMeasured(goal);
  return { goal, isMet: own >= least, figure: `${whole(own)} units/s` };
}

function stallGoal(apart: Result['apart']): Goal {
  const goal = 'main thread at most 8 ms at a stretch, under 20 s of writes';
  const stall = apart?.stall ?? undefined;
  if (stall === undefined) return notMeasured(goal);
  const raw = apart?.rawStall ? `; raw ${apart.rawStall.ms.toFixed(1)} ms` : '';
  const figure = `${stall.ms.toFixed(1)} ms, at most ${stall.workMs.toFixed(1)} ms of it work${raw}`;
  return { goal, isMet: stall.ms <= 8, figure };
}

function sandboxGoals(apart: Result['apart']): Goal[] {
  const [time, memory] = ['200 `createSandbox()`, one request each, within 1.5 s', 'at most 1.2 MB each'] as const;
  const measured = apart?.sandboxes ?? undefined;
  if (measured === undefined) return [notMeasured(time), notMeasured(memory)];
  const { ms, bytesEach } = measured;
  return [
    { goal: time, isMet: ms <= 1500, figure: `${(ms / 1000).toFixed(2)} s` },
    { goal: memory, isMet: bytesEach <= 1.2 * megabyte, figure: `${(bytesEach / megabyte).toFixed(2)} MB` },
  ];
}

function find(series: readonly Series[], exchange: Series['exchange'], server: Series['server']): number | undefined {
  const found = series.find((one) => one.exchange === exchange && one.server === server);
  return found === undefined || found.rounds.length === 0 ? undefined : medianOf(found, 'requestsPerSecond');
}

function ratioGoal(series: readonly Series[], exchange: Series['exchange'], goal: string, least: number): Goal {
  const [own, raw] = [find(series, exchange, 'sandbox'), find(series, exchange, 'raw')];
  if (own === undefined || raw === undefined) return notMeasured(goal);
  return { goal, isMet: own / raw >= least, figure: `${(own / raw).toFixed(2)} of raw` };
}

/** Compares each exchange with each of those servers that ran it. */
function aheadGoal(series: readonly Series[], many: number, others: readonly Series['server'][], goal: string): Goal {
  const compared = series.flatMap(({ exchange, server }) => {
    const [own, other] = [find(series, exchange, 'sandbox'), find(series, exchange, server)];
    if (!others.includes(server) || own === undefined || other === undefined) return [];
    return [{ ratio: own / other, text: `${(own / other).toFixed(2)} × ${server} (${labelOf(exchange, many)})` }];
  });
  const sorted = compared.toSorted((one, another) => one.ratio - another.ratio);
  const [closest] = sorted;
  if (closest === undefined) return notMeasured(goal);
  const behind = sorted.filter(({ ratio }) => ratio <= 1);
  const figure = behind.length === 0 ? `at least ${closest.text}` : behind.map(({ text }) => text).join(', ');
  return { goal, isMet: behind.length === 0, figure };
}

function listGoal(series: readonly Series[]): Goal {
  const goal = `list cost independent of the store's size (within ${noise * 100} %)`;
  const [few, many] = [find(series, 'few', 'sandbox'), find(series, 'many', 'sandbox')];
  if (few === undefined || many === undefined) return notMeasured(goal);
  return { goal, isMet: many / few >= 1 - noise, figure: `${(many / few).toFixed(2)} of the smaller store's speed` };
}

function startGoal(starts: readonly Start[]): Goal {
  const goal = 'first reply within 280 ms of starting, new data file, warm compile cache';
  const own = starts.filter(({ server }) => server === 'sandbox');
  const medianWhere = (matches: (start: Start) => boolean): number =>
    median(own.filter(matches).map(({ firstReplyMs }) => firstReplyMs));
  const existing = medianWhere(({ cache, data }) => cache === 'warm' && data === 'existing');
  const fresh = medianWhere(({ cache, data }) => cache === 'warm' && data === 'new');
  const cold = medianWhere(({ cache }) => cache === 'cold');
  if (own.length === 0) return notMeasured(goal);
  const figure = `${whole(fresh)} ms; ${whole(existing)} ms with an existing one; cold ${whole(cold)} ms`;
  return { goal, isMet: Math.max(existing, fresh) <= 280, figure };
}

function memoryGoal(starts: readonly Start[]): Goal {
  const goal = 'at most 110 MB at rest';
  const held = starts.filter(({ server, restBytes }) => server === 'sandbox' && restBytes !== null);
  const [largest] = held.toSorted((one, other) => (other.restBytes ?? 0) - (one.restBytes ?? 0));
  if (largest === undefined) return notMeasured(goal);
  const megabytes = (largest.restBytes ?? 0) / megabyte;
  return { goal, isMet: megabytes <= 110, figure: `${megabytes.toFixed(0)} MB (${nameOf(largest)})` };
}

function notMeasured(goal: string): Goal {
  return { goal, isMet: null, figure: 'not measured' };
}
