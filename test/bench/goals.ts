/** The goals that the sandbox is measured by, and whether a run meets them. */
import { type Goal, labelOf, median, medianOf, type Result, type Series, whole } from './results.ts';
import { nameOf, type Start } from './starts.ts';

/** Between two servers of one run this much is noise. */
const noise = 0.1;
const megabyte = 1e6;

/** Judges a run. */
export function judge({ series, starts, many }: Pick<Result, 'series' | 'starts' | 'many'>): Goal[] {
  return [
    ratioGoal(series, 'record', 'GET by id at least 0.4 of raw', 0.4),
    ratioGoal(series, 'few', 'list of 20 among 1 000 at least 0.4 of raw', 0.4),
    ratioGoal(series, 'quote', 'durable POST /quotes at least 0.15 of raw, under 32 connections', 0.15),
    aheadGoal(series, many, ['prism', 'scalar'], 'ahead of every other mock measured, while they keep no state'),
    aheadGoal(series, many, ['mock'], 'ahead of `npm run mock` too (examples of Prism behind our own front)'),
    listGoal(series),
    startGoal(starts),
    memoryGoal(starts),
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

/** Each exchange with each of those servers that could be asked. */
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
  const goal = 'first reply within 300 ms of starting, warm compile cache';
  const own = starts.filter(({ server }) => server === 'sandbox');
  const medianWhere = (matches: (start: Start) => boolean): number =>
    median(own.filter(matches).map(({ firstReplyMs }) => firstReplyMs));
  const existing = medianWhere(({ cache, data }) => cache === 'warm' && data === 'existing');
  const fresh = medianWhere(({ cache, data }) => cache === 'warm' && data === 'new');
  const cold = medianWhere(({ cache }) => cache === 'cold');
  if (own.length === 0) return notMeasured(goal);
  const figure = `${whole(existing)} ms, ${whole(fresh)} ms with a new data file; cold ${whole(cold)} ms`;
  return { goal, isMet: Math.max(existing, fresh) <= 300, figure };
}

function memoryGoal(starts: readonly Start[]): Goal {
  const goal = 'under 120 MB at rest';
  const held = starts.filter(({ server, restBytes }) => server === 'sandbox' && restBytes !== null);
  const [largest] = held.toSorted((one, other) => (other.restBytes ?? 0) - (one.restBytes ?? 0));
  if (largest === undefined) return notMeasured(goal);
  const megabytes = (largest.restBytes ?? 0) / megabyte;
  return { goal, isMet: megabytes < 120, figure: `${megabytes.toFixed(0)} MB (${nameOf(largest)})` };
}

function notMeasured(goal: string): Goal {
  return { goal, isMet: null, figure: 'not measured' };
}
