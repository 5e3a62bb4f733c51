import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from 'jose';
import { encodeHex } from '../../../contract/encodings.ts';
import { sha256 } from '../node/machine/crypto.ts';
import { describeClaims, isLocalIssuer, readJwt } from './claims.ts';
import type { OidcClaims, ProofResult, ProofSettings } from './proofs.ts';

/** Fetches an issuer's key set from its address. `signal` ends a fetch that takes too long. */
export type KeySetFetch = (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>;

// Loaded at first use, like the passkey library.
const library = () => import('jose');

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const maxAgeSeconds = 60;
/** How far an issuer's clock may be ahead of ours, in seconds (D20). */
const leewaySeconds = 5;

/** How long an earlier key set may replace one that can't be fetched, by the platform's clock (D60). */
const standInMs = 60_000;
const fetchTimeoutMs = 5000;
const unreadable = 'the token is not a JWT: three parts of base64url without padding, JSON objects in the first two';

/**
 * Checks OIDC tokens against issuers' key sets. They are fetched on every call, so a withdrawn key is refused (D20,
 * D60).
 */
export interface OidcVerifier {
  /** @param now the platform's time in milliseconds. */
  verify(token: string, settings: ProofSettings, now: number): Promise<ProofResult<OidcClaims & { nonce: unknown }>>;
}

/**
 * @param local the key set of the platform's own issuer (D59).
 * @param fetchKeySet fetches the others.
 */
export function createOidcVerifier(
  platformId: string,
  local: () => JSONWebKeySet,
  fetchKeySet: KeySetFetch,
): OidcVerifier {
  const fetched = new Map<string, FetchedKeys>();

  const fetchKeys = async (jwksUri: string, now: number): Promise<JWTVerifyGetKey> => {
    const { createLocalJWKSet } = await library();
    const before = fetched.get(jwksUri);
    try {
      const answer = await fetchKeySet(jwksUri, { signal: AbortSignal.timeout(fetchTimeoutMs) });
      if (answer.status !== 200) throw new Error(`its address answers ${answer.status}`);
      // Throws if it isn't a key set.
      const keys = createLocalJWKSet((await answer.json()) as JSONWebKeySet);
      fetched.set(jwksUri, { keys, at: now });
      return keys;
    } catch (error) {
      if (before !== undefined && isRecent(now - before.at)) return before.keys;
      const why = error instanceof Error ? error.message : 'it is not readable';
      throw new Error(`the issuer's key set can't be fetched: ${why}`, { cause: error });
    }
  };

  const keysOf = async (issuer: string, settings: ProofSettings, now: number): Promise<JWTVerifyGetKey | null> => {
    const { createLocalJWKSet } = await library();
    if (isLocalIssuer(issuer, platformId)) return createLocalJWKSet(local());
    const setting = settings.issuers.find((one) => one.issuer === issuer);
    if (setting?.jwks !== undefined) return createLocalJWKSet(setting.jwks);
    // Otherwise, addresses that the settings no longer have would accumulate.
    for (const kept of fetched.keys()) {
      if (!settings.issuers.some((one) => one.jwksUri === kept)) fetched.delete(kept);
    }
    return setting?.jwksUri === undefined ? null : fetchKeys(setting.jwksUri, now);
  };

  return {
    async verify(token, settings, now) {
      try {
        // The library skips white space, padding and left-over bits. A proof has one form (D17).
        const read = readJwt(token);
        if (read === null) return { ok: false, hint: unreadable };
        const { iss: issuer } = read;
        const keys = typeof issuer === 'string' ? await keysOf(issuer, settings, now) : null;
        if (keys === null) return { ok: false, hint: `the issuer ${issuer} is not among the platform's settings` };
        const payload = await verifySignature(token, keys, now);
        const fault = findFault(payload, settings.audiences, Math.floor(now / 1000));
        if (fault !== null) return { ok: false, hint: fault };
        const claims = describeClaims(payload);
        if (claims === null || typeof payload.sub !== 'string' || payload.sub === '') {
          return { ok: false, hint: 'the token names no subject' };
        }
        return { ok: true, ...claims, nonce: payload['nonce'] };
      } catch (error) {
        return { ok: false, hint: error instanceof Error ? error.message : 'the token is not readable' };
      }
    },
  };
}

/** The age is negative if a reset or a restored snapshot has set the clock back since then. */
function isRecent(ageMs: number): boolean {
  return ageMs >= 0 && ageMs <= standInMs;
}

interface FetchedKeys {
  readonly keys: JWTVerifyGetKey;
  /** The platform's time of the fetch, in milliseconds. */
  readonly at: number;
}

/** The `nonce` that binds a token to a client's key: hex SHA-256 of the key's hex text as sent (D20). */
export function nonceFor(clientPublicKey: string): string {
  return encodeHex(sha256(clientPublicKey));
}

async function verifySignature(token: string, keys: JWTVerifyGetKey, now: number): Promise<JWTPayload> {
  const { decodeProtectedHeader, errors, jwtVerify } = await library();
  const options = { algorithms, currentDate: new Date(now), clockTolerance: leewaySeconds };
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    // Several keys match. Without a kid that is ambiguous, so it is refused. With a kid, any key that verifies is right
    // (RFC 7517, 4.5).
    if (!(error instanceof errors.JWKSMultipleMatchingKeys) || decodeProtectedHeader(token).kid === undefined)
      throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (refused) {
        if (!(refused instanceof errors.JWSSignatureVerificationFailed)) throw refused;
      }
    }
    throw error;
  }
}

/** The checks of OIDC Core 3.1.3.7 besides the signature. Times are in seconds. Null if all pass. */
function findFault(payload: JWTPayload, accepted: readonly string[], now: number): string | null {
  const { exp, iat, aud, azp } = payload;
  if (typeof exp !== 'number' || exp <= now) return 'the token has expired or names no exp';
  if (typeof iat !== 'number') return 'the token names no iat';
  if (now - iat > maxAgeSeconds) return `the token was issued more than ${maxAgeSeconds} s ago`;
  if (iat - now > leewaySeconds) return `the token was issued more than ${leewaySeconds} s in the future`;
  const audiences: unknown[] = [aud ?? []].flat();
  if (audiences.length === 0) return 'the token names no audience';
  if (!audiences.every((one) => typeof one === 'string' && one !== ''))
    return 'the token has an audience without a name';
  if (azp !== undefined && !(typeof azp === 'string' && accepted.includes(azp)))
    return `the authorized party ${String(azp)} is not accepted`;
  const all = audiences.every((one) => accepted.includes(String(one)));
  const some = azp !== undefined && audiences.includes(azp);
  return all || some ? null : `the audience ${audiences.join(', ')} is not accepted`;
}
