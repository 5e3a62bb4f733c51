import type { Minute } from '../platform/journal.ts';

const minutesShown = 60;
const height = 170;
/** The plot ends here. The times are below it. */
const floor = 145;

/** The requests of the last hour as bars, one for each minute; the refused ones are the red part. */
export function Chart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const start = (minutes.at(-1)?.at ?? 0) - (minutesShown - 1) * 60;
  const shown = minutes.filter(({ at }) => at >= start);
  const middle = Math.max(2, ...shown.map(({ requests }) => Math.ceil(requests / 2)));
  const topOf = (count: number): number => floor - (count / middle / 2) * (floor - 10);
  const percent = (at: number): number => ((at - start) / 60 / minutesShown) * 100;
  const times = Array.from({ length: minutesShown }, (_, index) => start + index * 60).filter(
    // A time at the edge of the chart would be cut off.
    (at) => at % 600 === 0 && percent(at) > 4 && percent(at) < 96,
  );
  const bar = (at: number, count: number, className: string) => (
    <rect x={`${percent(at)}%`} width="1.3%" y={topOf(count)} height={floor - topOf(count)} className={className} />
  );
  return (
    <svg className="chart" height={height} aria-hidden="true">
      {[0, middle, middle * 2].map((count) => (
        <g key={count}>
          <line x2="100%" y1={topOf(count)} y2={topOf(count)} />
          <text x="-8" y={topOf(count) + 4} textAnchor="end">
            {count}
          </text>
        </g>
      ))}
      {times.map((at) => (
        <text key={at} x={`${percent(at)}%`} y={height - 6} textAnchor="middle">
          {writeTime(at)}
        </text>
      ))}
      {shown.map(({ at, requests, refused }) => (
        <g key={at}>
          <title>{`${writeTime(at)}: ${requests} requests, ${refused} refused`}</title>
          {bar(at, requests, 'all')}
          {bar(at, refused, 'refused')}
        </g>
      ))}
    </svg>
  );
}

/** Formats a time as `09:05`, in UTC. */
function writeTime(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 16);
}
