import { p256 } from '@noble/curves/nist.js';
import { normalizeBase64Url, toBase64Url } from '../bytes.ts';
import type { AssertionProof, AttestationProof, Attested, PasskeyKey, ProofSettings, Verdict } from './proofs.ts';

// Loaded when first needed: it would double the time to ready, and `magic` proofs never need it.
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** COSE's number of ES256 (RFC 9053). */
const es256 = -7;
/** ES256, RS256, EdDSA. */
const algorithms = [es256, -257, -8];

type Allowed = Pick<ProofSettings, 'origins' | 'rpIds'>;

/** Checks a registration (WebAuthn L3, 7.1): challenge, origin, rpId, presence, and the attestation statement. */
export async function verifyAttestation(proof: AttestationProof, allowed: Allowed): Promise<Verdict<Attested>> {
  const id = normalizeBase64Url(proof.credentialId);
  const clientDataJSON = normalizeBase64Url(proof.clientDataJson);
  try {
    const { verifyRegistrationResponse } = await library();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject: normalizeBase64Url(proof.attestationObject) },
      },
      expectedChallenge: (challenge) => isSameChallenge(challenge, proof.challenge),
      expectedOrigin: acceptedOrigins(clientDataJSON, allowed.origins),
      expectedRPID: [...allowed.rpIds],
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return { ok: false, hint: 'the attestation statement does not verify' };
    const { publicKey, counter, id: attested } = registrationInfo.credential;
    if (attested !== id) return { ok: false, hint: 'credentialId is not the one inside the attestation' };
    return { ok: true, key: { publicKey: toBase64Url(publicKey), counter } };
  } catch (error) {
    return refusal(error, clientDataJSON, proof.challenge);
  }
}

/** Checks a sign-in (WebAuthn L3, 7.2): credential, challenge, origin, rpId, presence, signature, counter. */
export async function verifyAssertion(
  proof: AssertionProof,
  expected: { readonly challenge: string; readonly credentialId: string; readonly key: PasskeyKey | undefined },
  allowed: Allowed,
): Promise<Verdict<{ readonly counter: number }>> {
  const id = normalizeBase64Url(proof.credentialId);
  const clientDataJSON = normalizeBase64Url(proof.clientDataJson);
  if (id !== expected.credentialId) return { ok: false, hint: 'credentialId is not that of this credential' };
  if (expected.key === undefined) return { ok: false, hint: 'the passkey was registered without a verified key' };
  try {
    const { verifyAuthenticationResponse } = await library();
    const publicKey = new Uint8Array(Buffer.from(expected.key.publicKey, 'base64url'));
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON,
          authenticatorData: normalizeBase64Url(proof.authenticatorData),
          signature: normalizeBase64Url(proof.signature),
        },
      },
      expectedChallenge: (challenge) => isSameChallenge(challenge, expected.challenge),
      expectedOrigin: acceptedOrigins(clientDataJSON, allowed.origins),
      expectedRPID: [...allowed.rpIds],
      credential: {
        id,
        publicKey,
        counter: expected.key.counter,
      },
      requireUserVerification: false,
    });
    const signature = Buffer.from(proof.signature, 'base64url');
    if (!verified || !(await isWellFormed(signature, publicKey))) {
      return { ok: false, hint: 'the signature does not verify' };
    }
    return { ok: true, counter: authenticationInfo.newCounter };
  } catch (error) {
    return refusal(error, clientDataJSON, expected.challenge);
  }
}

/** Two zeros are an authenticator without a counter; any other one must grow (WebAuthn L3, 7.2, signCount). */
export function isCounterFresh(stored: number, presented: number): boolean {
  return presented > stored || (presented === 0 && stored === 0);
}

/** The library lets bytes after the DER of an ES256 signature pass, and lengths in a longer form; D19 asks for DER. */
async function isWellFormed(signature: Uint8Array, publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { cose, decodeCredentialPublicKey } = await helpers();
  if (decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg) !== es256) return true;
  try {
    return Buffer.from(signature).equals(p256.Signature.fromBytes(signature, 'der').toBytes('der'));
  } catch {
    return false;
  }
}

/** Compared as bytes, so that padding makes no difference; what is not base64url is no challenge (D47). */
function isSameChallenge(given: unknown, issued: string): boolean {
  if (typeof given !== 'string' || !/^[\w-]+={0,2}$/.test(given)) return false;
  return normalizeBase64Url(given) === normalizeBase64Url(issued);
}

interface ClientData {
  readonly challenge?: unknown;
  readonly origin?: unknown;
}

function readClientData(clientDataJson: string): ClientData {
  try {
    return (JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) ?? {}) as ClientData;
  } catch {
    return {};
  }
}

/** The origin that was signed if the settings allow it at any port, its scheme's own included; else those they list. */
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
  if (isSameChallenge(challenge, toBase64Url(Buffer.from(issued, 'utf8')))) {
    return { ok: false, hint: 'the challenge was encoded twice: decode it from base64url before the browser signs it' };
  }
  // The library's messages name what differs; they hold challenge, origin and rpId, and no key.
  return { ok: false, hint: error instanceof Error ? error.message : 'the response is not readable' };
}
