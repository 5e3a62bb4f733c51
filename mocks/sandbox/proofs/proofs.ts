import type { JSONWebKeySet } from 'jose';
import type { Chance } from '../tools/chance.ts';

/** An issuer of OIDC tokens for a platform. Its key set is given, or fetched from its address. */
export interface IssuerSetting {
  readonly issuer: string;
  readonly jwks?: JSONWebKeySet;
  readonly jwksUri?: string;
}

/** The settings that proofs are checked against, per platform (D19, D20, D43). */
export interface ProofSettings {
  /** `magic` accepts only the documented values. `real` makes the same checks as production. */
  readonly proofs: 'magic' | 'real';
  /** Web origins where passkeys may be used. A port of `*` means any port. */
  readonly origins: readonly string[];
  readonly rpIds: readonly string[];
  /** Origins of pages whose frames may use passkeys. Absent in data of older versions, which means none. */
  readonly topOrigins?: readonly string[];
  readonly issuers: readonly IssuerSetting[];
  readonly audiences: readonly string[];
}

export const defaultProofSettings: ProofSettings = {
  proofs: 'magic',
  origins: ['http://localhost', 'http://localhost:*', 'https://localhost:*'],
  rpIds: ['localhost'],
  topOrigins: [],
  issuers: [],
  audiences: ['countersign-app'],
};

/** The outcome of a check. `hint` tells a developer the likely mistake. It never contains a secret. */
export type ProofResult<Facts> = ({ readonly ok: true } & Facts) | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly hint?: string;
}

/** The facts from a passkey's attestation; none with `magic` proofs. */
export interface Attested {
  readonly key?: PasskeyKey;
}

/** The facts from a passkey's assertion; none with `magic` proofs. */
export interface Asserted {
  readonly counter?: number;
}

/** The facts about a passkey's key since its registration. */
export interface PasskeyKey {
  /** COSE bytes in base64url. */
  readonly publicKey: string;
  /** The last signature counter that it presented. */
  readonly counter: number;
  /** Absent if the passkey was registered before this was stored. */
  readonly backupEligible?: boolean;
}

/** The person in an OIDC token: the identity as one text, and a name for the credential. */
export interface OidcClaims {
  readonly identity: string;
  readonly nickname: string;
}

export interface AttestationProof {
  readonly challenge: string;
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
}

export interface AssertionProof {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}

/** The form of a one-time code. The platform configures it (D41). */
export interface CodeForm {
  readonly length: number;
  /** Digits and capital letters instead of digits only. */
  readonly alphanumeric: boolean;
}

/**
 * How a platform checks proofs. The asynchronous checks run before the unit of work, the others inside. Handlers don't
 * know which of the two modes applies.
 */
export interface Proofs {
  readonly kind: ProofSettings['proofs'];
  /** A new one-time code. `delivered` if it goes to the outbox. */
  newCode(chance: Chance, form: CodeForm): { readonly code: string; readonly delivered: boolean };
  /** @param now in milliseconds. */
  attestation(proof: AttestationProof, now: number): Promise<ProofResult<Attested>>;
  /** @param expected the challenge as the service issued it, and the passkey's key if one is known. */
  assertion(
    proof: AssertionProof,
    expected: { readonly challenge: string; readonly credentialId: string; readonly key: PasskeyKey | undefined },
  ): Promise<ProofResult<Asserted>>;
  /** @param now in milliseconds. */
  registrationToken(token: string, now: number): Promise<ProofResult<OidcClaims>>;
  signInToken(
    token: string,
    now: number,
    clientPublicKey: string,
    identity: string | undefined,
  ): Promise<ProofResult<object>>;
  /** The private key of a new session, and the public key that its stamps must name (undefined: no stamp is valid). */
  newSessionKey(chance: Chance): { readonly scalar: Uint8Array; readonly publicKey: string | undefined };
  /** The same for a quote's payload. A DER signature alone, in base64, is accepted too (D17). */
  quoteSignature(header: string, payload: string, keys: readonly (string | undefined)[]): boolean;
  /** The hint if a refused code or signature was made for the other mode; otherwise undefined. */
  codeHint(code: string): string | undefined;
  signatureHint(header: string): string | undefined;
  /** Whether one of the keys made the header's stamp over the payload. Undefined means a session without a key. */
  walletSignature(header: string, payload: string, keys: readonly (string | undefined)[]): boolean;
}
