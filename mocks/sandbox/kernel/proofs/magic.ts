import { stubSessionKey } from '../seal.ts';
import { readUnverifiedClaims } from './claims.ts';
import type { Proofs, Refusal } from './proofs.ts';

/** The values that `magic` proofs take, and nothing else (INTERFACE, Authentication 6). */
export const magic = {
  otp: '000000',
  passkeySignature: 'sandbox-valid-passkey-signature',
  oidcToken: 'sandbox-valid-oidc-token',
  walletSignature: 'sandbox-valid-signature',
} as const;

const refused: Refusal = { ok: false };

/** Proofs by magic value: outcomes can be chosen, nothing is verified. */
export function magicProofs(platformId: string): Proofs {
  return {
    kind: 'magic',
    newCode: () => ({ code: magic.otp, delivered: false }),
    // Taken as it is (D19).
    attestation: async () => ({ ok: true }),
    assertion: async ({ signature }) => (signature === magic.passkeySignature ? { ok: true } : refused),
    registrationToken: async (token) => {
      const claims = readUnverifiedClaims(token, platformId);
      return claims === null ? refused : { ok: true, ...claims };
    },
    signInToken: async (token) => (token === magic.oidcToken ? { ok: true } : refused),
    newSessionKey: () => ({ scalar: stubSessionKey, publicKey: undefined }),
    walletSignature: isMagicSignature,
    quoteSignature: isMagicSignature,
  };
}

/** Stands for any session that may sign, so there has to be one (D15). */
function isMagicSignature(header: string, _payload: string, keys: readonly unknown[]): boolean {
  return header === magic.walletSignature && keys.length > 0;
}
