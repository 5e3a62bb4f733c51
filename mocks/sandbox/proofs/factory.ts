import type { Derive } from '../tools/derive.ts';
import { issuerKey } from './local.ts';
import { magicProofs } from './magic.ts';
import { createOidcVerifier, type KeySetFetch, type OidcVerifier } from './oidc.ts';
import type { ProofSettings, Proofs } from './proofs.ts';
import { realProofs } from './real.ts';

export interface ProofsFactory {
  /** Returns the proofs of a platform for its current settings. */
  (platformId: string, settings: ProofSettings): Proofs;
  /** Drops what is kept for a platform that has ended. */
  forget(platformId: string): void;
}

/** @param fetchKeySet fetches the key sets of issuers; without it, only key sets in the settings are known. */
export function createProofs(derive: Derive, fetchKeySet: KeySetFetch = fetchNothing): ProofsFactory {
  // Kept per platform, because they contain the key sets that they fetched.
  const verifiers = new Map<string, OidcVerifier>();
  const proofsOf = (platformId: string, settings: ProofSettings): Proofs => {
    if (settings.proofs === 'magic') return magicProofs(platformId);
    let oidc = verifiers.get(platformId);
    if (oidc === undefined) {
      oidc = createOidcVerifier(platformId, () => issuerKey(derive, platformId).publicSet, fetchKeySet);
      verifiers.set(platformId, oidc);
    }
    return realProofs(settings, oidc);
  };
  return Object.assign(proofsOf, { forget: (platformId: string) => void verifiers.delete(platformId) });
}

async function fetchNothing(): Promise<Response> {
  throw new Error('key sets are not fetched here');
}
