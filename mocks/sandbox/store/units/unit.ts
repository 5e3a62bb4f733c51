import type { Proofs } from '../../proofs/proofs.ts';
import type { Chance, IdType } from '../../tools/chance.ts';
import type { ClockState } from '../../tools/clock.ts';
import type { Cursors } from '../../tools/cursor.ts';
import type { Problem } from '../../tools/problem.ts';
import type { Reader } from '../store.ts';
import type { PlatformLoad } from './load.ts';
import type { UnitMemory } from './memory.ts';
import type { PlatformState } from './platformState.ts';

/**
 * An effect of a unit that no request caused, or that a listener waits for. It is reported once the unit is committed.
 */
export type UnitEvent =
  | { readonly type: 'CODE'; readonly accountId: string }
  | { readonly type: 'DUE'; readonly kind: string; readonly subjectId: string; readonly dueAt: number };

/** A unit of work of one platform: everything that a handler may use. */
export interface Unit extends Reader {
  readonly platformId: string;
  /** The name under which the platform's rows are stored, for queries. */
  readonly rowsId: string;
  /** Whether these rows aren't the platform's yet, so that nobody may find the platform by them. */
  readonly isHidden: boolean;
  /** Lets others have their turn if this is long work that has taken long enough. Don't call it inside {@link attempt}. */
  pause(): Promise<void>;
  /** The platform's time in milliseconds since 1970, constant within the unit. Calling it ends {@link isRepeatable}. */
  now(): number;
  /** The same time, for code that only checks whether an effect is due: see {@link isRepeatable}. */
  readonly dueBy: number;
  /** The clock that shows this time, for what is shown later. It stands while the machine's clock is behind. */
  readonly clock: ClockState;
  /** Calling it ends {@link isRepeatable}. */
  chance(): Chance;
  /**
   * Whether the unit would return the same if it ran again on the same records: it has written nothing, and hasn't used
   * time, chance or proofs.
   */
  isRepeatable(): boolean;
  /** The platform's growing sequence, which orders its lists. */
  nextSequence(): number;
  /** The latest number of that sequence. Calling it ends {@link isRepeatable}. */
  lastSequence(): number;
  /** Continues the sequence from a number, unless it is already higher. */
  continueFrom(sequence: number): void;
  /** Notes that the platform's records weigh more or less than before, in bytes. */
  weigh(change: number): void;
  newId(type: IdType): string;
  /** The same unit at an earlier instant. */
  at(instant: number): Unit;
  /**
   * The same unit for an effect that was due at an earlier instant and is carried out only now. The name of the effect
   * decides its chance, so it doesn't depend on the unit that carries it out.
   */
  effectAt(instant: number, name: string): Unit;
  /** Does the work. If it throws a Problem, undoes the work and returns the Problem. Any other error ends the unit. */
  attempt<T>(work: () => Promise<T>): Promise<T | Problem>;
  readonly cursors: Cursors;
  /** How the platform checks proofs. Calling it ends {@link isRepeatable}. */
  proofs(): Proofs;
  /** The platform's rows that are known without asking. A writing statement through `execute` empties it. */
  readonly memory: UnitMemory;
  /** Runs statements like `execute`, for code that updates {@link memory} itself. */
  readonly rows: Reader;
  /** The tables that were read, from the engine or from {@link memory}. */
  readonly looked: Set<string>;
  /** Bytes for `label` on this platform, always the same. */
  derive(label: string, length: number): Uint8Array<ArrayBuffer>;
  readonly state: PlatformState;
  /** Reports an event to the platform's listeners, if the unit is committed. */
  tell(event: UnitEvent): void;
  /** Replaces the platform's state. `now` doesn't change for the rest of this unit. */
  setState(state: PlatformState): void;
}

/** A unit of long work that can wait for something else. */
export interface LongUnit extends Unit {
  /** Waits for something outside of the store. Others have their turn meanwhile. */
  outside<T>(wait: () => Promise<T>): Promise<T>;
}

/** The same for work outside a unit that must not write (see `prepare`): caller, time, and chance. */
export interface Preparation {
  readonly platformId: string;
  readonly rowsId: string;
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

/**
 * Runs a part of long work as a unit. A part ends soon after `isOver` says so, and the next one goes on.
 * @see Store.hold
 */
export type RunPart = <T>(part: (unit: Unit, isOver: () => boolean) => Promise<T>) => Promise<T>;

/** Opens units of work on a store, each with its platform's clock, sequence and chance. */
export interface Units {
  /** @throws StorageUnavailable, and any error of `work`. Nothing is stored then */
  run<T>(platformId: string, work: (unit: Unit) => Promise<T>): Promise<T>;
  /**
   * Runs long work that reads a platform. Its own units wait meanwhile, so it sees the platform at one instant.
   * @throws StorageUnavailable, and any error of `work`.
   */
  inSlices<T>(platformId: string, work: (run: RunPart) => Promise<T>): Promise<T>;
  /**
   * Creates a platform if it doesn't exist yet, and runs `fill` in the same unit. `first` is stored for {@link reset}.
   * @param isCounted whether {@link countMade} counts it; true if absent.
   * @returns whether it was created.
   */
  create<First extends InitialPlatform>(
    platformId: string,
    first: First,
    fill: Fill<First>,
    isCounted?: boolean,
  ): Promise<boolean>;
  /** Replaces a platform's content by its initial state. */
  reset<First extends InitialPlatform>(platformId: string, fill: Fill<First>): Promise<void>;
  /**
   * Replaces a platform's content by other data, or changes nothing if `fill` throws. The target of {@link reset} doesn't
   * change. It is long work: others have their turn where `fill` pauses.
   */
  replace(platformId: string, fill: (unit: LongUnit) => Promise<void>): Promise<void>;
  /** Changes the target of {@link reset}. Older stored values may lack any field. */
  changeInitial<First extends InitialPlatform>(
    platformId: string,
    change: (kept: Partial<First>) => First,
  ): Promise<void>;
  /** Removes a platform with all its data. */
  end(platformId: string): Promise<void>;
  /** Finishes what a process that was killed has left. Call it before requests are served. */
  finish(): Promise<void>;
  exists(platformId: string): Promise<boolean>;
  /** The number of counted platforms ever created, including those that have ended. */
  countMade(): Promise<number>;
  /** The ten platforms whose records weigh most, the heaviest first, and what they ask of this process. */
  heaviest(): Promise<readonly PlatformLoad[]>;
  preparation(platformId: string, purpose: string): Promise<Preparation>;
  /** The state of a platform's clock. */
  clockOf(platformId: string): Promise<ClockState>;
  /** See {@link Changes}; undefined if the store can't tell. */
  versionOf(platformId: string, tables: Iterable<string>): number | undefined;
  /** The value that the platform's latest unit left in its `memory` under a name; undefined if it isn't known. */
  recall(platformId: string, name: string): unknown;
}
