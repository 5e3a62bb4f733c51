import type { AuthMethodResponse, AuthMethodType, AuthSession } from '../../../../generated/types.ts';
import { sha256Hex } from '../../node/machine/crypto.ts';
import type { Attested, OidcClaims, PasskeyKey, ProofResult, ProofSettings } from '../../proofs/proofs.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { isLive, toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { Problem } from '../../tools/problem.ts';

/** The facts of a passkey from its registration, and from its use since then. */
export interface PasskeyFacts {
  /** The WebAuthn credential id, in the canonical base64url spelling. */
  readonly credentialId: string;
  readonly transports: readonly string[];
  /** Verified at registration; absent if the platform had `magic` proofs then. */
  readonly key?: PasskeyKey;
  /** The first user handle that it presented. A different one is refused (D58). */
  readonly userHandle?: string;
}

/** A stored one-time code. It is hashed, and valid only with the kind of proofs that created it. */
export interface PendingCode {
  readonly hash: string;
  readonly proofs: ProofSettings['proofs'];
  readonly expiresAt: number;
  /** The number of wrong answers left; absent if they aren't counted. */
  readonly attemptsLeft?: number;
}

/** A stored credential. */
export interface CredentialRecord {
  readonly id: string;
  readonly accountId: string;
  readonly type: AuthMethodType;
  readonly nickname: string;
  readonly passkey?: PasskeyFacts;
  /** OAUTH: the identity at the provider, as one text (D12). */
  readonly oidcIdentity?: string;
  /** EMAIL_OTP: the code that was sent last, while it is valid (D22). */
  readonly code?: PendingCode;
  /** The times of recent challenges, oldest first. The challenge limit counts them (D14). */
  readonly challengedAt: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const credentials = recordTable<
  CredentialRecord,
  'account_id' | 'email_account_id' | 'email' | 'passkey_id' | 'oidc_identity'
>({
  name: 'credentials',
  columns: (credential) => ({
    account_id: credential.accountId,
    email_account_id: credential.type === 'EMAIL_OTP' ? credential.accountId : null,
    email: credential.type === 'EMAIL_OTP' ? credential.nickname.toLowerCase() : null,
    passkey_id: credential.passkey?.credentialId ?? null,
    // Hashed, because it may be longer than an index of PostgreSQL allows.
    oidc_identity: credential.oidcIdentity === undefined ? null : sha256Hex(credential.oidcIdentity),
  }),
  remembered: ['account_id'],
});

/** A stored session. A session that ended is removed. */
export interface SessionRecord {
  readonly id: string;
  readonly accountId: string;
  /** The credential that issued it, directly or through refreshes. */
  readonly issuedBy: string;
  readonly type: AuthMethodType;
  readonly nickname: string;
  readonly passkeyId?: string;
  /** The key that signs this session's stamps, compressed in hex; absent if it was issued with `magic` proofs. */
  readonly publicKey?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const sessions = recordTable<SessionRecord, 'account_id' | 'credential_id' | 'expires_at'>({
  name: 'sessions',
  columns: (session) => ({
    account_id: session.accountId,
    credential_id: session.issuedBy,
    expires_at: session.expiresAt,
  }),
  remembered: ['account_id'],
  expiry: 'expires_at',
});

/** What a registration's proof showed, per type of credential. */
export type RegistrationProof =
  | { readonly type: 'EMAIL_OTP' }
  | { readonly type: 'OAUTH'; readonly verdict: ProofResult<OidcClaims> }
  | { readonly type: 'PASSKEY'; readonly verdict: ProofResult<Attested> };

/** A message that a mail server would deliver (D22). */
export interface OutboxRecord {
  readonly id: string;
  readonly to: string;
  readonly code: string;
  readonly accountId: string;
  readonly sentAt: number;
}

export const outbox = recordTable<OutboxRecord, never>({ name: 'outbox', columns: () => ({}) });

export function viewCredential(credential: CredentialRecord): AuthMethodResponse {
  return {
    id: credential.id,
    accountId: credential.accountId,
    type: credential.type,
    nickname: credential.nickname,
    ...given({ credentialId: credential.passkey?.credentialId }),
    createdAt: toTimestamp(credential.createdAt),
    updatedAt: toTimestamp(credential.updatedAt),
  };
}

/** The session as a list shows it. Its key was sent once and isn't stored. */
export function viewSession(session: SessionRecord): Omit<AuthSession, 'encryptedSessionSigningKey'> {
  return {
    id: session.id,
    accountId: session.accountId,
    type: session.type,
    nickname: session.nickname,
    ...given({ credentialId: session.passkeyId }),
    createdAt: toTimestamp(session.createdAt),
    updatedAt: toTimestamp(session.createdAt),
    expiresAt: toTimestamp(session.expiresAt),
  };
}

/** @throws Problem 404 `CREDENTIAL_NOT_FOUND`. */
export async function mustFindCredential(unit: Unit, id: string): Promise<Stored<CredentialRecord>> {
  const credential = await credentials.find(unit, id);
  if (credential === undefined) throw new Problem('CREDENTIAL_NOT_FOUND', `This platform has no credential ${id}.`);
  return credential;
}

/** An active session. A session that ended doesn't exist (D21). @throws Problem 404 `SESSION_NOT_FOUND` */
export async function mustFindSession(unit: Unit, id: string): Promise<Stored<SessionRecord>> {
  const session = await sessions.find(unit, id);
  if (session === undefined || !isLive(session, unit.now())) {
    throw new Problem('SESSION_NOT_FOUND', `This platform has no active session ${id}.`);
  }
  return session;
}
