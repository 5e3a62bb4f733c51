import type { Proofs } from '../../proofs/proofs.ts';
import type { Chance, IdType } from '../../tools/chance.ts';
import type { ClockState } from '../../tools/clock.ts';
import type { Cursors } from '../../tools/cursor.ts';
import type { Problem } from '../../tools/problem.ts';
import type { Reader } from '../store.ts';
import type { UnitMemory } from './memory.ts';
import type { PlatformState } from './platformState.ts';

/** What a unit did that nobody asked for, or that somebody waits for elsewhere. It is told once the unit is kept. */
export type UnitEvent =
  | { readonly type: 'CODE'; readonly accountId: string }
  | { readonly type: 'DUE'; readonly kind: string; readonly subjectId: string; readonly dueAt: number };

/** One unit of work of one platform: everything a handler may touch. */
export interface Unit extends Reader {
  readonly platformId: string;
  /** The platform's time, the same all through the unit; milliseconds since 1970. Asking ends {@link isRepeatable}. */
  now(): number;
  /** The same, for code that only looks whether something is due: see {@link isRepeatable}. */
  readonly dueBy: number;
  /** Asking ends {@link isRepeatable}. */
  chance(): Chance;
  /**
   * Whether the unit would come to the same if it were run again on the same records: nothing was written, and nobody
   * has looked at time, chance or proofs.
   */
  isRepeatable(): boolean;
  /** The platform's growing sequence: the order of its lists. */
  nextSequence(): number;
  /** The last number of that sequence that was given. Asking ends {@link isRepeatable}. */
  lastSequence(): number;
  /** Has the sequence go on from there, if it is not further already. */
  continueFrom(sequence: number): void;
  newId(type: IdType): string;
  /** The same unit at an earlier instant: for what was due then and is carried out only now. */
  at(instant: number): Unit;
  /**
   * Does the work, or leaves nothing of it and returns the Problem that it ended in; whatever else is thrown goes on and
   * ends the unit.
   */
  attempt<T>(work: () => Promise<T>): Promise<T | Problem>;
  readonly cursors: Cursors;
  /** How the platform checks proofs. Asking ends {@link isRepeatable}. */
  proofs(): Proofs;
  /** What is known of the platform's rows without asking. A statement that writes by `execute` empties it. */
  readonly memory: UnitMemory;
  /** Runs statements as `execute` does, for who tells {@link memory} what they change. */
  readonly rows: Reader;
  /** The tables that were looked at, in the engine or in {@link memory}. */
  readonly looked: Set<string>;
  /** Bytes that belong to `label` on this platform, always the same. */
  derive(label: string, length: number): Uint8Array<ArrayBuffer>;
  readonly state: PlatformState;
  /** Has something told to the platform's listeners, if the unit is kept. */
  tell(event: UnitEvent): void;
  /** Replaces what the platform keeps; `now` stays as it was for the rest of this unit. */
  setState(state: PlatformState): void;
}

/** The same for work outside a unit that must not write (see `prepare`): who, when, and chance. */
export interface Preparation {
  readonly platformId: string;
  readonly now: number;
  readonly chance: Chance;
  readonly proofs: Proofs;
  derive(label: string, length: number): Uint8Array<ArrayBuffer>;
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
}

/** The initial state of a platform. The code that fills it knows the rest. */
export interface InitialPlatform {
  readonly state: PlatformState;
}

export type Fill<First extends InitialPlatform> = (unit: Unit, first: First) => Promise<void>;

/** Opens units of work on a store, each with its platform's clock, sequence and chance. */
export interface Units {
  /** @throws StorageUnavailable, and whatever `work` throws, after nothing was kept. */
  run<T>(platformId: string, work: (unit: Unit) => Promise<T>): Promise<T>;
  /**
   * Makes a platform if it is not there yet, and runs `fill` in the same unit. `first` is kept for {@link reset}.
   * @returns whether it was made.
   */
  create<First extends InitialPlatform>(platformId: string, first: First, fill: Fill<First>): Promise<boolean>;
  /** Empties a platform and makes it what it was at first, all in one unit. */
  reset<First extends InitialPlatform>(platformId: string, fill: Fill<First>): Promise<void>;
  /** Empties a platform and fills it with something else, all in one unit; what {@link reset} goes back to stays. */
  replace(platformId: string, fill: (unit: Unit) => Promise<void>): Promise<void>;
  /** Changes what {@link reset} brings a platform back to; what was kept before may lack anything. */
  changeInitial<First extends InitialPlatform>(
    platformId: string,
    change: (kept: Partial<First>) => First,
  ): Promise<void>;
  /** Removes a platform with all that it has. */
  end(platformId: string): Promise<void>;
  exists(platformId: string): Promise<boolean>;
  /** How many platforms were made in all, those that have ended among them. */
  countMade(): Promise<number>;
  preparation(platformId: string, purpose: string): Promise<Preparation>;
  /** The state of a platform's clock. */
  clockOf(platformId: string): Promise<ClockState>;
  /** See {@link Changes}; undefined where the store can't tell. */
  versionOf(platformId: string, tables: Iterable<string>): number | undefined;
  /** What the platform's last unit has left in its `memory` under a name; undefined where nobody knows. */
  recall(platformId: string, name: string): unknown;
}
