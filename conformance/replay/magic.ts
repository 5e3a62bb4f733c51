/** The values of magic proofs (D15, D19, D20, D22). */
import { encodeBase64Url } from '../../contract/encodings.ts';

/** The values that a sandbox accepts as proofs (the interface's section on the sandbox). */
export const magic = {
  code: '000000',
  passkeySignature: 'sandbox-valid-passkey-signature',
  oidcToken: 'sandbox-valid-oidc-token',
  walletSignature: 'sandbox-valid-signature',
} as const;

/** A token in the form of a JWT. Magic proofs don't check its signature. */
export function unsignedToken(nickname: string): string {
  const coded = (value: object): string => encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  const claims = { iss: 'https://accounts.google.com', sub: nickname, email: nickname };
  return [coded({ alg: 'ES256', typ: 'JWT' }), coded(claims), encodeBase64Url(new Uint8Array(64))].join('.');
}
