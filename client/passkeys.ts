import type {
  PasskeyAssertion,
  PasskeyAuthChallenge,
  PasskeyCredentialCreateRequest,
  PasskeyTransport,
} from '../generated/types.ts';
import { type Bytes, fromBase64Url, toBase64Url } from './bytes.ts';

/** What a browser calls `PublicKeyCredentialRequestOptions`, as far as it is filled in; it needs no DOM library. */
interface AssertionOptions {
  challenge: Bytes;
  allowCredentials: { type: 'public-key'; id: Bytes }[];
  rpId?: string;
}

/** As much of a browser's `Credential` as tells what kind it is. */
interface BrowserCredential {
  readonly id: string;
  readonly type: string;
}

/**
 * The options of `navigator.credentials.get` that answer a passkey's challenge: the challenge as the service sent it,
 * decoded once from base64url (D19), and the one credential it is for.
 * @param challenge the reply of `POST /auth/credentials/{id}/challenge`.
 * @param rpId the domain that the passkey was registered for; the page's own when left out.
 */
export function assertionOptions(
  challenge: Pick<PasskeyAuthChallenge, 'challenge' | 'credentialId'>,
  rpId?: string,
): AssertionOptions {
  return {
    challenge: fromBase64Url(challenge.challenge),
    allowCredentials: [{ type: 'public-key', id: fromBase64Url(challenge.credentialId) }],
    ...(rpId === undefined ? {} : { rpId }),
  };
}

/** What a registration says beside the browser's answer. */
interface PasskeyFacts {
  readonly accountId: string;
  /** A name by which the customer knows the passkey (D48). */
  readonly nickname: string;
  /** The one that the browser was given, in base64url. */
  readonly challenge: string;
}

/**
 * The body of `POST /auth/credentials` for what `navigator.credentials.create` gave (contract: `PasskeyAttestation`).
 * Transports go along as the browser names them.
 * @throws TypeError for anything but a new public key credential; null is what a browser may give for none.
 */
export function passkeyToCredential(
  credential: BrowserCredential | null,
  facts: PasskeyFacts,
): PasskeyCredentialCreateRequest {
  const { rawId, response } = publicKeyCredential(credential);
  if (!('attestationObject' in response)) throw new TypeError('This is an assertion, not a new credential.');
  const attestation = response as AuthenticatorAttestationResponse;
  return {
    type: 'PASSKEY',
    accountId: facts.accountId,
    nickname: facts.nickname,
    challenge: facts.challenge,
    attestation: {
      credentialId: toBase64Url(rawId),
      // The interface writes the name with a lower-case "json"; the bytes are the browser's.
      clientDataJson: toBase64Url(attestation.clientDataJSON),
      attestationObject: toBase64Url(attestation.attestationObject),
      ...transportsOf(attestation),
    },
  };
}

/**
 * The `assertion` of verify, from what `navigator.credentials.get` gave (contract: `PasskeyAssertion`). An
 * authenticator that names no user leaves `userHandle` out (D58).
 * @throws TypeError for anything but an assertion; null is what a browser may give for none.
 */
export function passkeyToAssertion(credential: BrowserCredential | null): PasskeyAssertion {
  const { rawId, response } = publicKeyCredential(credential);
  if (!('authenticatorData' in response && 'signature' in response)) throw new TypeError('This is not an assertion.');
  const assertion = response as AuthenticatorAssertionResponse;
  const { userHandle } = assertion;
  return {
    credentialId: toBase64Url(rawId),
    clientDataJson: toBase64Url(assertion.clientDataJSON),
    authenticatorData: toBase64Url(assertion.authenticatorData),
    signature: toBase64Url(assertion.signature),
    ...(userHandle && userHandle.byteLength > 0 ? { userHandle: toBase64Url(userHandle) } : {}),
  };
}

// Told by its form and not by its class: one from another frame or a polyfill has another class.
function publicKeyCredential(credential: BrowserCredential | null): PublicKeyCredential {
  if (credential?.type === 'public-key') return credential as PublicKeyCredential;
  throw new TypeError('The browser gave no public key credential.');
}

function transportsOf(attestation: AuthenticatorAttestationResponse): { transports?: PasskeyTransport[] } {
  // Browsers had passkeys before they had this method.
  if (typeof attestation.getTransports !== 'function') return {};
  return { transports: attestation.getTransports().filter(isTaken) };
}

/** Words that are not known are taken as well, within bounds (D19). */
function isTaken(name: PasskeyTransport): boolean {
  return name.length > 0 && name.length <= 32;
}
