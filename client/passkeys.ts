import type {
  PasskeyAssertion,
  PasskeyAuthChallenge,
  PasskeyCredentialCreateRequest,
  PasskeyTransport,
} from '../generated/types.ts';
import { type Bytes, fromBase64Url, toBase64Url } from './bytes.ts';

/** The part of a browser's `PublicKeyCredentialRequestOptions` that is filled in here. It needs no DOM library. */
interface AssertionOptions {
  challenge: Bytes;
  allowCredentials: { type: 'public-key'; id: Bytes }[];
  rpId?: string;
}

/** The part of a browser's `Credential` that shows its kind. */
interface BrowserCredential {
  readonly id: string;
  readonly type: string;
}

/**
 * The options for `navigator.credentials.get` that answer a passkey's challenge. They have the service's challenge,
 * decoded once from base64url (D19), and the one credential that it is for.
 * @param challenge the reply of `POST /auth/credentials/{id}/challenge`.
 * @param rpId the domain that the passkey was registered for; the page's own if absent.
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

/** What a registration adds to the browser's answer. */
interface PasskeyFacts {
  readonly accountId: string;
  /** A name by which the customer knows the passkey (D48). */
  readonly nickname: string;
  /** The challenge that the browser was given, as base64url. */
  readonly challenge: string;
}

/**
 * The body of `POST /auth/credentials` for a new passkey that `navigator.credentials.create` returned (contract:
 * `PasskeyAttestation`). It includes the transports as the browser names them.
 * @throws TypeError for anything but a new public key credential. A browser may return null instead of one.
 */
export function passkeyToCredential(
  credential: BrowserCredential | null,
  facts: PasskeyFacts,
): PasskeyCredentialCreateRequest {
  const { rawId, response } = publicKeyCredential(credential);
  if (!('attestationObject' in response))
    throw new TypeError('This credential is an assertion. Pass the result of navigator.credentials.create().');
  const attestation = response as AuthenticatorAttestationResponse;
  return {
    type: 'PASSKEY',
    accountId: facts.accountId,
    nickname: facts.nickname,
    challenge: facts.challenge,
    attestation: {
      credentialId: toBase64Url(rawId),
      // The interface spells the name with a lower-case "json". The bytes are the browser's.
      clientDataJson: toBase64Url(attestation.clientDataJSON),
      attestationObject: toBase64Url(attestation.attestationObject),
      ...transportsOf(attestation),
    },
  };
}

/**
 * The `assertion` of verify for a passkey that `navigator.credentials.get` returned (contract: `PasskeyAssertion`). If
 * the authenticator names no user, `userHandle` is absent (D58).
 * @throws TypeError for anything but an assertion. A browser may return null instead of one.
 */
export function passkeyToAssertion(credential: BrowserCredential | null): PasskeyAssertion {
  const { rawId, response } = publicKeyCredential(credential);
  if (!('authenticatorData' in response && 'signature' in response))
    throw new TypeError('This credential is not an assertion. Pass the result of navigator.credentials.get().');
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

// Checks the form, not the class: a credential from another frame or a polyfill has another class.
function publicKeyCredential(credential: BrowserCredential | null): PublicKeyCredential {
  if (credential?.type === 'public-key') return credential as PublicKeyCredential;
  throw new TypeError('The browser returned no public key credential.');
}

function transportsOf(attestation: AuthenticatorAttestationResponse): { transports?: PasskeyTransport[] } {
  // Older browsers have passkeys but not this method.
  if (typeof attestation.getTransports !== 'function') return {};
  return { transports: attestation.getTransports().filter(isTaken) };
}

/** Unknown words are accepted too, within bounds (D19). */
function isTaken(name: PasskeyTransport): boolean {
  return name.length > 0 && name.length <= 32;
}
