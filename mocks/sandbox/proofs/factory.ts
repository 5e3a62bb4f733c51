import { createKeySetFetch, type Reach } from '../node/keySets.ts';
import type { Derive } from '../tools/derive.ts';
import { issuerKey } from './local.ts';
import { magicProofs } from './magic.ts';
import { createOidcVerifier, type OidcVerifier } from './oidc.ts';
import type { ProofSettings, Proofs } from './proofs.ts';
import { realProofs } from './real.ts';

/** Gives the proofs of a platform as its settings are now. */
export type ProofsFactory = (platformId: string, settings: ProofSettings) => Proofs;

/** @param reach where issuers' key sets may be fetched from. */
export function createProofs(derive: Derive, reach: Reach = 'any'): ProofsFactory {
  const fetchKeySet = createKeySetFetch(reach);
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
