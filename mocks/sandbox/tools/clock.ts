import { pause, performance, setImmediate } from '../node/machine/timers.ts';

/**
 * The machine's clock, in milliseconds since 1970, UTC. It is passed in, so that other code never reads the time
 * itself.
 */
export interface Clock {
  now(): number;
}

// `Date` is read at each call, so that a test that fakes it also moves the sandbox's time.
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since an arbitrary moment, to measure durations. */
export type Stopwatch = () => number;

export const systemStopwatch: Stopwatch = () => performance.now();

/** Waits on the machine's clock, in milliseconds. Use it only for requested delays. */
export function systemWait(milliseconds: number): Promise<void> {
  return pause(milliseconds);
}

/** Lets the event loop turn, so that others are answered before long work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The initial time of the clock in a seeded run (D54), in milliseconds since 1970. */
export const seededStart = Date.UTC(2025, 9, 13);

/** A platform's own clock. It runs with the machine's at an offset, or stands still. */
export interface ClockState {
  readonly offsetMs: number;
  /** The instant at which it stands; null while it runs. */
  readonly frozenAt: number | null;
}

export const runningClock: ClockState = { offsetMs: 0, frozenAt: null };

/** The platform's time in milliseconds since 1970, for a time of the machine. */
export function readClock(state: ClockState, machineNow: number): number {
  return state.frozenAt ?? machineNow + state.offsetMs;
}

/** Moves the clock to `instant`. It keeps running or standing. The caller checks that it never goes back. */
export function moveClock(state: ClockState, machineNow: number, instant: number): ClockState {
  return state.frozenAt === null
    ? { offsetMs: instant - machineNow, frozenAt: null }
    : { offsetMs: state.offsetMs, frozenAt: instant };
}

/** Stops the clock at its current time `now`, or lets it run again from there. */
export function freezeClock(state: ClockState, machineNow: number, now: number, freeze: boolean): ClockState {
  if (freeze) return { offsetMs: state.offsetMs, frozenAt: now };
  return { offsetMs: now - machineNow, frozenAt: null };
}

/** Whether two states are of the same clock, moved and stopped in the same way. */
export function isSameClock(one: ClockState, other: ClockState): boolean {
  return one.offsetMs === other.offsetMs && one.frozenAt === other.frozenAt;
}

/** RFC 3339 in UTC with upper-case Z and milliseconds, the only form we write (D37). */
export function toTimestamp(instant: number): string {
  return new Date(instant).toISOString();
}

/**
 * The latest time that a clock can be set to. RFC 3339's four-digit years end one year later, so that all expiry times
 * after this moment can still be written.
 */
export const lastInstant = Date.UTC(9998, 11, 31, 23, 59, 59, 999);

/** "Before `expiresAt`" is strict: at that instant it has expired (D13). */
export function isLive(thing: { readonly expiresAt: number }, now: number): boolean {
  return now < thing.expiresAt;
}
