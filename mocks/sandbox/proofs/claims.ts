import { decodeBase64Url } from '../../../contract/encodings.ts';
import type { OidcClaims } from './proofs.ts';

const issuers = ['accounts.google.com', 'appleid.apple.com'];

/** The path of the local issuers below the server's address. The platform's id follows it (D59). */
export const localIssuerPath = '/__sandbox/oidc';

/** The address of a platform's own issuer. */
export function localIssuer(origin: string, platformId: string): string {
  return `${origin}${localIssuerPath}/${platformId}`;
}

/** Whether a text is that platform's issuer on a loopback address. Any port is accepted, because its keys are ours. */
export function isLocalIssuer(issuer: string, platformId: string): boolean {
  return loopback.test(issuer) && withoutPlace(issuer) === `${localIssuerPath}/${platformId}`;
}

const loopback = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?=\/__sandbox\/oidc\/)/;

/** An issuer as part of an identity: without scheme, and a local issuer without its port, which may change. */
function withoutPlace(issuer: string): string {
  return issuer.replace(loopback, '').replace(/^https?:\/\//, '');
}

/**
 * Reads an OIDC token at registration with `magic` proofs: three non-empty parts, JSON objects in header and payload, a
 * recognised issuer. It verifies nothing (D20, D50).
 */
export function readUnverifiedClaims(token: string, platformId: string): OidcClaims | null {
  const payload = readJwt(token);
  if (payload === null) return null;
  const issuer = typeof payload['iss'] === 'string' ? payload['iss'] : '';
  const known = issuers.includes(issuer.replace(/^https:\/\//, ''));
  return known || isLocalIssuer(issuer, platformId) ? describeClaims(payload) : null;
}

/**
 * Reads the payload of a JWT in its strict form: three parts of base64url without padding, white space or left-over
 * bits, with JSON objects in the first two (RFC 7515, 7.1; D17). It verifies nothing.
 * @returns null for any other text
 */
export function readJwt(token: string): Readonly<Record<string, unknown>> | null {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  const isWhole = more.length === 0 && signature !== '' && decodePart(signature) !== null;
  return isWhole && readJsonPart(header) !== null ? readJsonPart(payload) : null;
}

/** The most characters of a credential's nickname in the contract. A token can be longer than that (D84). */
const longestNickname = 16_384;

/**
 * The identity is (iss, aud, sub), with or without the issuer's scheme; a local issuer may have any port. The nickname
 * is the e-mail, otherwise the subject, otherwise the issuer (D12, D50, D59). Null for text that can't be stored (D51).
 */
export function describeClaims(payload: Readonly<Record<string, unknown>>): OidcClaims | null {
  const issuer = withoutPlace(text(payload['iss']));
  const audience = [payload['aud']].flat().map(text).sort();
  const subject = text(payload['sub']);
  const nickname = text(payload['email']) || subject || issuer;
  const texts = [...audience, subject, nickname];
  const isStorable =
    nickname.length <= longestNickname && texts.every((one) => one.isWellFormed() && !one.includes('\u0000'));
  return isStorable ? { identity: JSON.stringify([issuer, audience, subject]), nickname } : null;
}

/** A JWT has no padding (RFC 7515, 2). */
function decodePart(part: string): Uint8Array | null {
  return part.endsWith('=') ? null : decodeBase64Url(part);
}

function readJsonPart(part: string): Record<string, unknown> | null {
  const bytes = decodePart(part);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
