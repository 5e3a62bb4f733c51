/** What a run has measured; `latest.json` is one of these. */

import { type ExchangeName, readCustomers } from './requests.ts';
import type { Round } from './round.ts';
import type { Start } from './starts.ts';
import type { ServerName } from './targets.ts';

/** All rounds of one exchange on one server. */
export interface Series {
  readonly exchange: ExchangeName;
  readonly server: ServerName;
  readonly rounds: readonly Round[];
  /** What a reader must know of the figures. */
  readonly note?: string;
}

/** What a server holds when the load is over, in bytes. */
export interface Memory {
  readonly server: ServerName;
  readonly afterLoadBytes: number | null;
}

export interface Result {
  readonly startedAt: string;
  readonly command: string;
  /** What was measured; null outside a repository. */
  readonly commit: string | null;
  readonly machine: Machine;
  /** How many external accounts are in the larger store. */
  readonly many: number;
  readonly starts: readonly Start[];
  readonly memory: readonly Memory[];
  readonly series: readonly Series[];
  readonly goals: readonly Goal[];
  /** What is measured by itself, beside the load. */
  readonly apart?: Apart;
}

/** Sandboxes in one program, each with one request. */
export interface ManySandboxes {
  readonly count: number;
  readonly ms: number;
  readonly bytesEach: number;
}

export interface Apart {
  /** The median of three processes. */
  readonly sandboxes: ManySandboxes | null;
  /** The longest time for which the main thread of `npm start` did nothing else, in milliseconds, under durable writes. */
  readonly stallMs: number | null;
  /** How long the load wrote to it. */
  readonly stallSeconds: number;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  readonly system: string;
  /** The median time that a small write to a new file needs to reach the disk. */
  readonly syncMs: number;
  /** By name: Node, SQLite, and the packages that are measured or measure. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The middle value; of an even number of values the lower of the two. Zero when there is none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The median of a figure over the rounds that have it; NaN when none has. */
export function medianOf({ rounds }: Series, key: Exclude<keyof Round, 'failure'>): number {
  const values = rounds.map((round) => round[key]).filter((value) => value !== null && value !== undefined);
  return values.length === 0 ? Number.NaN : median(values);
}

/** Rounded, with a space between the thousands: 12 345. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}

/** How a reader knows an exchange. */
export function labelOf(exchange: Series['exchange'], many: number): string {
  const labels = {
    record: 'GET by id',
    records: `GET by id, ${whole(readCustomers)} addresses`,
    mixed: `80 % of those, 20 % quotes`,
    few: 'list, 20 of 1 000',
    many: `list, 20 of ${whole(many)}`,
    quote: 'POST /quotes',
    platforms: 'POST /quotes, 20 platforms',
    signed: 'signed retry',
  };
  return labels[exchange];
}

/** What went wrong, a line for each round in which an answer was not as it should be. */
export function failuresOf(series: readonly Series[]): string[] {
  return series.flatMap(({ exchange, server, rounds }) =>
    rounds.flatMap(({ failure }) => (failure === undefined ? [] : [`${exchange} on ${server}: ${failure}`])),
  );
}

export interface Goal {
  readonly goal: string;
  /** Null when the run did not measure it, absent for what is only looked at. */
  readonly isMet?: boolean | null;
  readonly figure: string;
}
