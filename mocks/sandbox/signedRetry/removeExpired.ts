import { sessions } from '../domains/auth/records.ts';
import type { Unit } from '../store/units/unit.ts';
import { pendingRequests } from './records.ts';

/**
 * Removes expired sessions and pending requests. To every rule they don't exist anyway, so nothing is lost, and the
 * tables don't grow with use.
 */
export async function removeExpired(unit: Unit): Promise<void> {
  await sessions.removeUpTo(unit, 'expires_at', unit.now());
  await pendingRequests.removeUpTo(unit, 'expires_at', unit.now());
}
