/** The results of a run, as in `latest.json`. */

import { type ExchangeName, readCustomers } from './requests.ts';
import type { Round } from './round.ts';
import type { Start } from './starts.ts';
import type { ServerName } from './targets.ts';

/** All rounds of one exchange on one server. */
export interface Series {
  readonly exchange: ExchangeName;
  readonly server: ServerName;
  readonly rounds: readonly Round[];
  /** A remark that readers of the figures need. */
  readonly note?: string;
}

/** The memory of a server after the load, in bytes. */
export interface Memory {
  readonly server: ServerName;
  readonly afterLoadBytes: number | null;
}

export interface Result {
  readonly startedAt: string;
  readonly command: string;
  /** The measured commit; null outside a repository. */
  readonly commit: string | null;
  /** The commit of the other checkout, if there was one. */
  readonly beside?: string | null;
  readonly machine: Machine;
  /** How many external accounts the larger store has. */
  readonly many: number;
  readonly starts: readonly Start[];
  readonly memory: readonly Memory[];
  readonly series: readonly Series[];
  readonly goals: readonly Goal[];
  /** The measurements outside the load. */
  readonly apart?: Apart;
}

/** Sandboxes in one program, each with one request. */
export interface ManySandboxes {
  readonly count: number;
  readonly ms: number;
  readonly bytesEach: number;
}

/** How long a main thread was busy without a break, at most, in milliseconds. */
export interface Stall {
  readonly ms: number;
  /** The most CPU time that the thread used at a stretch. */
  readonly workMs: number;
}

export interface Apart {
  /** The median of three processes. */
  readonly sandboxes: ManySandboxes | null;
  /** The stall of `npm start` under durable writes. */
  readonly stall: Stall | null;
  /** The stall of the raw server under the same requests. */
  readonly rawStall: Stall | null;
  /** The stall of the other checkout. */
  readonly besideStall?: Stall;
  /** How long the load wrote. */
  readonly stallSeconds: number;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  readonly system: string;
  /** The median time until a small write to a new file is on the disk. */
  readonly syncMs: number;
  /** By name: Node, SQLite, and the packages that are measured or that measure. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The middle value, or the lower of the two middle values. Zero if there is none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The median of a figure over the rounds that have it; NaN if none has it. */
export function medianOf({ rounds }: Series, key: Exclude<keyof Round, 'failure'>): number {
  const values = rounds.map((round) => round[key]).filter((value) => value !== null && value !== undefined);
  return values.length === 0 ? Number.NaN : median(values);
}

/** Rounded, with a space between the thousands: 12 345. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}

/** The name of an exchange for readers. */
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

/** A line for each round with a wrong answer. */
export function failuresOf(series: readonly Series[]): string[] {
  return series.flatMap(({ exchange, server, rounds }) =>
    rounds.flatMap(({ failure }) => (failure === undefined ? [] : [`${exchange} on ${server}: ${failure}`])),
  );
}

export interface Goal {
  readonly goal: string;
  /** Null if the run did not measure it; absent if it is only shown. */
  readonly isMet?: boolean | null;
  readonly figure: string;
}
