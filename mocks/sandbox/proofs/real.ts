import { p256 } from '@noble/curves/nist.js';
import { encodeHex } from '../../../contract/encodings.ts';
import type { Chance } from '../tools/chance.ts';
import { modeHints } from './hints.ts';
import { magic } from './magic.ts';
import { nonceFor, type OidcVerifier } from './oidc.ts';
import type { CodeForm, ProofSettings, Proofs, Refusal } from './proofs.ts';
import { verifyBareSignature, verifyStamp } from './stamp.ts';
import { verifyAssertion, verifyAttestation } from './webauthn.ts';

const refusedMagic: Refusal = { ok: false, hint: modeHints.magicInReal };

/** Proofs as production checks them (D17 to D22). No magic value passes. */
export function realProofs(settings: ProofSettings, oidc: OidcVerifier): Proofs {
  return {
    kind: 'real',
    newCode: (chance, form) => ({ code: randomCode(chance, form), delivered: true }),
    attestation: (proof, now) => verifyAttestation(proof, settings, now),
    assertion: async (proof, expected) =>
      proof.signature === magic.passkeySignature ? refusedMagic : verifyAssertion(proof, expected, settings),
    async registrationToken(token, now) {
      return token === magic.oidcToken ? refusedMagic : oidc.verify(token, settings, now);
    },
    async signInToken(token, now, clientPublicKey, identity) {
      if (token === magic.oidcToken) return refusedMagic;
      const verdict = await oidc.verify(token, settings, now);
      if (!verdict.ok) return verdict;
      if (verdict.identity !== identity) return { ok: false, hint: 'the token is for another identity' };
      if (verdict.nonce !== undefined && verdict.nonce !== nonceFor(clientPublicKey)) {
        return { ok: false, hint: 'the nonce is not the hex SHA-256 of clientPublicKey' };
      }
      return { ok: true };
    },
    codeHint: (code) => (code === magic.otp ? modeHints.magicInReal : undefined),
    signatureHint: (header) => (header === magic.walletSignature ? modeHints.magicInReal : undefined),
    newSessionKey(chance) {
      const { secretKey, publicKey } = p256.keygen(chance.bytes(48));
      return { scalar: secretKey, publicKey: encodeHex(publicKey) };
    },
    walletSignature(header, payload, keys) {
      const signer = verifyStamp(header, payload);
      return signer !== null && keys.includes(signer);
    },
    quoteSignature(header, payload, keys) {
      const isBare = (key: string | undefined) => key !== undefined && verifyBareSignature(header, payload, key);
      return this.walletSignature(header, payload, keys) || keys.some(isBare);
    },
  };
}

const digits = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Random characters without bias, and never the magic code. */
function randomCode(chance: Chance, { length, alphanumeric }: CodeForm): string {
  const alphabet = alphanumeric ? digits + letters : digits;
  // The largest multiple of the alphabet's length in a byte. Higher values would favour the first characters.
  const limit = 256 - (256 % alphabet.length);
  for (;;) {
    let code = '';
    while (code.length < length) {
      for (const byte of chance.bytes(length)) {
        if (byte < limit && code.length < length) code += alphabet[byte % alphabet.length];
      }
    }
    if (code !== magic.otp) return code;
  }
}
