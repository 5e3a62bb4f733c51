/** A passkey in software. It answers as an authenticator does (WebAuthn L3, 6 and 7), with a `none` attestation. */
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { decodeBase64Url, encodeBase64Url } from '../../contract/encodings.ts';

/** The domain that every new platform accepts. */
const rpId = 'localhost';
const origin = 'http://localhost:4010';

/** Bits of the authenticator data (6.1). */
const [userPresent, userVerified, attested] = [0x01, 0x04, 0x40];

export interface Passkey {
  /** @param challenge in base64url. */
  attest(challenge: string): Record<'credentialId' | 'clientDataJson' | 'attestationObject', string>;
  /** @param challenge in base64url, as the service issued it. */
  assert(challenge: string): Record<'credentialId' | 'clientDataJson' | 'authenticatorData' | 'signature', string>;
}

/** Creates a passkey with a new key. @param credentialId in base64url */
export function createPasskey(credentialId: string): Passkey {
  const { secretKey } = p256.keygen();
  const id = decodeBase64Url(credentialId) ?? utf8(credentialId);
  const named = encodeBase64Url(id);
  return {
    attest(challenge) {
      const key = p256.getPublicKey(secretKey, false);
      const length = Uint8Array.of(id.length >> 8, id.length & 0xff);
      const data = authenticatorData(userPresent | userVerified | attested);
      const authData = concat(data, new Uint8Array(16), length, id, coseKey(key.slice(1, 33), key.slice(33)));
      return {
        credentialId: named,
        clientDataJson: encodeBase64Url(clientData('webauthn.create', challenge)),
        attestationObject: encodeBase64Url(attestationObject(authData)),
      };
    },
    assert(challenge) {
      const json = clientData('webauthn.get', challenge);
      const data = authenticatorData(userPresent | userVerified);
      const signature = p256.sign(concat(data, sha256(json)), secretKey, { format: 'der' });
      return {
        credentialId: named,
        clientDataJson: encodeBase64Url(json),
        authenticatorData: encodeBase64Url(data),
        signature: encodeBase64Url(signature),
      };
    },
  };
}

function clientData(type: string, challenge: string): Uint8Array {
  return utf8(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** The counter is 0, because this passkey doesn't count its signatures. */
function authenticatorData(flags: number): Uint8Array {
  return concat(sha256(utf8(rpId)), Uint8Array.of(flags, 0, 0, 0, 0));
}

/** An ES256 key as COSE (RFC 9053, 7.1): a map of 1: 2, 3: -7, -1: 1, -2: x, -3: y. */
function coseKey(x: Uint8Array, y: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32), x, Uint8Array.of(0x22, 0x58, 32), y);
}

/** `{fmt: "none", attStmt: {}, authData}` as CBOR (RFC 8949). */
function attestationObject(authData: Uint8Array): Uint8Array {
  const text = (word: string): Uint8Array => concat(Uint8Array.of(0x60 | word.length), utf8(word));
  const length = Uint8Array.of(0x59, authData.length >> 8, authData.length & 0xff);
  const none = [text('fmt'), text('none'), text('attStmt'), Uint8Array.of(0xa0)];
  return concat(Uint8Array.of(0xa3), ...none, text('authData'), length, authData);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
