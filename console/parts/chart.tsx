/** Requests per minute. The library asks the browser for its language when it loads, and only this view needs it. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Minute } from '../platform/journal.ts';

const span = 60;

export default function Chart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is made once, and given new values below
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    const color = (name: string): string => resolve(element, style.getPropertyValue(name));
    const [line, soft, bad, grid] = ['--link', '--soft', '--bad', '--line'].map(color);
    const axis = {
      stroke: soft ?? '',
      grid: { stroke: grid ?? '', width: 1 },
      ticks: { stroke: grid ?? '', width: 1 },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: 170,
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(5, max)] } },
        axes: [
          { ...axis, values: (_plot, at) => at.map(writeTime) },
          { ...axis, size: 44 },
        ],
        series: [
          {},
          { label: 'Requests', stroke: line ?? '', width: 2, fill: `${line}22`, points: { show: false } },
          { label: 'Refused', stroke: bad ?? '', width: 2, points: { show: false } },
        ],
      },
      fill(minutes),
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 170 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(fill(minutes)), [minutes]);
  return <div className="chart" ref={place} aria-hidden="true" />;
}

/** Formats a time as `09:05`, in UTC. */
function writeTime(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 16);
}

/** A canvas needs the color itself, not the style that defines it. */
function resolve(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const parts = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [];
  probe.remove();
  return `#${parts
    .slice(0, 3)
    .map((one) => Math.round(Number(one)).toString(16).padStart(2, '0'))
    .join('')}`;
}

/** The last hour, including the minutes without requests. */
function fill(minutes: readonly Minute[]): uPlot.AlignedData {
  const last = minutes.at(-1)?.at ?? Math.floor(Date.now() / 60_000) * 60;
  const known = new Map(minutes.map((minute) => [minute.at, minute]));
  const at = Array.from({ length: span }, (_, index) => last - (span - 1 - index) * 60);
  return [at, at.map((one) => known.get(one)?.requests ?? 0), at.map((one) => known.get(one)?.refused ?? 0)];
}
