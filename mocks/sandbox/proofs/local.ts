import { p256 } from '@noble/curves/nist.js';
import type { JSONWebKeySet, JWK } from 'jose';
import { encodeBase64Url } from '../../../contract/encodings.ts';
import { sha256 } from '../node/machine/crypto.ts';
import type { Derive } from '../tools/derive.ts';

/** The signing key of a platform's own issuer (D59). */
export interface IssuerKey {
  readonly privateJwk: JWK;
  readonly publicSet: JSONWebKeySet;
}

/**
 * An ES256 key that is derived from the store's key. So it is the same in every process and after a restart, and isn't
 * stored.
 */
export function issuerKey(derive: Derive, platformId: string): IssuerKey {
  const { secretKey } = p256.keygen(derive(platformId, 'oidc', 48));
  const point = p256.getPublicKey(secretKey, false);
  const kid = encodeBase64Url(sha256(point).subarray(0, 12));
  const [x, y] = [encodeBase64Url(point.subarray(1, 33)), encodeBase64Url(point.subarray(33))];
  const publicJwk = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, x, y };
  return { privateJwk: { ...publicJwk, d: encodeBase64Url(secretKey) }, publicSet: { keys: [publicJwk] } };
}
