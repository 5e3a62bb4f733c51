import type { Derive } from '../tools/derive.ts';
import { issuerKey } from './local.ts';
import { magicProofs } from './magic.ts';
import { createOidcVerifier, type KeySetFetch, type OidcVerifier } from './oidc.ts';
import type { ProofSettings, Proofs } from './proofs.ts';
import { realProofs } from './real.ts';

/** Gives the proofs of a platform as its settings are now. */
export type ProofsFactory = (platformId: string, settings: ProofSettings) => Proofs;

/** @param fetchKeySet gets the key sets of issuers; without it only those are known that the settings hold. */
export function createProofs(derive: Derive, fetchKeySet: KeySetFetch = fetchNothing): ProofsFactory {
  // Kept per platform for the key sets they have fetched.
  const verifiers = new Map<string, OidcVerifier>();
  return (platformId, settings) => {
    if (settings.proofs === 'magic') return magicProofs(platformId);
    let oidc = verifiers.get(platformId);
    if (oidc === undefined) {
      oidc = createOidcVerifier(platformId, () => issuerKey(derive, platformId).publicSet, fetchKeySet);
      verifiers.set(platformId, oidc);
    }
    return realProofs(settings, oidc);
  };
}

async function fetchNothing(): Promise<Response> {
  throw new Error('key sets are not fetched here');
}
