import { isLive } from '../tools/clock.ts';
import { Problem } from '../tools/problem.ts';
import type { PendingRecord } from './records.ts';

/** How long a challenge waits for its signature (D13). */
export const lifetimeMs = 5 * 60_000;

/** 401 for a proof that failed. The reason is one of the four texts that the interface defines. */
export function refused(reason: string, message: string, hint?: string): Problem {
  return new Problem('UNAUTHORIZED', message, { reason, ...(hint === undefined ? {} : { details: { hint } }) });
}

/** What a wallet has when a signature for it is refused. */
interface Signable {
  readonly hasCredential: boolean;
  /** Whether any session of it is active, also one that may not sign this request. */
  readonly hasSession: boolean;
}

/** 401 for a signature. If no signature can be right, the message says what to do first (D15). */
export function invalidWalletSignature({ hasCredential, hasSession }: Signable, hint?: string): Problem {
  const reason = 'Invalid Service-Wallet-Signature';
  if (!hasCredential) {
    return refused(
      reason,
      'The wallet has no credential, so nobody can sign for it. Register one, verify it and sign with its session.',
    );
  }
  if (!hasSession) {
    return refused(
      reason,
      'The wallet has no active session, so nobody can sign for it. Verify one of its credentials and sign with the new session.',
      hint,
    );
  }
  return refused(
    reason,
    'The signature is not from a session that may sign this request; sign with the key of an active session.',
    hint,
  );
}

/**
 * Writes the text that a client signs: compact JSON in a spelling that no serialiser produces by default, such as `1.0`
 * and escapes for characters outside ASCII. So a client that serialises it again, instead of signing the text as
 * received, always finds out (D18).
 */
export function writePayload(facts: Readonly<Record<string, unknown>>): string {
  const escaped = JSON.stringify(facts).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `{"version":1.0,${escaped.slice(1)}`;
}

/** @throws Problem 401 `REQUEST_ID_INVALID` unless the request waits for a second step of this kind (D15) */
export function checkPending<Kind extends PendingRecord['kind']>(
  pending: PendingRecord | undefined,
  kind: Kind,
  now: number,
): asserts pending is Extract<PendingRecord, { kind: Kind }> {
  if (pending === undefined || pending.kind !== kind || pending.used || !isLive(pending, now)) throw requestIdInvalid();
}

export function requestIdInvalid(): Problem {
  return new Problem(
    'REQUEST_ID_INVALID',
    'The Request-Id is unknown, expired or already used; ask for a new challenge.',
  );
}

export function requestIdMissing(): Problem {
  return new Problem('REQUEST_ID_MISSING', 'The Request-Id header is missing; send the requestId of the challenge.');
}
