import type { Derive } from '../tools/derive.ts';
import { issuerKey } from './local.ts';
import { magicProofs } from './magic.ts';
import { createOidcVerifier, type KeySetFetch, type OidcVerifier } from './oidc.ts';
import type { ProofSettings, Proofs } from './proofs.ts';
import { realProofs } from './real.ts';

/** Returns the proofs of a platform for its current settings. */
export type ProofsFactory = (platformId: string, settings: ProofSettings) => Proofs;

/** @param fetchKeySet fetches the key sets of issuers; without it, only key sets in the settings are known. */
export function createProofs(derive: Derive, fetchKeySet: KeySetFetch = fetchNothing): ProofsFactory {
  // Kept per platform, because they contain the key sets that they fetched.
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
