import type { AuthMethodType, SignedRequestChallenge } from '../../../../generated/types.ts';
import { hashJson } from '../../kernel/bytes.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import { sealToClient, stubSessionKey } from '../../kernel/seal.ts';
import type { Stored } from '../../store/table.ts';
import type { Moment, Unit } from '../../store/unit.ts';
import {
  type CredentialRecord,
  credentials,
  type PendingRecord,
  pendingRequests,
  removeExpired,
  type SessionRecord,
  sessions,
  viewSession,
} from './records.ts';
import { checkPending, checkWalletSignature, isLive, lifetimes, requestIdMissing } from './rules.ts';

/** @throws Problem 404 `CREDENTIAL_NOT_FOUND`. */
export async function mustFindCredential(unit: Unit, id: string): Promise<Stored<CredentialRecord>> {
  const credential = await credentials.find(unit, id);
  if (credential === undefined) throw new Problem('CREDENTIAL_NOT_FOUND', `This platform has no credential ${id}.`);
  return credential;
}

/** A session that is active now; an ended one is as good as none (D21). @throws Problem 404 `SESSION_NOT_FOUND`. */
export async function mustFindSession(unit: Unit, id: string): Promise<Stored<SessionRecord>> {
  const session = await sessions.find(unit, id);
  if (session === undefined || !isLive(session, unit.now)) {
    throw new Problem('SESSION_NOT_FOUND', `This platform has no active session ${id}.`);
  }
  return session;
}

/** The active sessions of an account: those that may sign, before an operation's own rule narrows them. */
export async function activeSessions(unit: Unit, accountId: string): Promise<SessionRecord[]> {
  return (await sessions.where(unit, 'account_id', accountId)).filter((session) => isLive(session, unit.now));
}

/** What a call of the signed-retry family carries, whichever operation it is. */
interface SignedCall {
  readonly operation: { readonly id: string };
  readonly path: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers: { readonly 'Service-Wallet-Signature'?: string; readonly 'Request-Id'?: string };
}

type SignedPending = Stored<Extract<PendingRecord, { kind: 'SIGNED_RETRY' }>>;

/** A retry whose Request-Id, target and body are in order; only its signature is left to check. */
export interface SignedRetry {
  readonly pending: SignedPending;
  readonly signature: string;
}

/**
 * First part of the signed-retry pattern: what comes before the resource's own rules (D15).
 * @returns undefined on the first call, which carries neither header.
 * @throws Problem 401 `WALLET_SIGNATURE_MISSING`, `REQUEST_ID_MISSING`, `REQUEST_ID_INVALID`,
 * `WALLET_SIGNATURE_BODY_MISMATCH`; none of them uses the pending request up.
 */
export async function openSignedRetry(unit: Unit, call: SignedCall): Promise<SignedRetry | undefined> {
  const signature = call.headers['Service-Wallet-Signature'];
  const requestId = call.headers['Request-Id'];
  if (signature === undefined && requestId === undefined) return undefined;
  if (requestId === undefined) throw requestIdMissing();
  if (signature === undefined) {
    const message = 'The Service-Wallet-Signature header is missing; sign the payloadToSign of the challenge.';
    throw new Problem('WALLET_SIGNATURE_MISSING', message);
  }
  const pending = await pendingRequests.find(unit, requestId);
  checkPending(pending, 'SIGNED_RETRY', unit.now);
  if (pending.target !== targetOf(call) || pending.bodyHash !== hashJson(call.body)) {
    const message = 'The retry is not the request that the challenge was issued for; repeat it unchanged.';
    throw new Problem('WALLET_SIGNATURE_BODY_MISMATCH', message);
  }
  return { pending, signature };
}

/**
 * Answer to the first call: a challenge, and nothing changed yet (INTERFACE, Signed-retry pattern).
 * @param request `type` as the reply shows it (D16); `action` and `parameters` tell a reader of the payload what is
 * signed. The payload also commits to the whole body by its hash.
 */
export async function challengeSignedRetry(
  unit: Unit,
  call: SignedCall,
  request: {
    readonly accountId: string;
    readonly type: AuthMethodType;
    readonly action: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  },
): Promise<SignedRequestChallenge> {
  await removeExpired(unit);
  const { accountId, type, action, parameters } = request;
  const requestId = unit.newId('Request');
  const bodyHash = hashJson(call.body);
  const issuedAt = toTimestamp(unit.now);
  const payloadToSign = JSON.stringify({ action, accountId, parameters, bodyHash, requestId, issuedAt });
  const expiresAt = unit.now + lifetimes.signedRetry;
  await pendingRequests.insert(unit, {
    id: requestId,
    kind: 'SIGNED_RETRY',
    expiresAt,
    used: false,
    accountId,
    target: targetOf(call),
    bodyHash,
    payloadToSign,
  });
  return { payloadToSign, requestId, expiresAt: toTimestamp(expiresAt), type };
}

/**
 * Last part: the signature, after the resource's own rules. From here on the pending request is used up, unless the unit
 * is rolled back.
 * @param signers active sessions that may sign this request.
 * @throws Problem 401 with reason `Invalid Service-Wallet-Signature`.
 */
export async function acceptSignedRetry(
  unit: Unit,
  retry: SignedRetry,
  signers: readonly SessionRecord[],
): Promise<void> {
  checkWalletSignature(retry.signature, signers);
  await usePending(unit, retry.pending);
}

/** Marks a pending request as used: it stays known until it expires, so that its reuse is told from nonsense in the log. */
export async function usePending(unit: Unit, pending: Stored<PendingRecord>): Promise<void> {
  await pendingRequests.replace(unit, pending, { ...pending, used: true });
}

function targetOf(call: SignedCall): string {
  return JSON.stringify([call.operation.id, call.path]);
}

/** A session key sealed to a client, and for whom: made in `prepare`, used in the unit if the key is still the one. */
export interface SealedKey {
  readonly clientPublicKey: string;
  readonly encryptedSessionSigningKey: string;
}

/** Seals the session key to the client (D17). In `magic` proofs the key inside is the public stub (D46). */
export async function sealSessionKey(clientPublicKey: string, moment: Moment): Promise<SealedKey> {
  const encryptedSessionSigningKey = await sealToClient(stubSessionKey, clientPublicKey, moment.chance);
  return { clientPublicKey, encryptedSessionSigningKey };
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
    ...(from.passkeyId === undefined ? {} : { passkeyId: from.passkeyId }),
    createdAt: unit.now,
    expiresAt: unit.now + lifetimes.session,
  });
  return { ...viewSession(session), encryptedSessionSigningKey: sealed.encryptedSessionSigningKey };
}

/** Sends a one-time code: it can be used until it expires, and replaces one that was sent before (D22). */
export function withCodeSent<C extends CredentialRecord>(credential: C, now: number): C {
  return { ...credential, codeExpiresAt: now + lifetimes.oneTimeCode };
}
