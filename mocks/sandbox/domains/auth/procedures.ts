import { sealToClient } from '../../proofs/seal.ts';
import { removeExpired } from '../../signedRetry/removeExpired.ts';
import type { Preparation, Unit } from '../../store/units/unit.ts';
import { given } from '../../tools/given.ts';
import { platformConfig } from '../tokens/procedures.ts';
import { type CredentialRecord, credentials, outbox, type SessionRecord, sessions, viewSession } from './records.ts';
import { lifetimes, pendingCode } from './rules.ts';

/** A session key sealed to a client, and for whom: made in `prepare`, used in the unit if the key is still the one. */
export interface SealedKey {
  readonly clientPublicKey: string;
  readonly encryptedSessionSigningKey: string;
  /** The public half, compressed in hex; absent for the stub of `magic` proofs. */
  readonly publicKey: string | undefined;
}

/** Makes a session's signing key and seals it to the client (D17). In `magic` proofs it is the public stub (D46). */
export async function sealSessionKey(clientPublicKey: string, preparation: Preparation): Promise<SealedKey> {
  const { scalar, publicKey } = preparation.proofs.newSessionKey(preparation.chance);
  const encryptedSessionSigningKey = await sealToClient(scalar, clientPublicKey, preparation.chance);
  return { clientPublicKey, encryptedSessionSigningKey, publicKey };
}

/** Starts a session of a credential (or, on refresh, of the session it follows) and delivers its key this once. */
export async function issueSession(
  unit: Unit,
  from: Pick<SessionRecord, 'accountId' | 'issuedBy' | 'type' | 'nickname' | 'passkeyId'>,
  sealed: SealedKey,
) {
  await removeExpired(unit);
  const session = await sessions.insert(unit, {
    id: unit.newId('Session'),
    accountId: from.accountId,
    issuedBy: from.issuedBy,
    type: from.type,
    nickname: from.nickname,
    ...given({ passkeyId: from.passkeyId, publicKey: sealed.publicKey }),
    createdAt: unit.now(),
    expiresAt: unit.now() + lifetimes.session,
  });
  return { ...viewSession(session), encryptedSessionSigningKey: sealed.encryptedSessionSigningKey };
}

/**
 * Sends a fresh one-time code: it can be used until it expires, and replaces one that was sent before. Its form and lifetime are
 * the platform's (D22, D41).
 */
export async function sendCode<C extends CredentialRecord>(unit: Unit, credential: C): Promise<C> {
  const { embeddedWalletConfig } = await platformConfig(unit);
  const { otpLength: length, alphanumeric, expirationSeconds } = embeddedWalletConfig;
  const { code, delivered } = unit.proofs().newCode(unit.chance(), { length, alphanumeric });
  if (delivered) {
    const { nickname: to, accountId } = credential;
    await outbox.insert(unit, { id: unit.newId('OutboxMessage'), to, code, accountId, sentAt: unit.now() });
    unit.tell({ type: 'CODE', accountId });
  }
  const expiresAt = unit.now() + expirationSeconds * 1000;
  return { ...credential, code: pendingCode(credential.id, code, unit.proofs().kind, expiresAt) };
}

/** Removes a wallet's credentials and sessions: from here on nobody signs in to it (D67). */
export async function endSignIn(unit: Unit, accountId: string): Promise<void> {
  for (const session of await sessions.where(unit, 'account_id', accountId)) await sessions.remove(unit, session);
  for (const credential of await credentials.where(unit, 'account_id', accountId))
    await credentials.remove(unit, credential);
}
