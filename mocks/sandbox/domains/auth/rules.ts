import type { AuthMethodType, CredentialCreateRequest } from '../../../../generated/types.ts';
import { equalInConstantTime, sha256Hex } from '../../node/machine/crypto.ts';
import type { Asserted, ProofResult } from '../../proofs/proofs.ts';
import { isCounterFresh } from '../../proofs/webauthn.ts';
import { refused } from '../../signedRetry/rules.ts';
import { normalizeBase64Url } from '../../tools/bytes.ts';
import { isLive } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { invalidField, Problem } from '../../tools/problem.ts';
import type { CredentialRecord, PasskeyFacts, PendingCode, RegistrationProof } from './records.ts';

const minute = 60_000;

/** How long things live, in milliseconds (D13). */
export const lifetimes = {
  session: 15 * minute,
  passkeyChallenge: 5 * minute,
} as const;

/** At most this many challenges per credential in any window of this length (D14). */
export const challengeLimit = { count: 5, windowMs: minute } as const;

/** How many wrong answers end a one-time code in `real` proofs (D22). */
const codeAttempts = 5;

export const invalidOtp = (hint?: string) =>
  refused('Invalid OTP code', 'The one-time code is wrong, used up or expired.', hint);
const invalidPasskey = (hint?: string) =>
  refused('Invalid passkey signature', 'The passkey response does not verify.', hint);
const invalidOidc = (hint?: string) => refused('Invalid OIDC token', 'The OIDC token is not acceptable.', hint);

/** A code that was just sent. It is kept hashed, with its credential's id so that equal codes don't show. */
export function pendingCode(
  credentialId: string,
  code: string,
  proofs: PendingCode['proofs'],
  expiresAt: number,
): PendingCode {
  const attempts = proofs === 'real' ? { attemptsLeft: codeAttempts } : {};
  return { hash: hashCode(credentialId, code), proofs, expiresAt, ...attempts };
}

function hashCode(credentialId: string, code: string): string {
  return sha256Hex(`${credentialId} ${code}`);
}

function isSameText(one: string, other: string): boolean {
  const utf8 = new TextEncoder();
  return equalInConstantTime(utf8.encode(one), utf8.encode(other));
}

/**
 * What an answer to a one-time code does: a right one uses the code up; a wrong one leaves it with an attempt fewer, and
 * ends it with the last (D22).
 */
export function answerCode(
  credential: CredentialRecord,
  otp: string,
  proofs: PendingCode['proofs'],
  now: number,
): { readonly accepted: boolean; readonly code?: PendingCode } {
  const { code } = credential;
  if (code === undefined || code.proofs !== proofs || !isLive(code, now)) return { accepted: false };
  if (isSameText(code.hash, hashCode(credential.id, otp))) return { accepted: true };
  if (code.attemptsLeft === undefined) return { accepted: false, code };
  const attemptsLeft = code.attemptsLeft - 1;
  return attemptsLeft === 0 ? { accepted: false } : { accepted: false, code: { ...code, attemptsLeft } };
}

/**
 * The passkey after a sign-in: its counter moved on, its user handle known.
 * @throws Problem 401 for an assertion that failed, a counter that did not grow, another user handle (D19, D58).
 */
export function acceptAssertion(
  passkey: PasskeyFacts,
  verdict: ProofResult<Asserted> | undefined,
  userHandle: string | undefined,
): PasskeyFacts {
  if (verdict === undefined || !verdict.ok) throw invalidPasskey(verdict?.hint);
  const { key } = passkey;
  const { counter } = verdict;
  // Nothing was verified, so nothing is compared and nothing learned.
  if (key === undefined || counter === undefined) return passkey;
  if (!isCounterFresh(key.counter, counter)) throw invalidPasskey('the counter went back');
  const handle = userHandle === undefined ? undefined : normalizeBase64Url(userHandle);
  if (passkey.userHandle !== undefined && handle !== undefined && handle !== passkey.userHandle) {
    throw invalidPasskey('userHandle is not the one that this passkey presented before');
  }
  return { ...passkey, key: { ...key, counter }, ...given({ userHandle: handle }) };
}

/** @throws Problem 401 for a token that was refused. */
export function acceptToken(verdict: ProofResult<object> | undefined): void {
  if (verdict === undefined || !verdict.ok) throw invalidOidc(verdict?.hint);
}

/** What a new credential consists of beside its id and times. */
export type CredentialDraft = Pick<CredentialRecord, 'type' | 'nickname' | 'passkey' | 'oidcIdentity'>;

/**
 * What may be registered on a wallet, for each type (D12).
 * @param facts `email` of the account's customer; `onAccount` its credentials; `passkeyTaken` whether the platform
 * already has the WebAuthn credential id; `proof` what was checked before the unit.
 * @throws Problem 400 for a customer without e-mail, a second EMAIL_OTP or passkey; 401 for a proof that failed; 409 for a
 * second credential of the same identity.
 */
export function draftCredential(
  request: CredentialCreateRequest,
  facts: {
    readonly email: string | undefined;
    readonly onAccount: readonly CredentialRecord[];
    readonly passkeyTaken: boolean;
    readonly proof: RegistrationProof;
  },
): CredentialDraft {
  switch (request.type) {
    case 'EMAIL_OTP':
      if (facts.onAccount.some((credential) => credential.type === 'EMAIL_OTP')) {
        throw new Problem(
          'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
          'The account already has its one EMAIL_OTP credential.',
        );
      }
      if (facts.email === undefined)
        throw invalidField('/accountId', "belongs to a customer without an e-mail address, so EMAIL_OTP can't be used");
      return { type: 'EMAIL_OTP', nickname: facts.email };
    case 'OAUTH': {
      const verdict = facts.proof.type === 'OAUTH' ? facts.proof.verdict : undefined;
      if (!verdict?.ok) throw invalidOidc(verdict?.hint);
      const { identity, nickname } = verdict;
      if (facts.onAccount.some((credential) => credential.oidcIdentity === identity)) {
        throw new Problem('CREDENTIAL_ALREADY_EXISTS', 'The account already has a credential of this identity.');
      }
      return { type: 'OAUTH', nickname, oidcIdentity: identity };
    }
    case 'PASSKEY': {
      if (facts.passkeyTaken) {
        throw new Problem('PASSKEY_CREDENTIAL_ALREADY_EXISTS', 'This WebAuthn credential is already registered.');
      }
      const verdict = facts.proof.type === 'PASSKEY' ? facts.proof.verdict : undefined;
      if (!verdict?.ok) throw invalidPasskey(verdict?.hint);
      const { credentialId, transports = [] } = request.attestation;
      const key = verdict.key === undefined ? {} : { key: verdict.key };
      const passkey = { credentialId: normalizeBase64Url(credentialId), transports, ...key };
      return { type: 'PASSKEY', nickname: request.nickname, passkey };
    }
  }
}

/** @throws Problem 400 unless the body's type is the credential's (D12). */
export function checkType(credential: CredentialRecord, type: AuthMethodType): void {
  if (credential.type !== type) throw invalidField('/type', `must be ${credential.type}, the type of this credential`);
}

/** The key that a passkey's challenge binds. @throws Problem 400 naming the field when it is missing. */
export function requireClientPublicKey(key: string | undefined): string {
  if (key === undefined) throw invalidField('/clientPublicKey', 'is required for a PASSKEY credential');
  return key;
}

/**
 * The challenges of the last window with this one added.
 * @throws Problem 429 `RATE_LIMITED` with `Retry-After`, the whole seconds until the oldest leaves the window (D14).
 */
export function countChallenge(challengedAt: readonly number[], now: number): number[] {
  const recent = challengedAt.filter((instant) => now - instant < challengeLimit.windowMs);
  if (recent.length >= challengeLimit.count) {
    const seconds = Math.max(1, Math.ceil(((recent[0] as number) + challengeLimit.windowMs - now) / 1000));
    throw new Problem('RATE_LIMITED', `Too many challenges for this credential; try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
  return [...recent, now];
}

/** @throws Problem 400 `LAST_CREDENTIAL`: one must remain (contract: `revokeCredential`). */
export function checkNotLast(onAccount: readonly CredentialRecord[]): void {
  if (onAccount.length <= 1) {
    throw new Problem(
      'LAST_CREDENTIAL',
      'The account has only this credential; register another one before revoking it.',
    );
  }
}
