import { sessions } from '../domains/auth/records.ts';
import type { Unit } from '../store/units/unit.ts';
import { pendingRequests } from './records.ts';

/**
 * Removes expired sessions and pending requests. To every rule they don't exist anyway, so nothing is lost, and the
 * tables don't grow with use.
 */
export async function removeExpired(unit: Unit): Promise<void> {
  await removeUpTo(unit, unit.now());
}

/**
 * The same, but only those that expired before the current second. Under a steady load, they are then removed once a second and
 * not one by one.
 */
export async function removeLongExpired(unit: Unit): Promise<void> {
  await removeUpTo(unit, Math.floor(unit.now() / 1000) * 1000 - 1);
}

async function removeUpTo(unit: Unit, last: number): Promise<void> {
  await sessions.removeExpired(unit, last);
  await pendingRequests.removeExpired(unit, last);
}
