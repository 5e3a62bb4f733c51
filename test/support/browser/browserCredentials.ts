/** Converts a software passkey's answers to the objects that a browser's `navigator.credentials` returns. */
import type { Assertion, Attestation } from '../proofs/authenticator.ts';

interface Created {
  /** What `getTransports()` returns; null for a browser without that method. */
  readonly transports?: readonly string[] | null;
}

/** What `navigator.credentials.create` returns. */
export function asCreated(attestation: Attestation, { transports = attestation.transports }: Created = {}): Credential {
  return credential(attestation.credentialId, {
    clientDataJSON: buffer(attestation.clientDataJson),
    attestationObject: buffer(attestation.attestationObject),
    ...(transports === null ? {} : { getTransports: () => transports }),
  });
}

/** What `navigator.credentials.get` returns. A browser's `userHandle` is null if there is none. */
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
