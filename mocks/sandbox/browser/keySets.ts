import type { KeySetFetch } from '../proofs/oidc.ts';

/**
 * Fetches key sets as any page fetches: the browser asks the issuer whether it may (CORS), and no cookie goes along. The
 * page's own network is all that it reaches.
 */
export const fetchKeySet: KeySetFetch = (url, { signal }) =>
  fetch(url, {
    signal,
    headers: { Accept: 'application/json' },
    credentials: 'omit',
    redirect: 'error',
    // What the browser has from before may have a key that was withdrawn.
    cache: 'no-store',
  });
