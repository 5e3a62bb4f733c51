/** A software passkey's answers in the form that a browser's `navigator.credentials` gives them: an adapter for tests. */
import type { Assertion, Attestation } from '../proofs/authenticator.ts';

interface Created {
  /** What `getTransports()` answers; null for a browser that does not have it yet. */
  readonly transports?: readonly string[] | null;
}

/** What `navigator.credentials.create` gives. */
export function asCreated(attestation: Attestation, { transports = attestation.transports }: Created = {}): Credential {
  return credential(attestation.credentialId, {
    clientDataJSON: buffer(attestation.clientDataJson),
    attestationObject: buffer(attestation.attestationObject),
    ...(transports === null ? {} : { getTransports: () => transports }),
  });
}

/** What `navigator.credentials.get` gives; `userHandle` as a browser says it, null for none. */
export function asGot(
  assertion: Assertion,
  userHandle: ArrayBuffer | null | undefined = assertion.userHandle === undefined ? null : buffer(assertion.userHandle),
): Credential {
  return credential(assertion.credentialId, {
    clientDataJSON: buffer(assertion.clientDataJson),
    authenticatorData: buffer(assertion.authenticatorData),
    signature: buffer(assertion.signature),
    userHandle,
  });
}

function credential(id: string, response: object): Credential {
  return { id, rawId: buffer(id), type: 'public-key', response } as Credential;
}

function buffer(base64Url: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(base64Url, 'base64url')).buffer;
}
