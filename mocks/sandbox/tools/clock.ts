import { pause, performance } from '../node/machine/timers.ts';

/** The machine's clock, handed in so that nothing below reads time by itself. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}

// Asked for each time: a test that fakes `Date` moves the sandbox's time along with its own.
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since whenever, for how long something took. */
export type Stopwatch = () => number;

export const systemStopwatch: Stopwatch = () => performance.now();

/** Waits by the machine's clock: for what is asked to be late, and nothing else. Milliseconds. */
export function systemWait(milliseconds: number): Promise<void> {
  return pause(milliseconds);
}

/** Where the clock stands in a seeded run (D54), in milliseconds since 1970. */
export const seededStart = Date.UTC(2025, 9, 13);

/** A platform's own clock: runs beside the machine's at an offset, or stands still. */
export interface ClockState {
  readonly offsetMs: number;
  /** The instant it stands at, or null while it runs. */
  readonly frozenAt: number | null;
}

export const runningClock: ClockState = { offsetMs: 0, frozenAt: null };

/** The platform's time, in milliseconds since 1970, given the machine's. */
export function readClock(state: ClockState, machineNow: number): number {
  return state.frozenAt ?? machineNow + state.offsetMs;
}

/** The clock moved to `instant`; it goes on running or standing as before. The caller checks that it never goes back. */
export function moveClock(state: ClockState, machineNow: number, instant: number): ClockState {
  return state.frozenAt === null
    ? { offsetMs: instant - machineNow, frozenAt: null }
    : { offsetMs: state.offsetMs, frozenAt: instant };
}

/** The clock stopped where it is, or set running again from where it stood. */
export function freezeClock(state: ClockState, machineNow: number, freeze: boolean): ClockState {
  if (freeze) return { offsetMs: state.offsetMs, frozenAt: readClock(state, machineNow) };
  return { offsetMs: readClock(state, machineNow) - machineNow, frozenAt: null };
}

/** RFC 3339 in UTC with upper-case Z and milliseconds, the only form we emit (D37). */
export function toTimestamp(instant: number): string {
  return new Date(instant).toISOString();
}

/**
 * How far a clock can be set. The four-digit years of RFC 3339 go one year further, so that whatever expires after this
 * moment can still be said.
 */
export const lastInstant = Date.UTC(9998, 11, 31, 23, 59, 59, 999);

/** "Before `expiresAt`" is strict: at that instant it is over (D13). */
export function isLive(thing: { readonly expiresAt: number }, now: number): boolean {
  return now < thing.expiresAt;
}
