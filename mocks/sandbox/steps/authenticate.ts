import { timingSafeEqual } from 'node:crypto';
import type { Requester } from '../domains/operation.ts';
import { findToken } from '../domains/tokens/records.ts';
import { sha256 } from '../kernel/bytes.ts';
import { Problem } from '../kernel/problem.ts';
import type { Store } from '../store/store.ts';

function unauthorized(message: string): Problem {
  return new Problem('UNAUTHORIZED', message);
}

/**
 * Reads HTTP Basic credentials (RFC 7617): scheme in any case, UTF-8, split at the first colon.
 * @throws Problem 401 that says what is wrong with the header, never what was in it.
 */
export function readBasic(header: string | null): { clientId: string; clientSecret: string } {
  if (header === null)
    throw unauthorized('Credentials are missing: send Authorization: Basic <clientId:clientSecret>.');
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim());
  if (match?.[1] === undefined) throw unauthorized('The Authorization header is not of the form Basic <base64>.');
  let pair: string;
  try {
    // A byte order mark is part of the client id, as any other character is.
    pair = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(match[1], 'base64'));
  } catch {
    throw unauthorized('The Basic credentials are not UTF-8.');
  }
  const colon = pair.indexOf(':');
  if (colon < 0) throw unauthorized('The Basic credentials lack the colon between client id and secret.');
  return { clientId: pair.slice(0, colon), clientSecret: pair.slice(colon + 1) };
}

// So that an unknown client id takes as long as a wrong secret.
const nobody = sha256('');

/**
 * Who is asking: the platform and permissions of the token that the credentials name (INTERFACE, Authentication 1).
 * @throws Problem 401 `UNAUTHORIZED`.
 */
export async function authenticate(headers: Headers, store: Store): Promise<Requester> {
  const { clientId, clientSecret } = readBasic(headers.get('authorization'));
  const found = await store.read((reader) => findToken(reader, clientId));
  const kept = found === undefined ? nobody : Buffer.from(found.token.secretHash, 'hex');
  const matches = timingSafeEqual(sha256(clientSecret), kept);
  if (found === undefined || !matches) throw unauthorized('The client id or secret is wrong.');
  const { platformId, token } = found;
  return { platformId, tokenId: token.id, permissions: token.permissions };
}
