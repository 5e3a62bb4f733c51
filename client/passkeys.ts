import type { PasskeyAssertion, PasskeyCredentialCreateRequest, PasskeyTransport } from '../generated/types.ts';
import { fromBase64Url, toBase64Url } from './bytes.ts';

/**
 * The options of `navigator.credentials.get` that answer a passkey's challenge: the challenge as the service sent it,
 * decoded once from base64url, and the one credential it is for.
 * @param challenge the reply of `POST /auth/credentials/{id}/challenge`.
 */
export function assertionOptions(
  challenge: { readonly challenge: string; readonly credentialId: string },
  rpId?: string,
): PublicKeyCredentialRequestOptions {
  return {
    challenge: fromBase64Url(challenge.challenge),
    allowCredentials: [{ type: 'public-key', id: fromBase64Url(challenge.credentialId) }],
    ...(rpId === undefined ? {} : { rpId }),
  };
}

/**
 * The body that registers what `navigator.credentials.create` gave.
 * @param facts `challenge` is the one the browser was given, in base64url.
 * @throws TypeError for a credential that is not an attestation.
 */
export function passkeyToCredential(
  credential: PublicKeyCredential,
  facts: { readonly accountId: string; readonly nickname: string; readonly challenge: string },
): PasskeyCredentialCreateRequest {
  const { response } = credential;
  if (!('attestationObject' in response)) throw new TypeError('This is an assertion, not a new credential.');
  const attestation = response as AuthenticatorAttestationResponse;
  return {
    type: 'PASSKEY',
    ...facts,
    attestation: {
      credentialId: toBase64Url(credential.rawId),
      // The interface writes the name with a lower-case "json"; the bytes are the browser's.
      clientDataJson: toBase64Url(attestation.clientDataJSON),
      attestationObject: toBase64Url(attestation.attestationObject),
      transports: attestation.getTransports().filter(isTransport),
    },
  };
}

/**
 * The `assertion` of verify, from what `navigator.credentials.get` gave. An authenticator that names no user leaves
 * `userHandle` out.
 * @throws TypeError for a credential that is not an assertion.
 */
export function passkeyToAssertion(credential: PublicKeyCredential): PasskeyAssertion {
  const { response } = credential;
  if (!('authenticatorData' in response && 'signature' in response)) throw new TypeError('This is not an assertion.');
  const assertion = response as AuthenticatorAssertionResponse;
  const { userHandle } = assertion;
  return {
    credentialId: toBase64Url(credential.rawId),
    clientDataJson: toBase64Url(assertion.clientDataJSON),
    authenticatorData: toBase64Url(assertion.authenticatorData),
    signature: toBase64Url(assertion.signature),
    ...(userHandle === null || userHandle.byteLength === 0 ? {} : { userHandle: toBase64Url(userHandle) }),
  };
}

const transports: readonly string[] = [
  'usb',
  'nfc',
  'ble',
  'smart-card',
  'hybrid',
  'internal',
] satisfies PasskeyTransport[];

/** Browsers may name transports that the interface does not have. */
function isTransport(name: string): name is PasskeyTransport {
  return transports.includes(name);
}
