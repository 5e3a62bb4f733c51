import type { AuthMethodType } from '../../../generated/types.ts';
import { credentials, type SessionRecord, sessions } from '../domains/auth/records.ts';

import type { Unit } from '../store/units/unit.ts';
import { isLive } from '../tools/clock.ts';

/** The active sessions of an account: those that may sign, before an operation's own rule narrows them. */
export async function activeSessions(unit: Unit, accountId: string): Promise<SessionRecord[]> {
  return (await sessions.where(unit, 'account_id', accountId)).filter((session) => isLive(session, unit.now()));
}

/** The `type` of a challenge that concerns a wallet as a whole: the oldest credential's; EMAIL_OTP without any (D16). */
export async function typeOfWallet(unit: Unit, accountId: string): Promise<AuthMethodType> {
  const [oldest] = await credentials.where(unit, 'account_id', accountId);
  return oldest?.type ?? 'EMAIL_OTP';
}
