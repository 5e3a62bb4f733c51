import type { AuthMethodType, CredentialCreateRequest } from '../../../../generated/types.ts';
import { normalizeBase64Url } from '../../kernel/bytes.ts';
import { invalidField, Problem } from '../../kernel/problem.ts';
import { isP256Point } from '../../kernel/seal.ts';
import type { CredentialRecord, PendingRecord, SessionRecord } from './records.ts';

const minute = 60_000;

/** How long things live, in milliseconds (D13). */
export const lifetimes = {
  session: 15 * minute,
  signedRetry: 5 * minute,
  passkeyChallenge: 5 * minute,
  oneTimeCode: 5 * minute,
} as const;

/** At most this many challenges per credential in any window of this length (D14). */
export const challengeLimit = { count: 5, windowMs: minute } as const;

/** The only values that `magic` proofs take (INTERFACE, Authentication 6). */
const magic = {
  otp: '000000',
  passkeySignature: 'sandbox-valid-passkey-signature',
  oidcToken: 'sandbox-valid-oidc-token',
  walletSignature: 'sandbox-valid-signature',
} as const;

/** "Before `expiresAt`" is strict: at that instant it is over (D13). */
export function isLive(thing: { readonly expiresAt: number }, now: number): boolean {
  return now < thing.expiresAt;
}

/** 401 for a proof that failed; the reason is one of the four texts that the interface gives. */
function refused(reason: string, message: string): Problem {
  return new Problem('UNAUTHORIZED', message, { reason });
}

export const invalidOtp = () => refused('Invalid OTP code', 'The one-time code is wrong, used up or expired.');
const invalidPasskey = () => refused('Invalid passkey signature', 'The passkey assertion does not verify.');
const invalidOidc = () => refused('Invalid OIDC token', 'The OIDC token is not acceptable.');
const invalidWalletSignature = () =>
  refused('Invalid Service-Wallet-Signature', 'The signature is not that of a session that may sign this request.');

/** @throws Problem 401 unless a code is pending, in time, and the right one was given; one success uses it up (D22). */
export function checkCode(credential: CredentialRecord, otp: string, now: number): void {
  const pending = credential.codeExpiresAt !== undefined && now < credential.codeExpiresAt;
  if (!pending || otp !== magic.otp) throw invalidOtp();
}

/** @throws Problem 401; the rest of the assertion is taken as it is (INTERFACE, Authentication 6). */
export function checkAssertion(assertion: { readonly signature: string }): void {
  if (assertion.signature !== magic.passkeySignature) throw invalidPasskey();
}

/** @throws Problem 401. */
export function checkOidcToken(token: string): void {
  if (token !== magic.oidcToken) throw invalidOidc();
}

/**
 * The stamp of a signed retry. In `magic` proofs the magic signature stands for any session that may sign, so there has
 * to be one (D15).
 * @param signers active sessions that may sign this request.
 * @throws Problem 401 with reason `Invalid Service-Wallet-Signature`.
 */
export function checkWalletSignature(signature: string, signers: readonly SessionRecord[]): void {
  if (signature !== magic.walletSignature || signers.length === 0) throw invalidWalletSignature();
}

const issuers = ['accounts.google.com', 'appleid.apple.com'];

interface OidcClaims {
  readonly identity: string;
  readonly nickname: string;
}

/**
 * Reads an OIDC token at registration: three non-empty parts, JSON objects in header and payload, a recognised issuer
 * (D20, D50). Identity is (iss, aud, sub); the nickname the e-mail, else the subject, else the issuer.
 * @throws Problem 401 with reason `Invalid OIDC token`.
 */
export function readOidcToken(token: string): OidcClaims {
  const parts = token.split('.');
  const [header, payload] = parts.slice(0, 2).map(readJsonPart);
  if (parts.length !== 3 || parts[2] === '' || header === undefined || payload === undefined) throw invalidOidc();
  const issuer = text(payload['iss'])?.replace(/^https:\/\//, '') ?? '';
  if (!issuers.includes(issuer)) throw invalidOidc();
  const audience = [payload['aud']].flat().map((one) => text(one) ?? '');
  const subject = text(payload['sub']);
  return {
    identity: JSON.stringify([issuer, audience.sort(), subject ?? '']),
    nickname: text(payload['email']) ?? subject ?? issuer,
  };
}

function readJsonPart(part: string): Record<string, unknown> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A claim's text; undefined for none. @throws Problem 401 for what no text of ours may hold (D51). */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (value.includes('\u0000') || !value.isWellFormed()) throw invalidOidc();
  return value;
}

/** What a new credential consists of beside its id and times. */
export type CredentialDraft = Pick<CredentialRecord, 'type' | 'nickname' | 'passkey' | 'oidcIdentity'>;

/**
 * What may be registered on an account, for each type (D12).
 * @param facts `email` of the account's customer; `onAccount` its credentials; `passkeyTaken` whether the platform
 * already has the WebAuthn credential id.
 * @throws Problem 400 for an account that is no wallet, a customer without e-mail, a second EMAIL_OTP or passkey;
 * 401 for an OIDC token; 409 for a second credential of the same identity.
 */
export function draftCredential(
  request: CredentialCreateRequest,
  facts: {
    readonly accountType: string;
    readonly email: string | undefined;
    readonly onAccount: readonly CredentialRecord[];
    readonly passkeyTaken: boolean;
  },
): CredentialDraft {
  if (facts.accountType !== 'EMBEDDED_WALLET') {
    throw invalidField('/accountId', 'is not an EMBEDDED_WALLET account; only wallets have credentials');
  }
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
      const { identity, nickname } = readOidcToken(request.oidcToken);
      if (facts.onAccount.some((credential) => credential.oidcIdentity === identity)) {
        throw new Problem('CREDENTIAL_ALREADY_EXISTS', 'The account already has a credential of this identity.');
      }
      return { type: 'OAUTH', nickname, oidcIdentity: identity };
    }
    case 'PASSKEY': {
      if (facts.passkeyTaken) {
        throw new Problem('PASSKEY_CREDENTIAL_ALREADY_EXISTS', 'This WebAuthn credential is already registered.');
      }
      const { credentialId, attestationObject, transports = [] } = request.attestation;
      const passkey = { credentialId: normalizeBase64Url(credentialId), attestationObject, transports };
      return { type: 'PASSKEY', nickname: request.nickname, passkey };
    }
  }
}

/** @throws Problem 400 unless the body's type is the credential's (D12). */
export function checkType(credential: CredentialRecord, type: AuthMethodType): void {
  if (credential.type !== type) throw invalidField('/type', `must be ${credential.type}, the type of this credential`);
}

/** The key that a passkey's challenge binds. @throws Problem 400 naming the field when it is missing or no such key. */
export function requireClientPublicKey(key: string | undefined): string {
  if (key === undefined) throw invalidField('/clientPublicKey', 'is required for a PASSKEY credential');
  if (!isP256Point(key)) {
    const message =
      'must be an uncompressed P-256 public key on the curve: 130 hexadecimal characters that begin with 04';
    throw invalidField('/clientPublicKey', message);
  }
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

/** @throws Problem 400 `LAST_CREDENTIAL`: one must remain (INTERFACE, Limits). */
export function checkNotLast(onAccount: readonly CredentialRecord[]): void {
  if (onAccount.length <= 1) {
    throw new Problem(
      'LAST_CREDENTIAL',
      'The account has only this credential; register another one before revoking it.',
    );
  }
}

/** @throws Problem 401 `REQUEST_ID_INVALID` unless the request waits for an answer of this kind (D15). */
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
