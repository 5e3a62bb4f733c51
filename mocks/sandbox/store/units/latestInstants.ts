import { type Clock, type ClockState, isSameClock, readClock } from '../../tools/clock.ts';

/**
 * The latest instant of each platform in this process. If the machine's clock goes back, a platform's time stands still
 * until the machine has caught up. So no reply and no record is older than one before it.
 *
 * Reads keep it only here, in memory. A unit that writes also stores it with the platform.
 */
export class LatestInstants {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { readonly clock: ClockState; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param stored the instant of the platform's latest write; null if it isn't known */
  read(platformId: string, state: ClockState, stored: number | null): number {
    const seen = this.#seen.get(platformId);
    // A clock that was moved or set again by somebody else has its own latest instant.
    const last = seen !== undefined && isSameClock(seen.clock, state) ? seen.at : Number.NEGATIVE_INFINITY;
    return Math.max(readClock(state, this.#clock.now()), last, stored ?? Number.NEGATIVE_INFINITY);
  }

  /** Reads the time for a unit, and keeps it. */
  keep(platformId: string, state: ClockState, stored: number | null): number {
    const now = this.read(platformId, state, stored);
    const seen = this.#seen.get(platformId);
    if (seen !== undefined && isSameClock(seen.clock, state)) seen.at = now;
    else this.#seen.set(platformId, { clock: state, at: now });
    return now;
  }

  /** Call this when the platform starts again, possibly at an earlier time, or ends. */
  forget(platformId: string): void {
    this.#seen.delete(platformId);
  }
}
