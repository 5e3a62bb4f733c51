import type { JSONWebKeySet } from 'jose';
import type { Chance } from '../tools/chance.ts';

/** Where a platform's OIDC tokens may come from: key set given, or fetched from its address. */
export interface IssuerSetting {
  readonly issuer: string;
  readonly jwks?: JSONWebKeySet;
  readonly jwksUri?: string;
}

/** What proofs are checked against, per platform (D19, D20, D43). */
export interface ProofSettings {
  /** `magic` takes the documented values and nothing else, `real` makes the checks that production makes. */
  readonly proofs: 'magic' | 'real';
  /** Web origins that passkeys may be used on; a port of `*` stands for any. */
  readonly origins: readonly string[];
  readonly rpIds: readonly string[];
  /** Origins of pages whose frames may use passkeys; none when absent, as in data of older versions. */
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

/** The outcome of a check. `hint` tells a developer of the likely mistake; it never holds a secret. */
export type ProofResult<Facts> = ({ readonly ok: true } & Facts) | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly hint?: string;
}

/** What was learned from a passkey's attestation; in `magic` proofs nothing is. */
export interface Attested {
  readonly key?: PasskeyKey;
}

/** What was learned from a passkey's assertion; in `magic` proofs nothing is. */
export interface Asserted {
  readonly counter?: number;
}

/** What is known of a passkey since its registration. */
export interface PasskeyKey {
  /** COSE bytes in base64url. */
  readonly publicKey: string;
  /** Its signature counter, as it was last shown. */
  readonly counter: number;
  /** Absent if it was registered before this was kept. */
  readonly backupEligible?: boolean;
}

/** Who an OIDC token speaks of: identity as one text, and what to call the credential. */
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

/** What a one-time code looks like; the platform configures it (D41). */
export interface CodeForm {
  readonly length: number;
  /** Digits and capital letters instead of digits only. */
  readonly alphanumeric: boolean;
}

/**
 * How one platform checks proofs. The asynchronous checks run before the unit of work, the others inside; handlers do
 * not know which of the two ways they are in.
 */
export interface Proofs {
  readonly kind: ProofSettings['proofs'];
  /** A fresh one-time code; `delivered` when it goes to the outbox. */
  newCode(chance: Chance, form: CodeForm): { readonly code: string; readonly delivered: boolean };
  /** @param now in milliseconds. */
  attestation(proof: AttestationProof, now: number): Promise<ProofResult<Attested>>;
  /** @param expected the challenge as the service issued it, and the passkey's key as far as one is known. */
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
  /** The private key of a new session, and the public half that its stamps must name (undefined: none counts). */
  newSessionKey(chance: Chance): { readonly scalar: Uint8Array; readonly publicKey: string | undefined };
  /** The same for a quote's payload, where the DER signature alone, in base64, will do as well (D17). */
  quoteSignature(header: string, payload: string, keys: readonly (string | undefined)[]): boolean;
  /** The hint for a refused code, or a refused signature, that was made for the other mode; undefined for any other. */
  codeHint(code: string): string | undefined;
  signatureHint(header: string): string | undefined;
  /** Whether the header's stamp over the payload is by one of the keys; undefined stands for a session without one. */
  walletSignature(header: string, payload: string, keys: readonly (string | undefined)[]): boolean;
}
