import { decodeBase64UrlField } from '../../../../contract/encodings.ts';
import { isP256Point } from '../../../../contract/p256.ts';
import type { AuthMethodType, CredentialCreateRequest } from '../../../../generated/types.ts';
import { equalInConstantTime, sha256Hex } from '../../node/machine/crypto.ts';
import type { Asserted, ProofResult } from '../../proofs/proofs.ts';
import { isCounterFresh } from '../../proofs/webauthn.ts';
import { refused } from '../../signedRetry/rules.ts';
import { normalizeBase64Url } from '../../tools/bytes.ts';
import { isLive } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import type { CredentialRecord, PasskeyFacts, PendingCode, RegistrationProof } from './records.ts';

const minute = 60_000;

/** Lifetimes, in milliseconds (D13). */
export const lifetimes = {
  session: 15 * minute,
  passkeyChallenge: 5 * minute,
} as const;

/** The maximum number of challenges per credential in any window of this length (D14). */
export const challengeLimit = { count: 5, windowMs: minute } as const;

/** How many wrong answers end a one-time code in `real` proofs (D22). */
const codeAttempts = 5;

export const invalidOtp = (hint?: string) =>
  refused('Invalid OTP code', 'The one-time code is wrong or no longer valid; check it, or request a new one.', hint);
const invalidPasskey = (hint?: string) =>
  refused('Invalid passkey signature', 'The passkey response could not be verified.', hint);
const invalidOidc = (hint?: string) => refused('Invalid OIDC token', 'The OIDC token is not valid.', hint);

/**
 * A code that was just sent. It is hashed together with its credential's id, so that equal codes have different hashes.
 */
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
 * The effect of an answer to a one-time code. A right answer uses the code up. A wrong one takes an attempt away, and
 * the last attempt ends the code (D22).
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
 * The passkey after a sign-in: with the new counter and its user handle.
 * @throws Problem 401 if the assertion failed, the counter didn't grow, or the user handle changed (D19, D58).
 */
export function acceptAssertion(
  passkey: PasskeyFacts,
  verdict: ProofResult<Asserted> | undefined,
  userHandle: string | undefined,
): PasskeyFacts {
  if (verdict === undefined || !verdict.ok) throw invalidPasskey(verdict?.hint);
  const { key } = passkey;
  const { counter } = verdict;
  // Nothing was verified, so there is nothing to compare or to learn.
  if (key === undefined || counter === undefined) return passkey;
  if (!isCounterFresh(key.counter, counter)) throw invalidPasskey('the counter went back');
  const handle = userHandle === undefined ? undefined : normalizeBase64Url(userHandle);
  if (passkey.userHandle !== undefined && handle !== undefined && handle !== passkey.userHandle) {
    throw invalidPasskey('userHandle is not the one that this passkey presented before');
  }
  return { ...passkey, key: { ...key, counter }, ...given({ userHandle: handle }) };
}

/** @throws Problem 401 if the token was refused */
export function acceptToken(verdict: ProofResult<object> | undefined): void {
  if (verdict === undefined || !verdict.ok) throw invalidOidc(verdict?.hint);
}

/** The fields of a new credential besides its id and times. */
export type CredentialDraft = Pick<CredentialRecord, 'type' | 'nickname' | 'passkey' | 'oidcIdentity'>;

/**
 * Checks what may be registered on a wallet, for each type (D12).
 * @param facts `email` of the account's customer; `onAccount` its credentials; `passkeyTaken` whether the platform
 * already has the WebAuthn credential id; `proof` the result of the check before the unit.
 * @throws Problem 400 if the customer has no e-mail address, or for a second EMAIL_OTP or passkey; 401 if the proof
 * failed; 409 for a second credential with the same identity.
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
          'The account already has an EMAIL_OTP credential, and it can have only one.',
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

/** The key that a passkey's challenge binds. @throws Problem 400 that names the field if the key is missing */
export function requireClientPublicKey(key: string | undefined): string {
  if (key === undefined) throw invalidField('/clientPublicKey', 'is required for a PASSKEY credential');
  if (!isP256Point(key)) throw invalidField('/clientPublicKey', clientPublicKeyForm);
  return key;
}

// In the words of the contract's ClientPublicKey. Here the contract allows any text, because EMAIL_OTP ignores it.
const clientPublicKeyForm =
  'must be an uncompressed P-256 public key on the curve: 130 hexadecimal characters that begin with 04';

/** The most bytes of a passkey's user handle (WebAuthn L3, 5.4.3). */
const userHandleBytes = 64;

/**
 * Checks the fields of a passkey's response that only real proofs read. The contract allows any text, because magic
 * proofs accept them as they are (D19).
 * @param place the pointer of the response in the body
 * @throws Problem 400 if a field isn't base64url of at least one byte, or the user handle is too long (D47)
 */
export function checkPasskeyFields(place: string, fields: Readonly<Record<string, string | undefined>>): void {
  const faults = Object.entries(fields).flatMap(([name, text]) => {
    const most = name === 'userHandle' ? userHandleBytes : Number.POSITIVE_INFINITY;
    const size = text === undefined ? 1 : (decodeBase64UrlField(text)?.byteLength ?? 0);
    if (size > 0 && size <= most) return [];
    const bytes = name === 'userHandle' ? `1 to ${userHandleBytes} bytes` : 'at least one byte';
    const message = `must be base64url text of ${bytes} (A-Z a-z 0-9 - _), with or without its = padding`;
    return [{ in: 'body' as const, pointer: `${place}/${name}`, message }];
  });
  if (faults.length > 0) throw invalid(faults);
}

/**
 * The challenges of the last window, including this one.
 * @throws Problem 429 `RATE_LIMITED`. `Retry-After` has the whole seconds until the oldest challenge leaves the window
 * (D14).
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

/** @throws Problem 400 `LAST_CREDENTIAL`: one credential must remain (contract: `revokeCredential`) */
export function checkNotLast(onAccount: readonly CredentialRecord[]): void {
  if (onAccount.length <= 1) {
    throw new Problem(
      'LAST_CREDENTIAL',
      'The account has only this credential; register another one before revoking it.',
    );
  }
}
