import type { AuthMethodType } from '../../../generated/types.ts';
import { credentials, type SessionRecord, sessions } from '../domains/auth/records.ts';

import type { Unit } from '../store/units/unit.ts';
import { isLive } from '../tools/clock.ts';
import type { Problem } from '../tools/problem.ts';
import { invalidWalletSignature } from './rules.ts';

/** The active sessions of an account. They may sign, unless the operation's own rule excludes them. */
export async function activeSessions(unit: Unit, accountId: string): Promise<SessionRecord[]> {
  return (await sessions.where(unit, 'account_id', accountId)).filter((session) => isLive(session, unit.now()));
}

/** The `type` of a challenge for a whole wallet: that of the oldest credential, or EMAIL_OTP if there is none (D16). */
export async function typeOfWallet(unit: Unit, accountId: string): Promise<AuthMethodType> {
  const [oldest] = await credentials.where(unit, 'account_id', accountId);
  return oldest?.type ?? 'EMAIL_OTP';
}

/** Why no signature of the wallet was accepted. @returns 401 with reason `Invalid Service-Wallet-Signature` */
export async function refuseSignature(unit: Unit, accountId: string, signature: string): Promise<Problem> {
  const hasCredential = (await credentials.where(unit, 'account_id', accountId)).length > 0;
  const hasSession = (await activeSessions(unit, accountId)).length > 0;
  return invalidWalletSignature({ hasCredential, hasSession }, unit.proofs().signatureHint(signature));
}
