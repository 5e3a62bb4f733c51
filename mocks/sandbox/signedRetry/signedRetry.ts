import type { AuthMethodType, SignedRequestChallenge } from '../../../generated/types.ts';
import type { RegistrationProof, SessionRecord } from '../domains/auth/records.ts';
import type { Stored } from '../store/records/table.ts';
import type { Unit } from '../store/units/unit.ts';
import { hashJson } from '../tools/bytes.ts';
import { toTimestamp } from '../tools/clock.ts';
import { given } from '../tools/given.ts';
import { Problem, SandboxBug } from '../tools/problem.ts';
import { type PendingRecord, pendingRequests } from './records.ts';
import { removeLongExpired } from './removeExpired.ts';

import { checkPending, lifetimeMs, requestIdMissing, writePayload } from './rules.ts';
import { refuseSignature } from './signers.ts';

/** The fields of a call that the signed-retry pattern needs, for any operation. */
interface SignedCall {
  readonly operation: { readonly id: string };
  readonly path: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers: { readonly 'Service-Wallet-Signature'?: string; readonly 'Request-Id'?: string };
}

type SignedPending = Stored<Extract<PendingRecord, { kind: 'SIGNED_RETRY' }>>;

/** A retry whose Request-Id, target and body are valid. Only its signature remains to be checked. */
export interface SignedRetry {
  readonly pending: SignedPending;
  readonly signature: string;
}

/**
 * The first part of the signed-retry pattern, before the resource's own rules (D15).
 * @returns undefined on the first call, which has neither header.
 * @throws Problem 401 `WALLET_SIGNATURE_MISSING`, `REQUEST_ID_MISSING`, `REQUEST_ID_INVALID`,
 * `WALLET_SIGNATURE_BODY_MISMATCH`. None of them uses up the pending request.
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
  checkPending(pending, 'SIGNED_RETRY', unit.now());
  if (!isFor(pending, call)) {
    const message = 'The retry differs from the request that got the challenge; send that request again, unchanged.';
    throw new Problem('WALLET_SIGNATURE_BODY_MISMATCH', message);
  }
  return { pending, signature };
}

/** Whether the Request-Id names a challenge for exactly this target, even if the challenge was used or has expired. */
export async function isChallenged(unit: Unit, call: SignedCall): Promise<boolean> {
  const requestId = call.headers['Request-Id'];
  const pending = requestId === undefined ? undefined : await pendingRequests.find(unit, requestId);
  return pending?.kind === 'SIGNED_RETRY' && pending.target === targetOf(call);
}

/** Whether a pending request was issued for this operation, path and body. */
export function isFor(pending: { readonly target: string; readonly bodyHash: string }, call: SignedCall): boolean {
  return pending.target === targetOf(call) && pending.bodyHash === hashJson(call.body);
}

/** What an operation requests a signature for. */
export interface SignatureRequest {
  readonly accountId: string;
  /** Shown in the reply (D16). */
  readonly type: AuthMethodType;
  /** Tells a reader of the payload what is signed. The payload also contains the hash of the whole body. */
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The active sessions that may sign. */
  readonly signers: readonly SessionRecord[];
  readonly credentialSet?: readonly string[];
  /** What the body itself has proved. It is stored for the retry. */
  readonly proven?: RegistrationProof;
}

/**
 * The last part of the signed-retry pattern, after the resource's own rules: issues the challenge on a first call,
 * checks the signature on the retry.
 * @returns the body of the 202, with nothing changed yet; undefined once the signature is accepted. The pending request
 * is then used up, unless the unit is rolled back.
 * @throws Problem 401 with reason `Invalid Service-Wallet-Signature`.
 */
export async function requireSignature(
  unit: Unit,
  call: SignedCall,
  retry: SignedRetry | undefined,
  request: SignatureRequest,
): Promise<SignedRequestChallenge | undefined> {
  if (retry === undefined) return challengeSignedRetry(unit, call, request);
  const keys = request.signers.map(({ publicKey }) => publicKey);
  if (!unit.proofs().walletSignature(retry.signature, retry.pending.payloadToSign, keys)) {
    throw await refuseSignature(unit, request.accountId, retry.signature);
  }
  await usePending(unit, retry.pending);
  return undefined;
}

async function challengeSignedRetry(
  unit: Unit,
  call: SignedCall,
  { accountId, type, action, parameters, credentialSet, proven }: SignatureRequest,
): Promise<SignedRequestChallenge> {
  await removeLongExpired(unit);
  const requestId = unit.newId('Request');
  const bodyHash = hashJson(call.body);
  const issuedAt = toTimestamp(unit.now());
  const payloadToSign = writePayload({ action, accountId, parameters, bodyHash, requestId, issuedAt });
  const expiresAt = unit.now() + lifetimeMs;
  await pendingRequests.insert(unit, {
    id: requestId,
    kind: 'SIGNED_RETRY',
    expiresAt,
    used: false,
    accountId,
    target: targetOf(call),
    bodyHash,
    payloadToSign,
    ...given({ credentialSet }),
    ...(proven === undefined ? {} : { proven: { proofs: unit.proofs().kind, verdict: proven } }),
  });
  return { payloadToSign, requestId, expiresAt: toTimestamp(expiresAt), type };
}

/**
 * Marks a pending request as used. It stays stored until it expires, so that the log can distinguish its reuse from an
 * unknown id.
 */
export async function usePending(unit: Unit, pending: Stored<PendingRecord>): Promise<void> {
  await pendingRequests.replace(unit, pending, { ...pending, used: true });
}

/** Makes what only the second step needs. On a first call it makes nothing. */
export async function onSignedRetry<T>({ headers }: SignedCall, make: () => Promise<T>): Promise<T | undefined> {
  return headers['Request-Id'] !== undefined && headers['Service-Wallet-Signature'] !== undefined ? make() : undefined;
}

/** Returns what {@link onSignedRetry} made. If an accepted retry lacks it, that is a fault of ours. */
export function requirePrepared<T>(made: T | undefined): T {
  if (made === undefined) throw new SandboxBug('A signed retry was accepted that nothing was prepared for', {});
  return made;
}

function targetOf(call: SignedCall): string {
  return JSON.stringify([call.operation.id, call.path]);
}
