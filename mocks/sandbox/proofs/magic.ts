import { decodeBase64Url } from '../../../contract/encodings.ts';
import { readJwt, readUnverifiedClaims } from './claims.ts';
import { modeHints } from './hints.ts';
import type { Proofs, Refusal } from './proofs.ts';
import { stubSessionKey } from './seal.ts';
import { isSignatureShaped } from './stamp.ts';

/** The only values that `magic` proofs accept (D15, D19, D20, D22). */
export const magic = {
  otp: '000000',
  passkeySignature: 'sandbox-valid-passkey-signature',
  oidcToken: 'sandbox-valid-oidc-token',
  walletSignature: 'sandbox-valid-signature',
} as const;

const refused: Refusal = { ok: false };
const refusedReal: Refusal = { ok: false, hint: modeHints.realInMagic };

/**
 * The shortest signature of a passkey: EdDSA's 64 bytes. An ES256 signature is shorter only if it has many leading
 * zeros.
 */
const shortestSignature = 64;

/** Proofs by magic value: a value selects the outcome, and nothing is verified. */
export function magicProofs(platformId: string): Proofs {
  return {
    kind: 'magic',
    newCode: () => ({ code: magic.otp, delivered: false }),
    // Accepted unchecked (D19).
    attestation: async () => ({ ok: true }),
    assertion: async ({ signature }) => {
      if (signature === magic.passkeySignature) return { ok: true };
      const bytes = decodeBase64Url(signature);
      return bytes !== null && bytes.length >= shortestSignature ? refusedReal : refused;
    },
    registrationToken: async (token) => {
      const claims = readUnverifiedClaims(token, platformId);
      if (claims !== null) return { ok: true, ...claims };
      return readJwt(token) !== null ? refusedReal : refused;
    },
    signInToken: async (token) => {
      if (token === magic.oidcToken) return { ok: true };
      return readJwt(token) !== null ? refusedReal : refused;
    },
    newSessionKey: () => ({ scalar: stubSessionKey, publicKey: undefined }),
    // The hint for a code as a mail would have it, and for anything that a session's key could have signed.
    codeHint: (code) => (/^[0-9A-Z]{4,12}$/.test(code) && code !== magic.otp ? modeHints.realInMagic : undefined),
    signatureHint: (header) => (isSignatureShaped(header) ? modeHints.realInMagic : undefined),
    walletSignature: isMagicSignature,
    quoteSignature: isMagicSignature,
  };
}

/** The magic value replaces any session that may sign, so there must be such a session (D15). */
function isMagicSignature(header: string, _payload: string, keys: readonly unknown[]): boolean {
  return header === magic.walletSignature && keys.length > 0;
}
