import { p256 } from '@noble/curves/nist.js';
import { type Bytes, decodeBase64Url, decodeBase64UrlField, encodeBase64Url } from '../../../contract/encodings.ts';
import { toHex } from '../node/machine/bytes.ts';
import { base64UrlBytes, normalizeBase64Url } from '../tools/bytes.ts';
import { judgeCertificates } from './certificates.ts';
import { findFrameFault, readClientData } from './clientData.ts';
import { algorithms, findKeyFault } from './passkeyKeys.ts';
import type { AssertionProof, AttestationProof, Attested, PasskeyKey, ProofResult, ProofSettings } from './proofs.ts';

// Loaded at first use. It would double the start time, and `magic` proofs never need it.
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

type Allowed = Pick<ProofSettings, 'origins' | 'rpIds' | 'topOrigins'>;

/**
 * Checks a registration (WebAuthn L3, 7.1): challenge, origin, frame, rpId, presence, the attestation statement, and
 * that the key can be used (D19, D57).
 * @param now in milliseconds; certificates must be valid at that time.
 */
export async function verifyAttestation(
  proof: AttestationProof,
  allowed: Allowed,
  now: number,
): Promise<ProofResult<Attested>> {
  try {
    const id = normalizeBase64Url(proof.credentialId);
    const clientDataJSON = normalizeBase64Url(proof.clientDataJson);
    const frame = findFrameFault(clientDataJSON, allowed.topOrigins);
    if (frame !== null) return { ok: false, hint: frame };
    const { fault, attestationObject } = await judge(base64UrlBytes(proof.attestationObject), now);
    if (fault !== null) return { ok: false, hint: fault };
    const { verifyRegistrationResponse } = await library();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject: encodeBase64Url(attestationObject) },
      },
      expectedChallenge: (challenge) => isSameChallenge(challenge, proof.challenge),
      expectedOrigin: acceptedOrigins(clientDataJSON, allowed.origins),
      expectedRPID: [...allowed.rpIds],
      requireUserVerification: false,
      supportedAlgorithmIDs: Object.values(algorithms),
    });
    if (!verified) return { ok: false, hint: 'the attestation statement does not verify' };
    const { publicKey, counter, id: attested } = registrationInfo.credential;
    if (attested !== id) return { ok: false, hint: 'credentialId is not the one inside the attestation' };
    const { decodeCredentialPublicKey } = await helpers();
    const key = decodeCredentialPublicKey(publicKey) as unknown as ReadonlyMap<number, unknown>;
    const unusable = findKeyFault(key) ?? (await findStatementFault(attestationObject, key));
    if (unusable !== null) return { ok: false, hint: unusable };
    const backupEligible = registrationInfo.credentialDeviceType === 'multiDevice';
    return { ok: true, key: { publicKey: encodeBase64Url(publicKey), counter, backupEligible } };
  } catch (error) {
    return refusal(error, proof.clientDataJson, proof.challenge);
  }
}

/**
 * Checks a sign-in (WebAuthn L3, 7.2): credential, challenge, origin, frame, rpId, presence, backup flags, signature,
 * counter (D19).
 */
export async function verifyAssertion(
  proof: AssertionProof,
  expected: { readonly challenge: string; readonly credentialId: string; readonly key: PasskeyKey | undefined },
  allowed: Allowed,
): Promise<ProofResult<{ readonly counter: number }>> {
  try {
    const id = normalizeBase64Url(proof.credentialId);
    const clientDataJSON = normalizeBase64Url(proof.clientDataJson);
    // It has no pattern in the contract. No bits may be left over, because it is a proof (D17).
    const signature = decodeBase64Url(proof.signature);
    if (id !== expected.credentialId) return { ok: false, hint: 'credentialId is not that of this credential' };
    if (expected.key === undefined) return { ok: false, hint: 'the passkey was registered without a verified key' };
    if (signature === null) return { ok: false, hint: 'the signature is not base64url' };
    const frame = findFrameFault(clientDataJSON, allowed.topOrigins);
    if (frame !== null) return { ok: false, hint: frame };
    const { verifyAuthenticationResponse } = await library();
    const publicKey = base64UrlBytes(expected.key.publicKey);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON,
          authenticatorData: normalizeBase64Url(proof.authenticatorData),
          signature: encodeBase64Url(signature),
        },
      },
      expectedChallenge: (challenge) => isSameChallenge(challenge, expected.challenge),
      expectedOrigin: acceptedOrigins(clientDataJSON, allowed.origins),
      expectedTopOrigin: [...(allowed.topOrigins ?? [])],
      expectedRPID: [...allowed.rpIds],
      credential: { id, publicKey, counter: expected.key.counter },
      requireUserVerification: false,
    });
    if (!verified || !(await isWellFormed(signature, publicKey))) {
      return { ok: false, hint: 'the signature does not verify' };
    }
    if (!isEligibleAsBefore(expected.key, authenticationInfo.credentialDeviceType === 'multiDevice')) {
      return { ok: false, hint: 'the backup-eligible flag differs from that of the registration' };
    }
    return { ok: true, counter: authenticationInfo.newCounter };
  } catch (error) {
    return refusal(error, proof.clientDataJson, expected.challenge);
  }
}

/** If both are zero, the authenticator has no counter. Any other counter must grow (WebAuthn L3, 7.2, signCount). */
export function isCounterFresh(stored: number, presented: number): boolean {
  return presented > stored || (presented === 0 && stored === 0);
}

/** Whether a passkey can be backed up never changes (WebAuthn L3, 6.1.3). For older passkeys it isn't known. */
function isEligibleAsBefore({ backupEligible }: PasskeyKey, presented: boolean): boolean {
  return backupEligible === undefined || backupEligible === presented;
}

/** Checks the certificates of the statement, if it has any, by the platform's clock. */
async function judge(attestationObject: Bytes, now: number): Promise<ReturnType<typeof judgeCertificates>> {
  const { decodeAttestationObject } = await helpers();
  const decoded = decodeAttestationObject(attestationObject);
  const certificates: unknown = decoded.get('attStmt')?.get('x5c');
  if (!Array.isArray(certificates)) return { fault: null, attestationObject };
  return judgeCertificates(attestationObject, decoded.get('fmt'), certificates as Uint8Array[], now);
}

/** A statement that the passkey's own key signs must name the key's algorithm (WebAuthn L3, 8.2). */
async function findStatementFault(attestationObject: Bytes, key: ReadonlyMap<number, unknown>): Promise<string | null> {
  const { cose, decodeAttestationObject } = await helpers();
  const decoded = decodeAttestationObject(attestationObject);
  const statement = decoded.get('attStmt') as ReadonlyMap<string, unknown>;
  if (decoded.get('fmt') !== 'packed' || statement.has('x5c')) return null;
  const isSame = statement.get('alg') === key.get(cose.COSEKEYS.alg);
  return isSame ? null : "the attestation statement names another algorithm than the passkey's key";
}

/** The library accepts bytes after the DER of an ES256 signature, and lengths in a longer form. D19 requires DER. */
async function isWellFormed(signature: Uint8Array, publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { cose, decodeCredentialPublicKey } = await helpers();
  if (decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg) !== algorithms.es256) return true;
  try {
    return toHex(p256.Signature.fromBytes(signature, 'der').toBytes('der')) === toHex(signature);
  } catch {
    return false;
  }
}

/** Compares bytes, so that padding makes no difference. A text that isn't base64url isn't a challenge (D47). */
function isSameChallenge(given: unknown, issued: string): boolean {
  const bytes = typeof given === 'string' ? decodeBase64UrlField(given) : null;
  return bytes !== null && encodeBase64Url(bytes) === normalizeBase64Url(issued);
}

/**
 * The signed origin, if the settings allow it at any port, including the scheme's default port. Otherwise the origins
 * that they list.
 */
function acceptedOrigins(clientDataJson: string, origins: readonly string[]): string[] {
  const { origin } = readClientData(clientDataJson);
  const listed = origins.filter((one) => !one.endsWith(':*'));
  if (typeof origin !== 'string') return listed;
  const isOpen = !origin.endsWith(':*') && origins.includes(`${origin.replace(/:\d+$/, '')}:*`);
  return isOpen ? [origin] : listed;
}

function refusal(
  error: unknown,
  clientDataJson: string,
  issued: string,
): { readonly ok: false; readonly hint: string } {
  const { challenge } = readClientData(clientDataJson);
  if (isSameChallenge(challenge, encodeBase64Url(new TextEncoder().encode(issued)))) {
    return { ok: false, hint: 'the challenge was encoded twice: decode it from base64url before the browser signs it' };
  }
  // The library's messages name the difference. They contain challenge, origin and rpId, and no key.
  return { ok: false, hint: error instanceof Error ? error.message : 'the response is not readable' };
}
