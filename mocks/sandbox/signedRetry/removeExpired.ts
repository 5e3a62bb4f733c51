import { sessions } from '../domains/auth/records.ts';
import type { Unit } from '../store/units/unit.ts';
import { pendingRequests } from './records.ts';

/**
 * Removes the sessions and pending requests whose time is over: to every rule they are the same as none, so nothing is
 * lost and neither table grows with use.
 */
export async function removeExpired(unit: Unit): Promise<void> {
  await sessions.removeUpTo(unit, 'expires_at', unit.now());
  await pendingRequests.removeUpTo(unit, 'expires_at', unit.now());
}
