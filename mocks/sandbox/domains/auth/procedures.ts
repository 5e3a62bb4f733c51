import { sealToClient } from '../../proofs/seal.ts';
import { removeExpired } from '../../signedRetry/removeExpired.ts';
import type { Preparation, Unit } from '../../store/units/unit.ts';
import { given } from '../../tools/given.ts';
import { platformConfig } from '../tokens/procedures.ts';
import { type CredentialRecord, credentials, outbox, type SessionRecord, sessions, viewSession } from './records.ts';
import { lifetimes, pendingCode } from './rules.ts';

/**
 * A session key sealed to a client's key. `prepare` makes it, and the unit uses it if the client's key is still the
 * same.
 */
export interface SealedKey {
  readonly clientPublicKey: string;
  readonly encryptedSessionSigningKey: string;
  /** The public key, compressed in hex; absent for the stub of `magic` proofs. */
  readonly publicKey: string | undefined;
}

/**
 * Creates a session's signing key and seals it to the client (D17). With `magic` proofs it is the public stub (D46).
 */
export async function sealSessionKey(clientPublicKey: string, preparation: Preparation): Promise<SealedKey> {
  const { scalar, publicKey } = preparation.proofs.newSessionKey(preparation.chance);
  const encryptedSessionSigningKey = await sealToClient(scalar, clientPublicKey, preparation.chance);
  return { clientPublicKey, encryptedSessionSigningKey, publicKey };
}

/** Starts a session for a credential, or on refresh for the session before it. The reply contains its key, once. */
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
 * Sends a new one-time code. It is valid until it expires, and it replaces the code that was sent before. The platform
 * chooses its form and lifetime (D22, D41).
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

/** Removes a wallet's credentials and sessions, so that nobody can sign in to it (D67). */
export async function endSignIn(unit: Unit, accountId: string): Promise<void> {
  for (const session of await sessions.where(unit, 'account_id', accountId)) await sessions.remove(unit, session);
  for (const credential of await credentials.where(unit, 'account_id', accountId))
    await credentials.remove(unit, credential);
}
