import type { KeySetFetch } from '../proofs/oidc.ts';

/**
 * Fetches key sets like any page: the browser asks the issuer for permission (CORS) and sends no cookies. It can reach
 * only what the page's network reaches.
 */
export const fetchKeySet: KeySetFetch = (url, { signal }) =>
  fetch(url, {
    signal,
    headers: { Accept: 'application/json' },
    credentials: 'omit',
    redirect: 'error',
    // The browser's cache may have a key that was withdrawn.
    cache: 'no-store',
  });
